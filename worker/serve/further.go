package serve

import (
	"net/http"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
)

// further makes the further upstream requests of a stream after the stream's head went out. There
// are two kinds: a fallback to the first of choices, if no head came within HeadWait and the
// upstream then fails, and the next round of an answer in several rounds.
type further struct {
	plan    *plan
	stream  *relayed
	request *http.Request
	body    []byte // the client's body
	choices []endpoint.Choice
}

// of attaches f to a stream and returns f. nil: the stream needs no further requests.
func (f *further) of(s *relayed) *further {
	f.stream, s.rest = s, len(f.choices) > 0
	if !s.rest && s.rounds == nil {
		return nil
	}
	return f
}

// goOn makes the further requests of f, each when the stream waits for it. Once the stream needs no
// more, UntilAgain blocks the goroutine until the request is over.
//
//go:noinline
func (f *further) goOn() {
	// The pump makes these requests, since keep-alives, timeouts and the end of the client are the
	// pump's: a search beside the pump would need all three again.
	h, s := f.plan, f.stream
	for s.rest || s.rounds != nil {
		h.host.UntilAgain()
		if !s.failedOver {
			h.host.Refetch(s.follow())
			continue
		}
		s.failedOver = false
		c := &f.choices[0]
		f.choices = f.choices[1:]
		s.rest = len(f.choices) > 0
		h.host.Refetch(h.tryNext(f.request, s, f.body, c))
	}
}

// tryNext makes c the upstream of the stream s and returns the upstream request.
func (h *plan) tryNext(r *http.Request, s *relayed, body []byte, c *endpoint.Choice) bridge.Call {
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
		s.reason = err // a Call without a URL fails, and s then ends the stream with this reason
		return bridge.Call{}
	}
	s.asked, s.stream = asked{t.exchange, c.Upstream, t.call.URL}, t.exchange.Stream()
	s.rounds = h.rounds(t, c.Upstream)
	h.setLast(c, t.exchange)
	h.last.billable = true
	h.tag(&t.call, c.Upstream)
	return t.call
}
