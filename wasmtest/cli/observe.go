package cli

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"

	"edgelingua/wasmtest/access"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/lobby"
	"edgelingua/wasmtest/metrics"
	"edgelingua/wasmtest/otlp"
	"edgelingua/worker/endpoint"
)

// observer reports the requests of a server: metrics to clients with ADMIN_KEY, spans to the
// collector, if there is one.
type observer struct {
	metrics *metrics.Metrics
	spans   *otlp.Exporter // nil: there is no collector
	program http.Handler   // checks ADMIN_KEY
}

// observe counts each entry of requests and, if vars name a collector, sends a span for it. The
// gauges come from requests, gate and module.
func observe(requests *access.Log, gate *gate, module *host.Host, vars map[string]string,
	logger *log.Logger) (*observer, error) {
	o := &observer{program: gate}
	url, headers, wrong := endpoint.Traces(func(name string) (string, bool) {
		v, ok := vars[name]
		return v,
			ok
	})
	if wrong != nil {
		return nil, usageError{wrong}
	}
	o.metrics = metrics.New(func() metrics.Now {
		n, memory := module.Instances()
		return metrics.Now{Open: gate.places(), Streams: requests.Streams(), Instances: n, Memory: memory}
	})
	requests.Over = o.metrics.Over
	if url != "" {
		o.spans = otlp.Start(url, headers, otlp.NewTransport(), logger)
		requests.Over = func(e *access.Entry, r *http.Request) {
			o.metrics.Over(e, r)
			o.spans.Over(e, r)
		}
	}
	return o, nil
}

// handler returns a handler that shows the metrics at their path to clients with ADMIN_KEY, without
// a line in the log. Other paths go to next.
func (o *observer) handler(next http.Handler) http.Handler {
	shown := metrics.WithKey(o.program, o.metrics)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == metrics.Path {
			shown.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// scrapes is how many connections wait at the address of the metrics.
const scrapes = 8

// listen shows the metrics at an address of their own, "" for none, until stop is called.
func (o *observer) listen(address string, logger *log.Logger) (stop func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("can't listen on %s (%w); choose another address with --metrics-addr, such "+
			"as 127.0.0.1:0 for a free port", address, err)
	}
	server := newServer(harmless(metrics.Alone(o.metrics)), logger)
	waiting := lobby.New(listener, scrapes, logger)
	server.ConnContext, server.ConnState = waiting.Context, waiting.State
	go server.Serve(waiting)
	logger.Print("metrics at http://" + listener.Addr().String() + metrics.Path)
	return func() { server.Close() }, nil
}

// close sends the remaining spans, until ctx ends.
func (o *observer) close(ctx context.Context) {
	if o.spans != nil {
		o.spans.Close(ctx)
	}
}
