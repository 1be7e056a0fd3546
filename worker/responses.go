//go:build js && wasm

package main

import (
	"net/http"
	"strings"

	"edgelingua/translator/responses"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored"
)

// responsesPath is what the paths of stored responses begin with; the response's id follows.
const responsesPath = "/v1/responses/"

// storedRoute returns the route of a path that begins with responsesPath.
//
//go:noinline
func storedRoute(path string) (to route, served bool) {
	id, of, _ := strings.Cut(path[len(responsesPath):], "/")
	switch {
	case of == "" && id != "compact" && id != "":
		return route{responses.Name, gets + ", " + http.MethodDelete, (*answer).storedResponse}, true
	case of == "input_items":
		return route{responses.Name, gets, (*answer).inputItems}, true
	case of == "submit_tool_outputs":
		return route{responses.Name, posts, (*answer).submit}, true
	case of == "cancel":
		return route{responses.Name, posts, (*answer).cancel}, true
	}
	return route{client: responses.Name}, false
}

// responseID returns the id of the response that a path names.
func responseID(r *http.Request) string {
	id, _, _ := strings.Cut(r.URL.Path[len(responsesPath):], "/")
	return id
}

// storedResponse answers with a stored response, or deletes it.
func (a *answer) storedResponse(r *http.Request, e *endpoint.Endpoint) {
	if r.Method == http.MethodDelete {
		a.sendJSON(stored.Delete(e, responseID(r)))
		return
	}
	a.sendJSON(stored.Get(e, responseID(r), r.URL.Query()))
}

// inputItems answers with a page of the items that a stored response has answered.
func (a *answer) inputItems(r *http.Request, e *endpoint.Endpoint) {
	a.sendJSON(stored.InputItems(e, responseID(r), r.URL.Query()))
}

// submit goes on from a stored response with the outputs of its calls.
func (a *answer) submit(r *http.Request, e *endpoint.Endpoint) {
	body, err := receive(maxTranslatedBody)
	if err == nil {
		body, err = stored.Submission(e, responseID(r), body)
	}
	if err != nil {
		a.fail(err)
		return
	}
	a.relayBody(r, e, body)
}

// cancel refuses: nothing runs in the background.
func (a *answer) cancel(*http.Request, *endpoint.Endpoint) { a.fail(stored.NoCancel()) }
