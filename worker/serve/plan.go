package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// plan is the plan of an answer to a client's body.
type plan struct {
	*record
	// the client's body or, if passing.Single read it, only the members for model, stream and the
	// like
	members []byte
	// the request, a frame of a WebSocket, only prepares the next one: no model is called
	prepares bool
	// the stored responses, or the connection's memory, from which the request continues
	conversation stored.Conversation
}

func (h *record) newPlan() *plan {
	p := &plan{record: h}
	if h.socket {
		h.host.Remember(p.conversation.Remember)
	}
	return p
}

// converse answers a request to a model. It tries the endpoint's upstreams for the model in order
// until one does not fail. If one of them may get the body unchanged, the limit for the body is
// higher.
func (h *record) converse(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	limit := maxTranslatedBody
	for i := range e.Upstreams {
		if e.Upstreams[i].Passes(h.client) {
			limit = maxSameBody
		}
	}
	body, err := receive(r, h.host, limit)
	p := h.newPlan()
	if err == nil && h.socket {
		body, p.prepares, err = stored.Frame(body)
	}
	if err != nil {
		h.attempts.returnProbes(h.host, e, nil)
		return nil, err
	}
	return p.answer(r, e, body)
}

// answer answers a client's body.
func (h *plan) answer(r *http.Request, e *endpoint.Endpoint, body []byte) (*reply, error) {
	choices, body, err := h.resolve(r, e, body)
	if err != nil {
		return nil, err
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

// resolve returns the upstreams to try, in order, and their body. It checks the limits before it
// reads the store: a request over a limit causes no read, and a request with an unknown
// previous_response_id still counts. As with read, its stack of 1 KB is free again when the request
// is served.
//
//go:noinline
func (h *plan) resolve(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, []byte,
	error) {
	choices, err := h.choose(r, e, body)
	h.attempts.returnProbes(h.host, e, choices)
	if err != nil {
		return nil, nil, err
	}
	if h.prepares {
		h.attempts.returnProbes(h.host, e, nil)
		return choices, body, nil
	}
	if e.NeedsPrice() {
		if choices, err = h.priced(choices); err != nil {
			h.attempts.returnProbes(h.host, e, nil)
			return nil, nil, err
		}
	}
	if err := h.admit(r, e, h.members); err != nil {
		return nil, nil, err
	}
	if h.account.overBudget {
		if len(choices) == 1 {
			h.header.Set("x-should-retry", "false")
			return nil, nil, &ir.Error{Kind: ir.RateLimit,
				Message: "The budget of this endpoint is spent, and no further upstream serves the model " +
					shown(h.clientModel) + "."}
		}
		choices = choices[1:]
	}
	h.attempts.returnProbes(h.host, e, choices)
	if body, err = h.join(e, body); err != nil {
		return nil, nil, err
	}
	return h.attempts.order(choices), body, nil
}

// join adds stored responses and the connection's memory to a body. It returns the body with the
// stored conversation before the input, or body itself without a conversation.
func (h *plan) join(e *endpoint.Endpoint, body []byte) ([]byte, error) {
	// Bodies other than JSON are refused by the decoder or the upstream.
	if !h.socket && (!h.client.Stores || !e.State.Responses) || passing.Check(body) != nil {
		return body, nil
	}
	if err := h.conversation.Read(h.host, e, body, h.socket, h.appendNotes); err != nil {
		return nil, err
	}
	if h.conversation.Translates && len(body) > maxTranslatedBody {
		return nil, tooLarge(maxTranslatedBody)
	}
	if passing.Asks(h.client, h.path) == ir.Compact {
		body = h.conversation.Compact(body)
	}
	return h.conversation.Join(body, maxTranslatedBody)
}

// choose returns the upstreams for the client's model, at least one. If the endpoint limits models
// or counts usage, choose refuses a request that two servers could read in different ways.
func (h *plan) choose(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, error) {
	h.members = body
	if e.Single() {
		var err error
		if h.members, err = passing.Single(h.client, h.path, body, e.OneModel()); err != nil {
			return nil, err
		}
	}
	h.clientModel = passing.Model(h.client, h.path, h.members)
	if !e.Allows(h.clientModel) {
		return nil, &ir.Error{Kind: ir.Permission, Message: "This endpoint does not allow the model " +
			shown(h.clientModel) + "."}
	}
	choices := e.Choose(h.clientModel)
	if entitled := e.Entitled(choices); len(entitled) < len(choices) {
		if choices = entitled; len(choices) == 0 {
			return nil, &ir.Error{Kind: ir.Permission,
				Message: "The upstream of the model " + shown(h.clientModel) +
					" is at another server than the " +
					"endpoint's first one, so it does not get your key. Its operator gives it an " +
					"endpoint of " +
					"its own, or takes back \"auth\":\"forward\"."}
		}
	}
	if len(choices) == 0 {
		return nil, &ir.Error{Kind: ir.NotFound, Code: "model_not_found",
			Message: "No upstream of this endpoint serves the model " +
				h.clientModel[:min(len(h.clientModel), maxModel)] + ". " + e.ModelsHint() +
				ir.DidYouMean(h.clientModel, strings.Join(e.Names(), " "))}
	}
	return choices, nil
}
