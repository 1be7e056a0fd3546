package serve

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
)

// nextRequests makes the further upstream requests of a stream after the stream's head went out.
// There are two kinds: a fallback to the first of choices, if no head came within HeadWait and the
// upstream then fails, and the next round of an answer in several rounds.
type nextRequests struct {
	plan    *plan
	stream  *translatedStream
	request *http.Request
	body    []byte // the client's body
	choices []endpoint.Choice
}

// attach attaches f to a stream and returns f. nil: the stream needs no further requests.
func (f *nextRequests) attach(s *translatedStream) *nextRequests {
	f.stream, s.hasFallback = s, len(f.choices) > 0
	if !s.hasFallback && s.rounds == nil {
		return nil
	}
	return f
}

// run makes the further requests of f, each when the stream waits for it. Once the stream needs no
// more, AwaitNextRequest blocks the goroutine until the request is over.
//
//go:noinline
func (f *nextRequests) run() {
	// The pump makes these requests, since keep-alives, timeouts and the end of the client are the
	// pump's: a search beside the pump would need all three again.
	h, s := f.plan, f.stream
	for s.hasFallback || s.rounds != nil {
		h.host.AwaitNextRequest()
		if !s.awaitsFallback {
			h.host.Refetch(s.nextRequest())
			continue
		}
		s.awaitsFallback = false
		c := &f.choices[0]
		f.choices = f.choices[1:]
		s.hasFallback = len(f.choices) > 0
		h.host.Refetch(h.tryNext(f.request, s, f.body, c))
	}
}

// tryNext makes c the upstream of the stream s and returns the upstream request.
func (h *plan) tryNext(r *http.Request, s *translatedStream, body []byte, c *endpoint.Choice) bridge.Call {
	if h.account.counts {
		h.attempts.begin(h.host, c)
	}
	err := tenant.Unseal(h.host, c.Upstream)
	var t translation
	if err == nil {
		t, err = h.translate(r, c, body)
	}
	if err != nil {
		h.attempts.removeLast()
		h.last.billable = false
		s.failure = err // a Call without a URL fails, and s then ends the stream with this reason
		return bridge.Call{}
	}
	s.upstreamRequest = upstreamRequest{t.exchange, c.Upstream, t.call.URL}
	s.stream = translator.WorkerStream{Stream: t.exchange.Stream()}
	s.rounds = h.newRounds(t, c.Upstream)
	h.setLast(c, t.exchange)
	h.last.billable = true
	if h.account.counts {
		h.insure(true)
	}
	h.tag(&t.call, c.Upstream)
	return t.call
}
