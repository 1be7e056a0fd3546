package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"edgelingua/wasmtest/access"
	"edgelingua/worker/endpoint"
)

// A batch is sent when it has full spans, or the time every after its first span. room is how many
// spans can wait for the collector; further spans are dropped.
const (
	full     = 512
	every    = 5 * time.Second
	room     = 2048
	patience = 5 * time.Second // for the collector's answer to one batch
)

// Exporter sends spans to one collector. It is safe for concurrent use.
type Exporter struct {
	url     string
	headers []endpoint.Header
	client  *http.Client
	log     *log.Logger

	spans   chan *span
	dropped atomic.Int64
	ctx     context.Context // of all attempts
	cancel  context.CancelFunc
	ending  chan struct{} // closed when no more spans come
	ended   chan struct{} // closed when the last batch is sent
}

// NewTransport returns the transport for collectors: it opens a new connection for each batch.
func NewTransport() http.RoundTripper {
	return &http.Transport{DisableKeepAlives: true, DisableCompression: true}
}

// Start returns an Exporter that sends to the collector with the base URL url through transport.
// logger gets a line for each batch that the collector did not accept. The caller must call Close.
func Start(url string, headers []endpoint.Header, transport http.RoundTripper, logger *log.Logger) *Exporter {
	x := &Exporter{
		url: url + "/v1/traces", headers: headers, log: logger,
		client: &http.Client{
			Transport: transport,
			// the headers are only for the collector
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		spans: make(chan *span, room), ending: make(chan struct{}), ended: make(chan struct{}),
	}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	go x.run()
	return x
}

// Over makes the span of a finished request. It never blocks. It is for access.Log's Over.
func (x *Exporter) Over(e *access.Entry, r *http.Request) {
	s := spanOf(e, r.Header.Get("Traceparent"))
	if s == nil {
		return
	}
	select {
	case x.spans <- s:
	default:
		x.dropped.Add(1)
	}
}

// Close sends the remaining spans, one attempt per batch, until ctx is done. It must be called
// once. A request that finishes later has no span.
func (x *Exporter) Close(ctx context.Context) {
	stop := context.AfterFunc(ctx, x.cancel)
	close(x.ending)
	<-x.ended
	stop()
	x.cancel()
}

func (x *Exporter) run() {
	defer close(x.ended)
	var batch []*span
	var due <-chan time.Time // nil while batch is empty
	send := func() {
		if len(batch) > 0 {
			x.send(batch)
		}
		batch, due = nil, nil
	}
	for {
		select {
		case s := <-x.spans:
			if due == nil {
				due = time.After(every)
			}
			if batch = append(batch, s); len(batch) == full {
				send()
			}
		case <-due:
			send()
		case <-x.ending:
			for len(x.spans) > 0 {
				if batch = append(batch, <-x.spans); len(batch) == full {
					send()
				}
			}
			send()
			return
		}
	}
}

// send tries to send a batch once. It logs a line if the collector did not accept the batch, and
// another if spans were dropped before.
func (x *Exporter) send(batch []*span) {
	err := x.post(batch)
	dropped := x.dropped.Swap(0)
	if err != nil {
		x.log.Printf("the collector at OTLP_URL has not taken %s: %v", spans(int64(len(batch))), err)
	}
	if dropped > 0 {
		x.log.Printf("the collector at OTLP_URL is too slow: %s were dropped", spans(dropped))
	}
}

func spans(n int64) string {
	if n == 1 {
		return "a span"
	}
	return fmt.Sprintf("%d spans", n)
}

// post sends spans, and returns the reason if the collector did not accept them. Only the status of
// the answer is read. Errors never contain the headers.
func (x *Exporter) post(batch []*span) error {
	body, err := json.Marshal(request(batch))
	if err != nil {
		return err // can't happen: every span can be encoded as JSON, even the cost, which was read from JSON
	}
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("OTLP_URL is no URL") // can't happen: endpoint.Traces has checked the URL
	}
	for _, h := range x.headers {
		r.Header.Set(h.Name, h.Value)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := x.client.Do(r)
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("it does not answer")
	case err != nil:
		return reason(err)
	}
	answer.Body.Close()
	switch {
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		return fmt.Errorf("it redirects (%d), which is not followed: OTLP_URL is to be where it leads",
			answer.StatusCode)
	case answer.StatusCode < 200 || answer.StatusCode >= 400:
		return fmt.Errorf("it answers %d", answer.StatusCode)
	}
	return nil
}

// reason returns why a request failed. If no connection was made, it has the system's message.
func reason(err error) error {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("it can't be reached (%w)", op)
	}
	return errors.New("it can't be reached")
}

// request returns the body of a request with spans.
func request(batch []*span) any {
	type scope struct {
		Name string `json:"name"`
	}
	type scopeSpans struct {
		Scope scope   `json:"scope"`
		Spans []*span `json:"spans"`
	}
	type resource struct {
		Attributes []attribute `json:"attributes"`
	}
	type resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	type export struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	return export{[]resourceSpans{{
		resource{[]attribute{{"service.name", value{String: "edgelingua"}}}},
		[]scopeSpans{{scope{"edgelingua"}, batch}},
	}}}
}
