package js

// Request is the Request that handleRequest gets, without headers and body: the program gets those
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

// ReadableStream is a body that the program hands on without looking into it. A stream of the
// bridge fills it.
type ReadableStream struct{ Filler any }

func (s *ReadableStream) Kind() string { return "ReadableStream" }

func (s *ReadableStream) Get(string) (v Value, known bool) { return nil, false }
