package host

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"edgelingua/wasmtest/seal"
)

// request is the Request of the client, without headers and body: the program takes those through the bridge.
type request struct {
	method, url string
	headers     *headers
}

// newRequest describes r to the program. The address of the host is what the client called it by.
func newRequest(r *http.Request) *request {
	return &request{method: r.Method, url: "http://" + r.Host + r.URL.RequestURI(), headers: newHeaders(nil)}
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

// clientHead returns the head of the client's request for the bridge.
func clientHead(r *http.Request) string {
	h := newHeaders(r.Header)
	if r.Host != "" {
		h.fields["host"] = []string{r.Host}
	}
	return h.head()
}

// settings returns the variables and secrets for the bridge: all but the master keys.
func settings(env map[string]string) string {
	var s strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !seal.Master(name) {
			s.WriteString(name + "\x00" + env[name] + "\x00")
		}
	}
	return s.String()
}

// readableStream is a body that the program passes around and never looks into: a stream of the bridge fills it.
type readableStream struct{ stream stream }

func (s *readableStream) kind() string { return "ReadableStream" }

func (s *readableStream) get(string) (v value, known bool) { return nil, false }
