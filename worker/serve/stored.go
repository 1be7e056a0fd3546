package serve

import (
	"net/http"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// storedResponse answers with a stored response, or deletes it.
//
//go:noinline
func (h *record) storedResponse(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	if r.Method == http.MethodDelete {
		return jsonReply(stored.Delete(h.host, e, h.client.Stored, idIn(r, h.client)))
	}
	body, found, err := stored.Follow(h.host, e, h.client.Stored, idIn(r, h.client), r.URL.Query())
	if err != nil {
		return nil, err
	}
	if found {
		h.header.Set("cache-control", "no-cache")
		return &reply{status: http.StatusOK, contentType: typeSSE, body: body}, nil
	}
	out, streams, err := stored.Get(h.host, e, h.client.Stored, idIn(r, h.client), r.URL.Query())
	if !streams || err != nil {
		return jsonReply(out, err)
	}
	return h.streamReply(out)
}

// inputItems answers with a page of a stored response's input items.
//
//go:noinline
func (h *record) inputItems(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	return jsonReply(stored.InputItems(h.host, e, h.client.Stored, idIn(r, h.client), r.URL.Query()))
}

// submit continues a stored response with the outputs of its tool calls.
//
//go:noinline
func (h *record) submit(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	body, err := receive(r, h.host, maxTranslatedBody)
	if err == nil {
		body, err = stored.Submission(h.host, e, h.client.Stored, idIn(r, h.client), body)
	}
	if err != nil {
		h.attempts.returnProbes(h.host, e, nil)
		return nil, err
	}
	return h.newPlan().answer(r, e, body)
}

// cancel ends a response that runs in the background.
//
//go:noinline
func (h *record) cancel(r *http.Request, e *endpoint.Endpoint) (*reply, error) {
	return jsonReply(stored.Cancel(h.host, e, h.client.Stored, idIn(r, h.client)))
}

// detach has the answer run to its end in the background, whether or not the client listens.
//
//go:noinline
func (p *plan) detach(a *reply) (*reply, error) {
	if err := p.conversation.Detach(p.clientModel); err != nil {
		return nil, err
	}
	return a, nil
}
