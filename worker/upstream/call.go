//go:build js && wasm

// Package upstream is how the worker calls upstreams: the request that one gets, and what a client is told where none answers.
package upstream

import (
	"net/http"
	"strings"

	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/settings"
)

// anthropicVersion is the version of the Messages API that the translator speaks. The API refuses requests without one.
const anthropicVersion = "2023-06-01"

// Call returns a request to an upstream: POST, or GET without a body. client holds what its head takes over from the
// client's, as lines; what the upstream's settings hold goes first. No encoding: a compressed stream arrives late.
func Call(u *endpoint.Upstream, path, client string, body []byte) bridge.Call {
	method, lines := http.MethodGet, "accept-encoding: identity\n"+client
	if body != nil {
		method, lines = http.MethodPost, "content-type: application/json\n"+lines
	}
	if u.Protocol == "anthropic" && !u.Sets("anthropic-version") && bridge.HeaderOf(client, "anthropic-version") == "" {
		lines = bridge.AppendHeader(lines, "anthropic-version", anthropicVersion)
	}
	switch {
	case u.Key == "":
	case u.Protocol == "anthropic" && !u.Bearer:
		lines = bridge.AppendHeader(lines, "x-api-key", u.Key)
	default:
		lines = bridge.AppendHeader(lines, "authorization", "Bearer "+u.Key)
	}
	for _, h := range u.Headers {
		lines = bridge.AppendHeader(lines, h.Name, h.Value)
	}
	public := u.Endpoint.Name != "" && !settings.LocalUpstreams()
	return bridge.Call{Method: method, URL: u.URL + path, Head: lines, Body: body, Silence: int(u.Silence.Milliseconds()), Public: public}
}

// WithQuery returns the URL of an upstream request with the client's query, for an upstream of its own protocol.
func WithQuery(url string, r *http.Request) string {
	if r.URL.RawQuery == "" {
		return url
	}
	return url + "?" + r.URL.RawQuery
}

// PassedHeaders returns the headers of a client that an upstream of its own protocol acts on. A list of what may pass, since no
// list of what may not would hold every header in which a credential can stand. verbatim says that the body passes too: else what
// says in which form that is does not.
func PassedHeaders(r *http.Request, u *endpoint.Upstream, verbatim bool) (lines string) {
	for key := range r.Header {
		name := strings.ToLower(key)
		if !verbatim && (name == "content-encoding" || strings.HasPrefix(name, "x-openai-internal-codex-")) {
			continue
		}
		if passes(name, u.Endpoint.Forward) && !u.Sets(name) {
			lines = bridge.AppendHeader(lines, name, r.Header.Get(key))
		}
	}
	return lines
}

// passes says whether a header is one of them. Organization and project belong to the client's account at OpenAI: they pass
// only together with its key.
func passes(name string, forward bool) bool {
	switch name {
	case "anthropic-beta", "anthropic-version", "openai-beta", "content-encoding", "idempotency-key", "x-client-request-id",
		"user-agent", "originator", "session-id", "thread-id":
		return true
	case "openai-organization", "openai-project":
		return forward
	}
	return strings.HasPrefix(name, "x-codex-") || strings.HasPrefix(name, "x-openai-internal-codex-")
}
