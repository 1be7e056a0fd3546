package serve

import (
	"bytes"
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
)

// count answers with the tokens of a request: the count of an upstream of the client's own
// protocol, or an estimate. It estimates if the upstream has no path for counts (FAULTS 93), speaks
// another protocol, would not get the tools as the client sent them, or would reject another vendor's
// blocks in the body. A count never runs a model.
//
//go:noinline
func (h *record) count(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	body, err := receive(r, h.host, maxTranslatedBody)
	p := h.newPlan()
	var choices []endpoint.Choice
	if err == nil {
		choices, err = p.choose(r, e, body)
	}
	if err == nil {
		body, err = p.join(e, body)
	}
	if err != nil {
		return nil, err
	}
	for choices = h.attempts.order(choices); ; choices = choices[1:] {
		if a, err := p.countBy(r, choices, body); err != errNext {
			return a, err
		}
	}
}

// countBy answers with the count of the first of choices, or with an estimate. It returns errNext
// if the next upstream is to be tried.
func (p *plan) countBy(r *http.Request, choices []endpoint.Choice, body []byte) (*reply, error) {
	c, more := &choices[0], len(choices) > 1
	p.setLast(c, nil)
	if more { // the next upstream gets the client's body unchanged
		body = bytes.Clone(body)
	}
	body = passing.ReplaceModel(body, func(string) string { return c.Model })
	if p.client == c.API && !c.Endpoint.Policy.Cuts() && !passing.HoldsForeign(p.client, body) &&
		c.AcceptsTools(c.Model, body) && !needsWebTools(c, body) {
		if err := tenant.Unseal(p.host, c.Upstream); err != nil {
			return nil, err
		}
		call := p.forwarded(r, c.Upstream, c.CountPath(), body)
		head, failed := p.fetch(c.Upstream, call)
		switch {
		case more && upstream.Fails(head.Status, failed):
			return nil, errNext
		case failed != nil:
			return nil, upstream.Unreached(failed.Error())
		// Most servers that speak Messages lack the path: Ollama's documentation lists count_tokens
		// as unsupported. For a missing model, the request itself will fail.
		case head.Status != http.StatusNotFound && head.Status != http.StatusMethodNotAllowed:
			return p.passAnswer(head, c.Upstream, call.URL)
		}
		p.host.Read(upstream.MaxError, 0) // so that the host can reuse the connection
	}
	out, err := translator.AppendCount(nil, p.client, p.path, body, &c.Endpoint.Policy)
	if err != nil {
		err = p.conversation.Relocate(err)
	}
	return jsonReply(out, err)
}
