// Package pair translates between a client and a vendor's double in the same process. It handles a
// model request like the worker, but without the module, a runtime or a network. Features of the
// worker itself are missing: keys, limits, fallback, stored responses, web tools run by the worker,
// token counts, model lists, and WebSockets.
package pair

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/passing"
	"edgelingua/wasmtest/corpus"
	"edgelingua/worker/endpoint"
)

const (
	typeJSON = "application/json"
	typeSSE  = "text/event-stream; charset=utf-8"
)

// Lost is the response header that lists the fields lost in translation.
const Lost = "x-edgelingua-lost"

// Pair is an endpoint with one upstream. It is an http.RoundTripper for clients, and accepts
// requests to any host.
type Pair struct {
	upstream *endpoint.Upstream
	vendor   http.Handler

	// Look, unless nil, is called with each answer of the translator before the client receives it.
	// It is not called for passthrough answers.
	Look func(a *Answer)
}

// Answer is an answer written by the translator. Body is a copy, so Look may retain it.
type Answer struct {
	Exchange *translator.Exchange // nil: the request was refused before decoding
	Client   *ir.API
	Own      bool // client and upstream have the same protocol
	Status   int
	Streamed bool
	Body     []byte
}

// New returns the pair of an endpoint with the given variables (UPSTREAM_PROTOCOL, UPSTREAM_URL,
// MODELS, OPTIONS, ...). Its upstream is vendor. Invalid variables are an error.
func New(settings map[string]string, vendor http.Handler) (*Pair, error) {
	u, err := corpus.Upstream(settings)
	if err != nil {
		return nil, err
	}
	return &Pair{upstream: u, vendor: vendor}, nil
}

// RoundTrip implements http.RoundTripper. Requests other than to a model, such as token counts, are
// an error.
func (p *Pair) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	client, operation := translator.APIOf(r.URL.Path, r.Header.Get)
	if operation != ir.Converse {
		return nil, fmt.Errorf("%s asks no model", r.URL.Path)
	}
	q := &question{pair: p, request: r, client: client, path: r.URL.RequestURI()}
	if refused := client.Check(q.path); refused != nil {
		return q.fail(refused), nil
	}
	q.model = p.upstream.Models.Map(passing.Model(client, q.path, body))
	if p.passes(q, body) {
		return q.pass(body), nil
	}
	return q.translate(body), nil
}

// passes reports whether a body goes to the upstream untranslated.
func (p *Pair) passes(q *question, body []byte) bool {
	return p.upstream.Passes(q.client) && !passing.HoldsForeign(q.client, body) &&
		p.upstream.AcceptsTools(q.model, body) &&
		(!passing.Compacted(q.client, q.path, body) || p.upstream.Target(q.model).OwnCompaction)
}

// question is a request of a client.
type question struct {
	pair     *Pair
	request  *http.Request
	client   *ir.API
	path     string // with the query
	model    string // the upstream's model name
	exchange *translator.Exchange
}

// pass relays a body and the upstream's answer without translation. Only the model is replaced.
func (q *question) pass(body []byte) *http.Response {
	u := q.pair.upstream
	body = passing.ReplaceModel(body, func(string) string { return q.model })
	streams, _ := passing.Streams(u.API, q.path, body)
	got := q.ask(streams, nil, body)
	return response(got.status, got.header.Get("Content-Type"), "", got.chunks)
}

// translate translates the body for the upstream and the upstream's answer for the client.
func (q *question) translate(body []byte) *http.Response {
	u := q.pair.upstream
	x, refused := translator.Pair{Client: q.client, Upstream: u.API}.Decode(q.path, body)
	if refused != nil {
		return q.fail(refused)
	}
	q.exchange = x
	x.Request.Model = jsonw.Escape(q.model)
	x.Request.Received = corpus.Received
	corpus.Obey(x, u)
	target := u.Target(q.model)
	if refused := q.compact(target); refused != nil {
		return q.fail(refused)
	}
	if inner := translator.ForWorker(x); inner.IsAnswered() {
		out, failure := inner.AppendSummary(nil)
		return q.answer(out, failure)
	}
	request, refused := x.AppendRequest(nil, target)
	if refused != nil {
		return q.fail(refused)
	}
	got := q.ask(x.Request.Stream, x.Headers(), request)
	switch {
	case got.status >= 400:
		return q.fail(x.UpstreamError(got.status, got.body()))
	case x.Request.Stream && got.isStream():
		lost := x.LostHeader() // later losses are too late for the headers
		chunks := got.through(x.Stream())
		q.look(http.StatusOK, chunks)
		return response(http.StatusOK, typeSSE, lost, chunks)
	case x.Request.Stream:
		_, out := x.StreamOfBody(got.body())
		return q.answer(out, nil)
	case got.isStream():
		out, failure := x.AppendFolded(nil, got.body())
		return q.answer(out, failure)
	}
	out, failure := x.AppendBody(nil, got.body())
	return q.answer(out, failure)
}

