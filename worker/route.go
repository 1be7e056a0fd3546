//go:build js && wasm

package main

import (
	"net/http"
	"strings"
)

// route returns the name of the client protocol of a path, and whether the path is one that is served. An unknown path gets
// the protocol that its client most likely speaks, for the error.
func route(r *http.Request) (client string, served bool) {
	switch path := r.URL.Path; {
	case path == "/v1/messages":
		return "anthropic", true
	case path == "/v1/chat/completions":
		return "chat", true
	case path == "/v1/responses":
		return "responses", true
	case strings.HasPrefix(path, "/v1/messages/"), header(r, "anthropic-version") != "":
		return "anthropic", false
	}
	return "chat", false
}

// header returns a header as the client sent it. syumai/workers splits values at commas; this joins them again.
func header(r *http.Request, name string) string {
	return strings.Join(r.Header.Values(name), ",")
}

// credential is the key that the client presents, or "", and whether it came as a bearer token.
func credential(r *http.Request) (key string, bearer bool) {
	if key := header(r, "x-api-key"); key != "" {
		return key, false
	}
	scheme, key, _ := strings.Cut(header(r, "authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", false
	}
	return strings.TrimSpace(key), true
}
