//go:build js && wasm

package main

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/personal"
	"edgelingua/worker/stored"
)

// converse answers a request to a model, by the first of the endpoint's upstreams for that model that does not fail.
func (a *answer) converse(r *http.Request, e *endpoint.Endpoint) {
	limit := maxTranslatedBody
	for i := range e.Upstreams {
		if e.Upstreams[i].Passes(a.client) {
			limit = maxSameBody
		}
	}
	body, err := receive(limit)
	if err != nil {
		a.fail(err)
		return
	}
	a.relayBody(r, e, body)
}

// relayBody answers a client's body. What a limit refuses costs no look at stored responses, and what they refuse is counted.
func (a *answer) relayBody(r *http.Request, e *endpoint.Endpoint, body []byte) {
	choices, err := a.choose(r.URL.Path, e, body)
	if err != nil {
		a.fail(err)
		return
	}
	if !a.admit(r, e, body) {
		return
	}
	if body, err = a.join(e, body); err != nil {
		a.fail(err)
		return
	}
	for len(choices) > 0 && !a.try(r, choices, body) {
		choices = choices[1:]
	}
}

// join finds out what a body has to do with stored responses, and returns it with the conversation that it goes on from.
func (a *answer) join(e *endpoint.Endpoint, body []byte) ([]byte, *ir.Error) {
	if a.client != &responses.API || !e.State.Responses || translator.Check(body) != nil { // what is no JSON, the decoder or the upstream refuses
		return body, nil
	}
	var err *ir.Error
	if a.turn, err = stored.Read(e, body); err != nil {
		return nil, err
	}
	if a.turn.Bound && len(body) > maxTranslatedBody {
		return nil, tooLarge(maxTranslatedBody)
	}
	return a.turn.Join(body, maxTranslatedBody)
}

// choose returns the upstreams for the model that a body asks for, one at least.
func (a *answer) choose(path string, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, *ir.Error) {
	a.asked = translator.Model(a.client, path, body)
	if !e.Allows(a.asked) {
		return nil, &ir.Error{Kind: ir.Permission, Message: "This endpoint does not allow the model " + a.asked[:min(len(a.asked), maxModel)] + "."}
	}
	choices := e.Choose(a.asked)
	if len(choices) == 0 {
		return nil, &ir.Error{Kind: ir.NotFound, Code: "model_not_found", Message: "No upstream of this endpoint serves the model " +
			a.asked + ". GET /v1/models lists what it serves."}
	}
	return choices, nil
}

// try sends a request to the first of the upstreams. It returns false, and has not answered, where the next is to be tried. A
// request that could pass, but for reasoning of other vendors in its history, is translated, unless it is too large for that.
func (a *answer) try(r *http.Request, choices []endpoint.Choice, body []byte) (answered bool) {
	c, more := &choices[0], len(choices) > 1
	a.w.Header().Del(headerLost)
	a.sentTo(c, nil)
	if err := personal.Unseal(c.Upstream); err != nil {
		a.fail(err)
		return true
	}
	if !a.turn.Bound && c.Passes(a.client) && a.counts(r, c, body) && (len(body) > maxTranslatedBody || !translator.HoldsForeign(a.client, body)) {
		return a.pass(r, c, body, more)
	}
	t, err := a.translate(r, c, body)
	if err != nil {
		a.fail(err)
		return true
	}
	a.sentTo(c, t.exchange)
	if c.Endpoint.Policy.LoopGuard {
		a.reportLoop(t.exchange.Request)
	}
	faults.Trap(r, "after")
	return a.relay(r, t, body, choices)
}

// tryRest asks the upstreams that are left, one after the other, for a stream whose head has gone out before that of its upstream
// came. It is over when one gives a head, or the last one gives none.
func (a *answer) tryRest(r *http.Request, s *relayed, body []byte, choices []endpoint.Choice) {
	if len(choices) == 0 {
		return
	}
	s.next = make(chan bool, 1)
	a.w.(interface{ Ready() }).Ready() // the client does not wait for the handler to return
	for len(choices) > 0 {
		<-s.next
		c := &choices[0]
		if choices = choices[1:]; len(choices) == 0 {
			s.next = nil
		}
		err := personal.Unseal(c.Upstream)
		var t translation
		if err == nil {
			t, err = a.translate(r, c, body)
		}
		if err != nil {
			s.reason, t.call = err, bridge.Call{} // which fails, and ends the stream
		} else {
			s.exchange, s.stream = t.exchange, t.exchange.Stream()
			a.sentTo(c, t.exchange)
		}
		bridge.Refetch(t.call)
	}
}
