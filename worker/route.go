//go:build js && wasm

package main

import (
	"net/http"
	"strings"

	"edgelingua/worker/endpoint"
)

// route is what a path serves.
type route struct {
	client  string                                           // the protocol of whoever asks for it
	methods string                                           // the ones that it takes, as the header allow has them
	serve   func(*answer, *http.Request, *endpoint.Endpoint) // nil: a greeting, for which no key is needed
}

const (
	posts = http.MethodPost
	gets  = http.MethodGet + ", " + http.MethodHead
)

// routeOf returns the route of a request, and whether its path is one that is served. An unknown path gets the protocol that its
// client most likely speaks, for the error.
func routeOf(r *http.Request) (to route, served bool) {
	byHeaders := "chat"
	if r.Header.Get("anthropic-version") != "" || r.Header.Get("x-api-key") != "" {
		byHeaders = "anthropic"
	}
	switch path := r.URL.Path; {
	case path == "/v1/messages":
		return route{"anthropic", posts, (*answer).converse}, true
	case path == "/v1/chat/completions":
		return route{"chat", posts, (*answer).converse}, true
	case path == "/v1/responses":
		return route{"responses", posts, (*answer).converse}, true
	case path == "/v1/messages/count_tokens":
		return route{"anthropic", posts, (*answer).count}, true
	case path == "/v1/responses/input_tokens":
		return route{"responses", posts, (*answer).count}, true
	case strings.HasPrefix(path, responsesPath):
		return storedRoute(path)
	case path == "/v1/models", isModel(path):
		return route{byHeaders, gets, (*answer).models}, true
	case path == "/", path == "/api/hello":
		return route{"anthropic", gets, nil}, true
	case strings.HasPrefix(path, "/v1/messages/"), strings.HasPrefix(path, "/api/"):
		return route{client: "anthropic"}, false
	}
	return route{client: byHeaders}, false
}

// takes reports whether a route takes a method.
func (to *route) takes(method string) bool {
	for list := to.methods; list != ""; {
		var one string
		if one, list, _ = strings.Cut(list, ", "); one == method {
			return true
		}
	}
	return false
}
