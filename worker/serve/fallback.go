package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/personal"
	"edgelingua/worker/stored"
)

// converse answers a request to a model. The endpoint's upstreams for that model are tried in their order until one does not fail. A
// body that may pass to one of them as it is may be larger.
func (h *handler) converse(r *http.Request, e *endpoint.Endpoint) {
	limit := maxTranslatedBody
	for i := range e.Upstreams {
		if e.Upstreams[i].Passes(h.client) {
			limit = maxSameBody
		}
	}
	body, err := receive(h.host, limit)
	if err == nil && h.socket {
		body, h.prepares, err = stored.Frame(body)
	}
	if err != nil {
		h.attempts.leave(h.host, e, nil)
		h.fail(err)
		return
	}
	h.relayBody(r, e, body)
}

// relayBody answers a client's body.
func (h *handler) relayBody(r *http.Request, e *endpoint.Endpoint, body []byte) {
	choices, body := h.upstreams(r, e, body)
	for len(choices) > 0 && !h.try(r, choices, body) {
		choices = choices[1:]
	}
}

// upstreams returns the upstreams to try, in their order, and the body for them. Where there are none, the request is answered already. Limits are
// checked before the store is read: a request over a limit does not read it, and a request whose previous_response_id is not stored still
// counts. As begin it frees its stack, 1 KB, before the request is served.
//
//go:noinline
func (h *handler) upstreams(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, []byte) {
	choices, err := h.choose(r, e, body)
	h.attempts.leave(h.host, e, choices)
	if err != nil {
		h.fail(err)
		return nil, nil
	}
	if h.prepares {
		h.attempts.leave(h.host, e, nil)
		h.prepare(e, &choices[0], body)
		return nil, nil
	}
	if !h.admit(r, e, h.said) {
		return nil, nil
	}
	if h.overBudget {
		if len(choices) == 1 {
			h.w.Header().Set("x-should-retry", "false")
			h.fail(&ir.Error{Kind: ir.RateLimit, Message: "The budget of this endpoint is spent, and no further upstream serves the model " + h.asked[:min(len(h.asked), maxModel)] + "."})
			return nil, nil
		}
		choices = choices[1:]
	}
	h.attempts.leave(h.host, e, choices)
	if body, err = h.join(e, body); err != nil {
		h.fail(err)
		return nil, nil
	}
	return h.attempts.order(choices), body
}

// join notes what a body has to do with stored responses, and returns it with the stored conversation that it goes on from. Where that
// is nothing it returns body.
func (h *handler) join(e *endpoint.Endpoint, body []byte) ([]byte, *ir.Error) {
	// A body that is no JSON is left for the decoder or the upstream to refuse.
	if !h.socket && (!h.client.Stores || !e.State.Responses) || passing.Check(body) != nil {
		return body, nil
	}
	if err := h.turn.Read(h.host, e, body, h.socket, h.appendNotes); err != nil {
		return nil, err
	}
	if h.turn.Bound && len(body) > maxTranslatedBody {
		return nil, tooLarge(maxTranslatedBody)
	}
	if passing.Asks(h.client, h.path) == ir.Compact {
		body = h.turn.Compact(body)
	}
	return h.turn.Join(body, maxTranslatedBody)
}

// choose returns the upstreams for the model that a request asks for, one at least. Where the endpoint limits or counts what is asked for,
// it refuses a request that servers could read in different ways.
func (h *handler) choose(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, *ir.Error) {
	h.said = body
	if e.Single() {
		if coding := r.Header.Get("content-encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
			return nil, &ir.Error{Kind: ir.InvalidRequest, Status: http.StatusUnsupportedMediaType,
				Message: "This endpoint has limits or counts what is used, so it has to read the request's body, and reads none that is compressed. " +
					"Send it without content-encoding."}
		}
		var err *ir.Error
		if h.said, err = passing.Single(h.client, h.path, body, e.OneModel()); err != nil {
			return nil, err
		}
	}
	h.asked = passing.Model(h.client, h.path, h.said)
	if !e.Allows(h.asked) {
		return nil, &ir.Error{Kind: ir.Permission, Message: "This endpoint does not allow the model " + h.asked[:min(len(h.asked), maxModel)] + "."}
	}
	choices := e.Choose(h.asked)
	if entitled := e.Entitled(choices); len(entitled) < len(choices) {
		if choices = entitled; len(choices) == 0 {
			return nil, &ir.Error{Kind: ir.Permission, Message: "The upstream of the model " + h.asked[:min(len(h.asked), maxModel)] + " is at another server than the " +
				"endpoint's first one, so it does not get your key. Its operator gives it an endpoint of its own, or takes back \"auth\":\"forward\"."}
		}
	}
	if len(choices) == 0 {
		return nil, &ir.Error{Kind: ir.NotFound, Code: "model_not_found", Message: "No upstream of this endpoint serves the model " +
			h.asked + ". " + e.ModelsHint()}
	}
	return choices, nil
}

