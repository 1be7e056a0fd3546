// Package upstream is how the worker calls upstreams: the request that one gets, and what a client
// is told where none answers.
package upstream

import (
	"net/http"
	"net/url"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Call returns the request to an upstream: a POST, or a GET where body is nil. path follows the
// upstream's base URL. client has the lines that the head takes over from the client's; headers of
// the upstream's settings replace them. The head asks for no compression, since a compressed stream
// comes in the compressor's blocks, not token by token.
func Call(host bridge.Host, u *endpoint.Upstream, path, client string, body []byte) bridge.Call {
	method, lines := http.MethodGet, "accept-encoding: identity\n"+client
	if body != nil {
		method, lines = http.MethodPost, "content-type: application/json\n"+lines
	}
	for _, h := range u.API.Headers {
		if !u.Sets(h.Name) && bridge.HeaderOf(client, h.Name) == "" {
			lines = bridge.AppendHeader(lines, h.Name, h.Value)
		}
	}
	if name, before := u.KeyHeader(); u.Key != "" && !u.IsCloudflareAI() && !u.Sets(name) {
		lines = bridge.AppendHeader(lines, name, before+u.Key)
	}
	for _, h := range u.Headers {
		lines = bridge.AppendHeader(lines, h.Name, h.Value)
	}
	if u.Gateway != nil {
		for _, h := range u.Gateway.Headers() {
			lines = bridge.AppendHeader(lines, h.Name, h.Value)
		}
	}
	public := u.Endpoint.Name != ""
	if public {
		local, _ := endpoint.LocalUpstreams(host.Setting)
		public = !local
	}
	return bridge.Call{Method: method, URL: urlOf(u, path), Head: lines, Body: bodyFor(u, path, body),
		Silence: int(u.Silence.Milliseconds()), Public: public}
}

// Again returns a call of an upstream with the body of another request to the same path, in which
// tokens are not counted.
func Again(u *endpoint.Upstream, call bridge.Call, body []byte) bridge.Call {
	call.Body = bodyFor(u, "", body)
	return call
}

// Tag adds to a request through a gateway the header by which the gateway's log knows the request
// with that id.
func Tag(call *bridge.Call, u *endpoint.Upstream, id string) {
	h := endpoint.Metadata(u.Endpoint.Name, id)
	call.Head = bridge.AppendHeader(call.Head, h.Name, h.Value)
}

// Path returns the path of a client's request with its query. A key that stands in the query is
// left out, and then the other parameters are in the order of their names. Any other query goes
// byte for byte.
func Path(r *http.Request, client *ir.API) string {
	query := r.URL.RawQuery
	if client.KeyQuery != "" {
		values := r.URL.Query()
		values.Del(client.KeyQuery)
		query = values.Encode()
	}
	if query == "" {
		return r.URL.Path
	}
	return r.URL.Path + "?" + query
}

// WithQuery returns an upstream's path with the query of a client's request to an upstream of the
// same API, but for the parameters that the path has itself. Vertex AI gets none: "beta" means
// nothing there (Anthropic's own client for it leaves that out), and Google has others that say
// what the answer shows, as "fields" (docs.cloud.google.com/apis/docs/system-parameters), by which
// it would lose what is counted.
func WithQuery(path string, r *http.Request, client *ir.API, u *endpoint.Upstream) string {
	_, query, _ := strings.Cut(Path(r, client), "?")
	if query == "" || u.IsVertex() {
		return path
	}
	if client.Query != nil {
		values, kept := r.URL.Query(), url.Values{}
		for _, name := range client.Query {
			if values.Has(name) {
				kept.Set(name, values.Get(name))
			}
		}
		if query = kept.Encode(); query == "" {
			return path
		}
	}
	if bare, own, ok := strings.Cut(path, "?"); ok {
		return withQuery(bare+"?"+query, "?"+own)
	}
	return path + "?" + query
}

// withQuery returns a path with one more query, "" or with its "?", in the place of those
// parameters of the path that it has itself.
func withQuery(path, query string) string {
	bare, rest, ok := strings.Cut(path, "?")
	if query == "" || !ok {
		return path + query
	}
	set, _ := url.ParseQuery(query[1:])
	values, _ := url.ParseQuery(rest)
	for name := range set {
		values.Set(name, set.Get(name))
	}
	return bare + "?" + values.Encode()
}

// PassedHeaders returns those headers of a client's request, as lines, that an upstream of its own
// protocol may act on: those that any API's clients are known to send, since the upstream may be a
// gateway to another API's vendor. They are known by name: a list of what must not pass would never
// have every header in which a credential can stand. verbatim: the body passes as it is, and so do
// the headers that say what form it has.
func PassedHeaders(r *http.Request, u *endpoint.Upstream, verbatim bool) (lines string) {
	for key := range r.Header {
		name := strings.ToLower(key)
		if passes(name, u, verbatim) && !u.Sets(name) {
			lines = bridge.AppendHeader(lines, name, r.Header.Get(key))
		}
	}
	return lines
}

// NeededHeaders returns as lines the headers that the upstream needs for a request. Those in the
// upstream's settings hold in their place.
func NeededHeaders(list []ir.Header, u *endpoint.Upstream) (lines string) {
	for _, h := range list {
		if !u.Sets(h.Name) {
			lines = bridge.AppendHeader(lines, h.Name, h.Value)
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
		if ir.Among(api.ClientHeaders, name) || u.Endpoint.Forward && ir.Among(api.AccountHeaders, name) ||
			verbatim && ir.Among(api.BodyHeaders, name) {
			return true
		}
	}
	return false
}
