//go:build js && wasm

// Package upstream is how the worker calls upstreams: the request that one gets, and what a client is told where none answers.
package upstream

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/settings"
)

// Call returns the request to an upstream: a POST, or a GET where body is nil. path follows the upstream's base URL. client has the
// lines that the head takes over from the client's; headers of the upstream's settings replace them. The head asks for no
// compression, since a compressed stream comes in the compressor's blocks, not token by token.
func Call(u *endpoint.Upstream, path, client string, body []byte) bridge.Call {
	method, lines := http.MethodGet, "accept-encoding: identity\n"+client
	if body != nil {
		method, lines = http.MethodPost, "content-type: application/json\n"+lines
	}
	for _, h := range u.API.Headers {
		if !u.Sets(h.Name) && bridge.HeaderOf(client, h.Name) == "" {
			lines = bridge.AppendHeader(lines, h.Name, h.Value)
		}
	}
	switch {
	case u.Key == "":
	case u.API.KeyHeader != "" && !u.Bearer:
		lines = bridge.AppendHeader(lines, u.API.KeyHeader, u.Key)
	default:
		lines = bridge.AppendHeader(lines, "authorization", "Bearer "+u.Key)
	}
	for _, h := range u.Headers {
		lines = bridge.AppendHeader(lines, h.Name, h.Value)
	}
	public := u.Endpoint.Name != "" && !settings.LocalUpstreams()
	return bridge.Call{Method: method, URL: u.URL + path, Head: lines, Body: body, Silence: int(u.Silence.Milliseconds()), Public: public}
}

// WithQuery returns path with the query of the client's request. client is the client's API: where that lets a key stand in the query, the
// key is the endpoint's and is left out, and the other parameters are in the order of their names. Any other query goes byte for byte.
func WithQuery(path string, r *http.Request, client *ir.API) string {
	query := r.URL.RawQuery
	if client.KeyQuery != "" {
		values := r.URL.Query()
		values.Del(client.KeyQuery)
		query = values.Encode()
	}
	if query == "" {
		return path
	}
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// PassedHeaders returns those headers of a client's request, as lines, that an upstream of its own protocol may act on: those that any
// API's clients are known to send, since the upstream may be a gateway to another API's vendor. They are known by name: a list of what
// must not pass would never have every header in which a credential can stand. verbatim: the body passes as it is, and so do the
// headers that say what form it has.
func PassedHeaders(r *http.Request, u *endpoint.Upstream, verbatim bool) (lines string) {
	for key := range r.Header {
		name := strings.ToLower(key)
		if passes(name, u, verbatim) && !u.Sets(name) {
			lines = bridge.AppendHeader(lines, name, r.Header.Get(key))
		}
	}
	return lines
}

// passes reports whether PassedHeaders takes a header with this name, in lower case.
func passes(name string, u *endpoint.Upstream, verbatim bool) bool {
	switch name {
	case "content-encoding":
		return verbatim
	case "idempotency-key", "user-agent":
		return true
	}
	for _, api := range translator.APIs { // of any API: a gateway may act on headers of a vendor behind it
		if among(api.ClientHeaders, name) || u.Endpoint.Forward && among(api.AccountHeaders, name) || verbatim && among(api.BodyHeaders, name) {
			return true
		}
	}
	return false
}

// among reports whether a list has name, or a beginning of name followed by "*".
func among(list []string, name string) bool {
	for _, known := range list {
		lead, open := strings.CutSuffix(known, "*")
		if name == known || open && strings.HasPrefix(name, lead) {
			return true
		}
	}
	return false
}