// answer responds with a complete body, or with the failure if there is one.
func (q *question) answer(body []byte, failure error) *http.Response {
	if failure != nil {
		return q.fail(failure)
	}
	contentType := typeJSON
	if q.exchange.Request.Stream {
		contentType = typeSSE
	}
	q.look(http.StatusOK, [][]byte{body})
	return response(http.StatusOK, contentType, q.exchange.LostHeader(), [][]byte{body})
}

// fail responds with an error in the form of the client's protocol.
func (q *question) fail(failure error) *http.Response {
	err := ir.AsError(failure)
	body, lost := q.client.Client.AppendError(nil, err), ""
	if q.exchange != nil {
		lost = q.exchange.LostHeader()
	}
	status := q.client.Status(err)
	q.look(status, [][]byte{body})
	return response(status, typeJSON, lost, [][]byte{body})
}

func (q *question) look(status int, chunks [][]byte) {
	if q.pair.Look == nil {
		return
	}
	q.pair.Look(&Answer{
		Exchange: q.exchange, Client: q.client, Own: q.client == q.pair.upstream.API, Status: status,
		Streamed: status < 400 && q.exchange.Request.Stream, Body: bytes.Join(chunks, nil),
	})
}

// ask sends a request to the vendor and returns the recorded answer. needs has additional headers
// for this request.
func (q *question) ask(streams bool, needs []ir.Header, body []byte) *recorder {
	u := q.pair.upstream
	path := u.API.Upstream.Path(url.PathEscape(q.model), streams)
	if q.client == u.API && q.client.Query == nil {
		path = withQuery(path, q.request.URL.RawQuery)
	}
	request, err := http.NewRequestWithContext(q.request.Context(), http.MethodPost,
		endpoint.Join(u.URL, path), bytes.NewReader(body))
	if err != nil {
		panic(err) // New checked the settings
	}
	if q.client == u.API {
		for name := range q.request.Header {
			lower, value := strings.ToLower(name), q.request.Header.Get(name)
			if v := q.client.Version; ir.Among(q.client.ClientHeaders, lower) &&
				(v == nil || lower != v.Header || u.PassesVersion(v, value)) {
				request.Header.Set(name, value)
			}
		}
	}
	for _, h := range u.API.Headers {
		if request.Header.Get(h.Name) == "" {
			request.Header.Set(h.Name, h.Value)
		}
	}
	for _, h := range needs {
		request.Header.Set(h.Name, h.Value)
	}
	name, before := u.KeyHeader()
	request.Header.Set(name, before+u.Key)
	request.Header.Set("Content-Type", typeJSON)
	request.Header.Set("Accept-Encoding", "identity")
	request.RequestURI = request.URL.RequestURI() // as set by an http.Server
	got := &recorder{header: http.Header{}, status: http.StatusOK}
	q.pair.vendor.ServeHTTP(got, request)
	return got
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// response returns a response with a body in chunks. lost is the value of the Lost header, or ""
// for no header.
func response(status int, contentType, lost string, chunks [][]byte) *http.Response {
	header := http.Header{"Content-Type": {contentType}}
	if lost != "" {
		header.Set(Lost, lost)
	}
	readers := make([]io.Reader, len(chunks))
	for i, chunk := range chunks {
		readers[i] = bytes.NewReader(chunk)
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(io.MultiReader(readers...)), ContentLength: -1,
	}
}
