//go:build js && wasm

package main

import (
	"net/http"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// responseID returns the id of the response that a path names.
func (a *answer) responseID(r *http.Request) string {
	_, id, _ := a.client.Route(r.URL.Path)
	return id
}

// storedResponse answers with a stored response, or deletes it.
func (a *answer) storedResponse(r *http.Request, e *endpoint.Endpoint) {
	if r.Method == http.MethodDelete {
		a.sendJSON(stored.Delete(e, a.responseID(r)))
		return
	}
	a.sendJSON(stored.Get(e, a.responseID(r), r.URL.Query()))
}

// inputItems answers with a page of the items that a stored response has answered.
func (a *answer) inputItems(r *http.Request, e *endpoint.Endpoint) {
	a.sendJSON(stored.InputItems(e, a.responseID(r), r.URL.Query()))
}

// submit goes on from a stored response with the outputs of its calls.
func (a *answer) submit(r *http.Request, e *endpoint.Endpoint) {
	body, err := receive(maxTranslatedBody)
	if err == nil {
		body, err = stored.Submission(e, a.responseID(r), body)
	}
	if err != nil {
		a.fail(err)
		return
	}
	a.relayBody(r, e, body)
}

// cancel refuses: nothing runs in the background.
func (a *answer) cancel(*http.Request, *endpoint.Endpoint) { a.fail(stored.NoCancel()) }
