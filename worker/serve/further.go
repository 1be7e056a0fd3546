package serve

import (
	"net/http"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
)

// further is what a stream goes on with once its head went out: the calls of the first of choices, if no head came within HeadWait and the
// upstream then can't answer, and of the next round of an answer that takes several.
type further struct {
	plan    *plan
	stream  *relayed
	request *http.Request
	body    []byte // the client's
	choices []endpoint.Choice
}

// of returns f for a stream; nil: the stream goes on with nothing.
func (f *further) of(s *relayed) *further {
	f.stream, s.rest = s, len(f.choices) > 0
	if !s.rest && s.rounds == nil {
		return nil
	}
	return f
}

// goOn makes the calls of f, each when the stream waits for it. If the stream waits for no call any more, the goroutine waits until the
// request is over.
//
//go:noinline
func (f *further) goOn() {
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

// tryNext makes c the upstream of the stream s, and returns the call of it.
func (h *plan) tryNext(r *http.Request, s *relayed, body []byte, c *endpoint.Choice) bridge.Call {
	if h.counted {
		h.attempts.begin(h.host, c)
	}
	err := tenant.Unseal(h.host, c.Upstream)
	var t translation
	if err == nil {
		t, err = h.translate(r, c, body)
	}
	if err != nil {
		h.attempts.unasked()
		h.taken = false
		s.reason = err // a call without a URL fails, and s then ends the stream with this reason
		return bridge.Call{}
	}
	s.asked, s.stream = asked{t.exchange, c.Upstream, t.call.URL}, t.exchange.Stream()
	s.rounds = h.rounds(t, c.Upstream)
	h.sentTo(c, t.exchange)
	h.taken = true
	h.tag(&t.call, c.Upstream)
	return t.call
}
