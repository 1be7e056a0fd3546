package serve

import (
	"net/http"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// storedResponse answers with a stored response, or deletes it.
func (h *handler) storedResponse(r *http.Request, e *endpoint.Endpoint) {
	if r.Method == http.MethodDelete {
		h.sendJSON(stored.Delete(h.host, e, idIn(r, h.client)))
		return
	}
	out, streams, err := stored.Get(h.host, e, idIn(r, h.client), r.URL.Query())
	if !streams || err != nil {
		h.sendJSON(out, err)
		return
	}
	h.w.Header().Set("cache-control", "no-cache")
	h.send(200, typeSSE, bridge.Bytes(out))
}

// inputItems answers with a page of the items that a stored response has answered.
func (h *handler) inputItems(r *http.Request, e *endpoint.Endpoint) {
	h.sendJSON(stored.InputItems(h.host, e, idIn(r, h.client), r.URL.Query()))
}

// submit goes on from a stored response with the outputs of its calls.
func (h *handler) submit(r *http.Request, e *endpoint.Endpoint) {
	body, err := receive(h.host, maxTranslatedBody)
	if err == nil {
		body, err = stored.Submission(h.host, e, idIn(r, h.client), body)
	}
	if err != nil {
		h.attempts.leave(h.host, e, nil)
		h.fail(err)
		return
	}
	h.relayBody(r, e, body)
}

// cancel refuses, since no response runs in the background.
func (h *handler) cancel(*http.Request, *endpoint.Endpoint) { h.fail(stored.NoCancel()) }
