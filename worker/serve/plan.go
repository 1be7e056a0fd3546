package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// plan is how a client's body is answered.
type plan struct {
	*record
	said     []byte      // the client's body, or the part of it that passing.Single returns: what it asks for
	prepares bool        // the request is one of a connection's that no model is asked for
	turn     stored.Turn // what the request has to do with stored responses, and with what its connection remembers
}

func (h *record) newPlan() *plan {
	p := &plan{record: h}
	if h.socket {
		h.host.Remember(p.turn.Remember)
	}
	return p
}

// converse answers a request to a model. The endpoint's upstreams for that model are tried in their order until one does not fail. A
// body that may pass to one of them as it is may be larger.
func (h *record) converse(r *http.Request, e *endpoint.Endpoint) (reply, error) {
	limit := maxTranslatedBody
	for i := range e.Upstreams {
		if e.Upstreams[i].Passes(h.client) {
			limit = maxSameBody
		}
	}
	body, err := receive(h.host, limit)
	p := h.newPlan()
	if err == nil && h.socket {
		body, p.prepares, err = stored.Frame(body)
	}
	if err != nil {
		h.attempts.leave(h.host, e, nil)
		return reply{}, err
	}
	return p.answer(r, e, body)
}

// answer answers a client's body.
func (h *plan) answer(r *http.Request, e *endpoint.Endpoint, body []byte) (reply, error) {
	choices, body, err := h.make(r, e, body)
	if err != nil {
		return reply{}, err
	}
	if h.prepares {
		return h.prepare(e, &choices[0], body)
	}
	for ; ; choices = choices[1:] {
		if a, err := h.attempt(r, choices, body); err != errNext {
			return a, err
		}
	}
}

// make returns the upstreams to try, in their order, and the body for them. Limits are checked before the store is read: a request over a
// limit does not read it, and a request whose previous_response_id is not stored still counts. As read it frees its stack, 1 KB, before the
// request is served.
//
//go:noinline
func (h *plan) make(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, []byte, error) {
	choices, err := h.choose(r, e, body)
	h.attempts.leave(h.host, e, choices)
	if err != nil {
		return nil, nil, err
	}
	if h.prepares {
		h.attempts.leave(h.host, e, nil)
		return choices, body, nil
	}
	if err := h.admit(r, e, h.said); err != nil {
		return nil, nil, err
	}
	if h.overBudget {
		if len(choices) == 1 {
			h.header.Set("x-should-retry", "false")
			return nil, nil, &ir.Error{Kind: ir.RateLimit, Message: "The budget of this endpoint is spent, and no further upstream serves the model " + h.asked[:min(len(h.asked), maxModel)] + "."}
		}
		choices = choices[1:]
	}
	h.attempts.leave(h.host, e, choices)
	if body, err = h.join(e, body); err != nil {
		return nil, nil, err
	}
	return h.attempts.order(choices), body, nil
}

// join notes what a body has to do with stored responses, and returns it with the stored conversation that it goes on from. Where that
// is nothing it returns body.
func (h *plan) join(e *endpoint.Endpoint, body []byte) ([]byte, error) {
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
func (h *plan) choose(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, error) {
	h.said = body
	if e.Single() {
		if coding := r.Header.Get("content-encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
			return nil, &ir.Error{Kind: ir.InvalidRequest, Status: http.StatusUnsupportedMediaType,
				Message: "This endpoint has limits or counts what is used, so it has to read the request's body, and reads none that is compressed. " +
					"Send it without content-encoding."}
		}
		var err error
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
