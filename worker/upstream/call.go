// Package upstream makes the worker's requests to upstreams, decides which response headers pass,
// and makes the errors for clients when an upstream fails.
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

// Call returns the request to an upstream: a POST, or a GET if body is nil. path is joined to the
// upstream's base URL. client has header lines from the client's request; headers of the upstream's
// settings replace them. The result may share the bytes of body. The request asks for no
// compression, since a compressed stream arrives in the compressor's blocks, not token by token.
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

// NextCall returns the call with the body of another request to the same path. The path must not be
// one for token counts.
func NextCall(u *endpoint.Upstream, call bridge.Call, body []byte) bridge.Call {
	call.Body = bodyFor(u, "", body)
	return call
}

// Tag adds the metadata header with the request's id, for the log of a gateway.
func Tag(call *bridge.Call, u *endpoint.Upstream, id string) {
	h := endpoint.Metadata(u.Endpoint.Name, id)
	call.Head = bridge.AppendHeader(call.Head, h.Name, h.Value)
}

// Path returns the path and query of a client's request. If the client's API allows a key in the
// query, Path removes the key and sorts the remaining parameters by name. Otherwise the query stays
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

// WithQuery returns an upstream's path with the query of a client's request, for an upstream of the
// client's API. If the API has a list of parameters (ir.API.Query), only listed parameters pass.
// Parameters that the path already has win over the client's. Vertex AI gets no query of the
// client: "beta" means nothing at Vertex AI (Anthropic's own client for Vertex AI omits the
// parameter), and Google's parameters such as "fields"
// (docs.cloud.google.com/apis/docs/system-parameters) select the parts of the answer, so the token
// counts could be missing.
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

// withQuery returns a path with a further query, which is "" or begins with "?". Parameters of the
// further query replace the path's parameters of the same name.
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

// PassedHeaders returns, as lines, the headers of a client's request that an upstream of the same
// protocol may act on. Headers known from clients of any API pass, since the upstream may be a
// gateway to another API's vendor. This is an allow-list: no deny-list could name every header that
// may carry a credential. If verbatim is true, the body passes unchanged, so the headers that
// describe its form pass too. A version of an API passes only to servers that know the version.
func PassedHeaders(r *http.Request, u *endpoint.Upstream, verbatim bool) (lines string) {
	for key := range r.Header {
		name := strings.ToLower(key)
		if value := r.Header.Get(key); passes(name, u, verbatim) && !u.Sets(name) &&
			knowsVersion(name, value, u) {
			lines = bridge.AppendHeader(lines, name, value)
		}
	}
	return lines
}

// NeededHeaders returns, as lines, the headers of list, which the upstream needs for a request.
// Headers in the upstream's settings replace them.
func NeededHeaders(list []ir.Header, u *endpoint.Upstream) (lines string) {
	for _, h := range list {
		if !u.Sets(h.Name) {
			lines = bridge.AppendHeader(lines, h.Name, h.Value)
		}
	}
	return lines
}

// passes reports whether PassedHeaders passes a header. name is in lower case.
func passes(name string, u *endpoint.Upstream, verbatim bool) bool {
	switch name {
	case "idempotency-key", "user-agent":
		return true
	}
	known := false
	for _, api := range translator.APIs { // any API: the upstream may be a gateway to another vendor
		if ir.Among(api.AccountHeaders, name) {
			return u.Endpoint.Forward
		}
		known = known || ir.Among(api.ClientHeaders, name) || verbatim && ir.Among(api.BodyHeaders, name)
	}
	return known
}

// knowsVersion reports whether an upstream may get a header of a client's. Headers that name no
// version of an API are known. Without the header Call sends the oldest version, whose requests may
// have all that those of a later version have.
func knowsVersion(name, value string, u *endpoint.Upstream) bool {
	for _, api := range translator.APIs {
		v := api.Version
		if v == nil || v.Header != name || u.PassesVersion(v, value) {
			continue
		}
		if value != v.Newest {
			println("edgelingua: a client names an unknown version of an API; the upstream gets " + v.Oldest)
		}
		return false
	}
	return true
}