// passes reports whether a body may go to an upstream as it is: client and upstream speak the same protocol, and neither the settings nor
// what the body holds speak against it. A body that is too large to be translated passes even if passing.HoldsForeign.
func (h *handler) passes(c *endpoint.Choice, body []byte) bool {
	return c.Passes(h.client) && (len(body) > maxTranslatedBody || !passing.HoldsForeign(h.client, body)) &&
		!runsTools(c, body) && (!passing.Compacted(h.client, h.path, body) || c.Target(c.Model).OwnCompaction)
}

// try sends a request to the first of the upstreams. It returns false, and has not answered, where the next is to be tried.
func (h *handler) try(r *http.Request, choices []endpoint.Choice, body []byte) (answered bool) {
	c, more := &choices[0], len(choices) > 1
	h.w.Header().Del(headerLost)
	h.sentTo(c, nil)
	h.taken = false // an earlier one may have taken it, before it was silent for too long
	if h.counted {
		h.attempts.begin(h.host, c)
	}
	if err := personal.Unseal(h.host, c.Upstream); err != nil {
		if more && c.ByServiceAccount() { // Google gives no token, as an upstream gives no answer
			h.attempts.unasked()
			return false
		}
		h.fail(err)
		return true
	}
	if !h.turn.Bound && h.passes(c, body) && h.counts(r, c, h.said) {
		return h.pass(r, c, body, more)
	}
	t, err := h.translate(r, c, body)
	if err != nil {
		if h.compaction.next && more {
			h.compaction.next = false
			return false
		}
		h.fail(err)
		return true
	}
	if t.exchange.IsAnswered() {
		h.summarized(t.exchange)
		return true
	}
	h.sentTo(c, t.exchange)
	if c.Endpoint.Policy.LoopGuard && h.compaction.summary == nil {
		h.reportLoop(t.exchange.Request)
	}
	faults.Trap(h.host, r, "after")
	return h.relay(r, t, body, choices)
}

// goOn makes the calls that the stream s goes on with once its head went out: of the first of choices, if no head came within HeadWait and
// the upstream then can't answer, and of the next round of an answer that takes several. body is the client's. Where s waits for no
// call any more, the goroutine waits until the request is over.
//
//go:noinline
func (h *handler) goOn(r *http.Request, s *relayed, body []byte, choices []endpoint.Choice) {
	s.rest = len(choices) > 0
	if !s.rest && s.chained == nil {
		return
	}
	h.w.Ready() // the client does not wait for the handler to return
	for s.rest || s.chained != nil {
		h.host.UntilAgain()
		if !s.failedOver {
			h.host.Refetch(s.chained.follow(s))
			continue
		}
		s.failedOver = false
		c := &choices[0]
		choices = choices[1:]
		s.rest = len(choices) > 0
		h.host.Refetch(h.tryNext(r, s, body, c))
	}
}

// tryNext makes c the upstream of the stream s, and returns the call of it.
func (h *handler) tryNext(r *http.Request, s *relayed, body []byte, c *endpoint.Choice) bridge.Call {
	if h.counted {
		h.attempts.begin(h.host, c)
	}
	err := personal.Unseal(h.host, c.Upstream)
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
	h.chain(s, t)
	h.sentTo(c, t.exchange)
	h.taken = true
	h.tag(&t.call, c.Upstream)
	return t.call
}
