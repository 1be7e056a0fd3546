package js

// Request is the Request for handleRequest, without headers and body: the program gets these
// through the bridge.
type Request struct {
	Method, URL string
	Headers     *Headers
}

func (r *Request) Kind() string { return "Request" }

func (r *Request) Get(key string) (v Value, known bool) {
	switch key {
	case "method":
		return r.Method, true
	case "url":
		return r.URL, true
	case "headers":
		return r.Headers, true
	case "body":
		return Null{}, true
	}
	return nil, false
}

// ReadableStream is a body that the program passes on without reading it. A stream of the bridge
// fills the body.
type ReadableStream struct{ Filler any }

func (s *ReadableStream) Kind() string { return "ReadableStream" }

func (s *ReadableStream) Get(string) (v Value, known bool) { return nil, false }
