package host

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"edgelingua/wasmtest/google"
	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/seal"
)

// newRequest describes r to the program. The host in its URL is the host that the client named.
func newRequest(r *http.Request) *js.Request {
	return &js.Request{Method: r.Method, URL: urlOf(r), Headers: js.NewHeaders(nil)}
}

func urlOf(r *http.Request) string { return "http://" + r.Host + r.URL.RequestURI() }

// readable reports whether the program reads the same path, and so the same endpoint's name, from
// the URL of a request as this host. A Host of "%zz" makes no valid URL, and net/http parses the x
// of "POST x::80/u/anna HTTP/1.1" as a scheme.
func readable(r *http.Request) bool {
	u, err := url.Parse(urlOf(r))
	return err == nil && r.URL.Opaque == "" && strings.TrimPrefix(u.Path,
		"/") == strings.TrimPrefix(r.URL.Path, "/")
}

// clientHead implements the bridge's clientHead: the head of the client's request. cf-connecting-ip
// is always the client's address, as Cloudflare sets it, whatever the client has sent.
func clientHead(r *http.Request, trusted Proxies) string {
	h := js.NewHeaders(r.Header)
	if r.Host != "" {
		h.Set("host", r.Host)
	}
	h.Set("cf-connecting-ip", trusted.client(r))
	return h.Head()
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
