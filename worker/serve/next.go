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
// more, AwaitNextRequest does not return: the goroutine ends with the instance, or with the request
// of a host in the same process.
//
//go:noinline
func (f *nextRequests) run() {
	// The pump makes these requests, since keep-alives, timeouts and the end of the client are the
	// pump's: a search beside the pump would need all three again.
	p, s := f.plan, f.stream
	for s.hasFallback || s.rounds != nil {
		p.host.AwaitNextRequest()
		if !s.awaitsFallback {
			p.host.Refetch(s.nextRequest())
			continue
		}
		s.awaitsFallback = false
		c := &f.choices[0]
		f.choices = f.choices[1:]
		s.hasFallback = len(f.choices) > 0
		p.host.Refetch(p.tryNext(f.request, s, f.body, c))
	}
}

// tryNext makes c the upstream of the stream s and returns the upstream request.
func (p *plan) tryNext(r *http.Request, s *translatedStream, body []byte, c *endpoint.Choice) bridge.Call {
	if p.account.counts {
		p.attempts.begin(p.host, c)
	}
	err := tenant.Unseal(p.host, c.Upstream)
	var t translation
	if err == nil {
		t, err = p.translate(r, c, body)
	}
	if err != nil {
		p.attempts.removeLast()
		p.last.billable = false
		s.failure = err // a Call without a URL fails, and s then ends the stream with this reason
		return bridge.Call{}
	}
	s.upstreamRequest = upstreamRequest{t.exchange, c.Upstream, t.call.URL}
	s.stream = translator.WorkerStream{Stream: t.exchange.Stream()}
	s.rounds = p.newRounds(t, c.Upstream)
	p.setLast(c, t.exchange)
	p.last.billable = true
	if p.account.counts {
		p.insure(true)
	}
	p.tag(&t.call, c.Upstream)
	return t.call
}
