package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// plan answers a client's body: it tries the upstreams in order, and passes, translates or streams
// the answer of the first that can answer. It has what only such requests need in addition to
// record.
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
func (p *plan) answer(r *http.Request, e *endpoint.Endpoint, body []byte) (*reply, error) {
	choices, body, err := p.resolve(r, e, body)
	if err != nil {
		return nil, err
	}
	if p.prepares {
		return p.prepare(e, &choices[0], body)
	}
	for ; ; choices = choices[1:] {
		a, err := p.attempt(r, choices, body)
		switch {
		case err == errNext:
			continue
		case err == nil && p.conversation.Background:
			return p.detach(a)
		}
		return a, err
	}
}

// resolve returns the upstreams to try, in order, and their body. It checks the limits before it
// reads the store: a request over a limit causes no read, and a request with an unknown
// previous_response_id still counts. As with read, its stack of 1 KB is free again when the request
// is served.
//
//go:noinline
func (p *plan) resolve(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, []byte,
	error) {
	choices, err := p.choose(r, e, body)
	p.attempts.returnProbes(p.host, e, choices)
	if err != nil {
		return nil, nil, err
	}
	if p.prepares {
		p.attempts.returnProbes(p.host, e, nil)
		return choices, body, nil
	}
	if whose := e.NeedsPrice(); whose != "" {
		if choices, err = p.priced(choices, whose); err != nil {
			p.attempts.returnProbes(p.host, e, nil)
			return nil, nil, err
		}
	}
	if err := p.admit(r, e, p.members); err != nil {
		return nil, nil, err
	}
	if e.LogTime > 0 {
		p.attempts.logged = true
		p.noteClient(r, e, body)
	}
	if wait := p.account.overBudget; wait > 0 {
		if len(choices) == 1 {
			p.account.refused = true
			return nil, nil, p.budgetSpent(wait, "The budget of this endpoint is spent, and no further "+
				"upstream serves the model "+shown(p.clientModel)+".")
		}
		p.attempts.avoid(choices[:1], "budget")
		choices = choices[1:]
	}
	p.attempts.returnProbes(p.host, e, choices)
	if p.client.Advisor && e.Advisor.Model != "" {
		p.setAdvisor(e)
	}
	if body, err = p.join(e, body); err != nil {
		return nil, nil, err
	}
	return p.attempts.order(choices), body, nil
}

// join adds stored responses and the connection's memory to a body. It returns the body with the
// stored conversation before the input, or body itself without a conversation.
func (p *plan) join(e *endpoint.Endpoint, body []byte) ([]byte, error) {
	// Bodies other than JSON are refused by the decoder or the upstream.
	if !p.socket && (p.client.Stored == nil || !e.State.Responses) || passing.Check(body) != nil {
		return body, nil
	}
	if err := p.conversation.Read(p.host, e, p.client, body, p.socket, p.appendNotes); err != nil {
		return nil, err
	}
	if p.conversation.Translates && len(body) > maxTranslatedBody {
		return nil, tooLarge(maxTranslatedBody)
	}
	if passing.Asks(p.client, p.path) == ir.Compact {
		body = p.conversation.Compact(body)
	}
	return p.conversation.Join(body, maxTranslatedBody)
}

// choose returns the upstreams for the client's model, at least one. If the endpoint limits models
// or counts usage, choose refuses a request that two servers could read in different ways.
func (p *plan) choose(r *http.Request, e *endpoint.Endpoint, body []byte) ([]endpoint.Choice, error) {
	p.members = body
	// this server asks its own advisor, whatever the body names: see checkAdvisor
	own := passing.Own{Background: e.RunsBackground(p.client),
		Advisor: p.client.Advisor && e.Advisor.Model != ""}
	if e.Single() {
		var err error
		if p.members, err = passing.SingleBut(p.client, p.path, body, e.OneModel(), own); err != nil {
			return nil, err
		}
	}
	p.clientModel = passing.Model(p.client, p.path, p.members)
	if whose := e.Forbids(p.clientModel); whose != "" {
		return nil, &ir.Error{Kind: ir.Permission, Message: "This " + whose + " does not allow the model " +
			shown(p.clientModel) + "."}
	}
	choices := e.Choose(p.clientModel)
	if entitled := e.Entitled(choices); len(entitled) < len(choices) {
		if choices = entitled; len(choices) == 0 {
			return nil, &ir.Error{Kind: ir.Permission,
				Message: "The upstream of the model " + shown(p.clientModel) +
					" is at another server than the " +
					"endpoint's first one, so it does not get your key. Its operator gives it " +
					"an endpoint of its own, or takes back \"auth\":\"forward\"."}
		}
	}
	if len(choices) == 0 {
		return nil, &ir.Error{Kind: ir.NotFound, Code: "model_not_found",
			Message: "No upstream of this endpoint serves the model " +
				p.clientModel[:min(len(p.clientModel), maxModel)] + ". " + e.ModelsHint() +
				ir.DidYouMean(p.clientModel, strings.Join(e.Names(), " "))}
	}
	if own.Advisor && e.OneModel() {
		if err := p.checkAdvisor(e, choices, body, own); err != nil {
			return nil, err
		}
	}
	return choices, nil
}

// checkAdvisor refuses a body with an advisor's model, for an endpoint that limits models, if one of
// choices may get the tool with that model: it runs the tool itself, or it speaks the client's protocol
// and the client has no advisor here.
//
//go:noinline
func (p *plan) checkAdvisor(
	e *endpoint.Endpoint, choices []endpoint.Choice, body []byte, own passing.Own,
) error {
	advises := len(e.Advises()) > 0
	for i := range choices {
		c := &choices[i]
		if !advises && c.API == p.client || c.API.Upstream.Runs(ir.AdvisorTool, c.Target(c.Model)) {
			own.Advisor = false
			_, err := passing.SingleBut(p.client, p.path, body, true, own)
			return err
		}
	}
	return nil
}
