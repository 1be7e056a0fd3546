package host

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"edgelingua/wasmtest/google"
	"edgelingua/wasmtest/seal"
)

// request is the Request that handleRequest gets, without headers and body: the program gets those
// through the bridge.
type request struct {
	method, url string
	headers     *headers
}

// newRequest describes r to the program. The host in its URL is the one that the client named.
func newRequest(r *http.Request) *request {
	return &request{method: r.Method, url: urlOf(r), headers: newHeaders(nil)}
}

func urlOf(r *http.Request) string { return "http://" + r.Host + r.URL.RequestURI() }

// readable reports whether the program reads the same path from the URL of a request that this host
// reads from the request, and so the name of the same endpoint. A Host of "%zz" makes no URL, and
// with "POST x::80/u/anna HTTP/1.1" net/http takes x for a scheme.
func readable(r *http.Request) bool {
	u, err := url.Parse(urlOf(r))
	return err == nil && r.URL.Opaque == "" && strings.TrimPrefix(u.Path,
		"/") == strings.TrimPrefix(r.URL.Path, "/")
}

func (r *request) kind() string { return "Request" }

func (r *request) get(key string) (v value, known bool) {
	switch key {
	case "method":
		return r.method, true
	case "url":
		return r.url, true
	case "headers":
		return r.headers, true
	case "body":
		return null{}, true
	}
	return nil, false
}

// clientHead implements the bridge's clientHead: the head of the client's request. cf-connecting-ip
// is the address of the connection, as Cloudflare sets it, whatever the client has sent.
func clientHead(r *http.Request) string {
	h := newHeaders(r.Header)
	if r.Host != "" {
		h.fields["host"] = []string{r.Host}
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	h.fields["cf-connecting-ip"] = []string{address}
	return h.head()
}

// settings implements the bridge's settings: the vars and secrets, without the master keys
// (SEAL_KEY...).
func settings(env map[string]string) string {
	var s strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if name == "UPSTREAM_KEY" {
			value = google.WithoutPrivateKey(value)
		}
		if !seal.Master(name) {
			s.WriteString(name + "\x00" + value + "\x00")
		}
	}
	return s.String()
}

// readableStream is a body that the program hands on without looking into it. A stream of the
// bridge fills it.
type readableStream struct{ stream stream }

func (s *readableStream) kind() string { return "ReadableStream" }

func (s *readableStream) get(string) (v value, known bool) { return nil, false }
