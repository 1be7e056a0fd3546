package host

import "net/http"

// request is the Request of the client.
type request struct {
	method, url string
	headers     *headers
	body        value // a readableStream, or null
}

// newRequest describes r to the program. The address of the host is what the client called it by.
func newRequest(r *http.Request) *request {
	described := &request{
		method:  r.Method,
		url:     "http://" + r.Host + r.URL.RequestURI(),
		headers: newHeaders(r.Header),
		body:    null{},
	}
	if r.Host != "" {
		described.headers.fields["host"] = []string{r.Host}
	}
	if r.Body != nil && r.Body != http.NoBody {
		described.body = &readableStream{}
	}
	return described
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
		return r.body, true
	}
	return nil, false
}

// readableStream is a body that the program passes around and never looks into: the client's, which it takes through
// body of the bridge, and one that a stream of the bridge fills.
type readableStream struct{ stream stream }

func (s *readableStream) kind() string { return "ReadableStream" }

func (s *readableStream) get(string) (v value, known bool) { return nil, false }
