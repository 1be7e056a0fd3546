package serve

import (
	"errors"
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
)

// errNext is the error of an attempt behind which the next upstream is to be tried.
var errNext = errors.New("the next upstream is to be tried")

// attempt answers by the first of the upstreams. It returns errNext where the next is to be tried.
func (h *plan) attempt(r *http.Request, choices []endpoint.Choice, body []byte) (reply, error) {
	c, more := &choices[0], len(choices) > 1
	h.header.Del(headerLost)
	h.sentTo(c, nil)
	h.taken = false // an earlier one may have taken it, before it was silent for too long
	if h.counted {
		h.attempts.begin(h.host, c)
	}
	if err := tenant.Unseal(h.host, c.Upstream); err != nil {
		if more && c.ByServiceAccount() { // Google gives no token, as an upstream gives no answer
			h.attempts.unasked()
			return reply{}, errNext
		}
		return reply{}, err
	}
	if !h.turn.Bound && h.passes(c, body) && h.counts(c) {
		return h.pass(r, c, body, more)
	}
	t, err := h.translate(r, c, body)
	if err != nil {
		if h.compaction.next && more {
			h.compaction.next = false
			return reply{}, errNext
		}
		return reply{}, err
	}
	if t.exchange.IsAnswered() {
		return h.summarized(t.exchange)
	}
	h.sentTo(c, t.exchange)
	if c.Endpoint.Policy.LoopGuard && h.compaction.summary == nil {
		h.reportLoop(t.exchange.Request)
	}
	faults.Trap(h.host, r, "after")
	return h.relay(r, t, body, choices)
}

// passes reports whether a body may go to an upstream as it is: client and upstream speak the same protocol, and neither the settings nor
// what the body holds speak against it. A body that is too large to be translated passes even if passing.HoldsForeign.
func (h *plan) passes(c *endpoint.Choice, body []byte) bool {
	return c.Passes(h.client) && (len(body) > maxTranslatedBody || !passing.HoldsForeign(h.client, body)) &&
		!runsTools(c, body) && (!passing.Compacted(h.client, h.path, body) || c.Target(c.Model).OwnCompaction)
}

// counts reports whether a body may pass although the endpoint counts tokens. A Chat stream tells its usage only where the client asks
// for it with stream_options.include_usage: without that the request is translated, which asks, unless the upstream can't be asked.
func (h *plan) counts(c *endpoint.Choice) bool {
	if !h.counted {
		return true
	}
	_, counted := passing.Streams(h.client, h.path, h.said)
	return counted || c.Target(c.Model).OmitStreamUsage
}

// runsTools reports whether a body, which may be anything, seems to ask for searches of the web or for pages that are run here: the endpoint has
// the option, and the upstream can't. The body is only searched for bytes: a text that has them makes it true too, and the request is then
// translated without need.
func runsTools(c *endpoint.Choice, body []byte) bool {
	searches, fetches := c.Endpoint.WebSearch.Name != "", c.Endpoint.MaxFetches > 0
	if !searches && !fetches { // the body is not looked at
		return false
	}
	search, fetch := passing.MentionsTools(body)
	if search, fetch = search && searches, fetch && fetches; !search && !fetch {
		return false
	}
	target := c.Target(c.Model)
	return search && !c.API.Upstream.Runs(ir.WebSearchTool, target) || fetch && !c.API.Upstream.Runs(ir.WebFetchTool, target)
}
