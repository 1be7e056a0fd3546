package js

import (
	"bytes"
	"net/http"
)

// Response is the program's Response.
type Response struct {
	Status  int
	Headers *Headers
	Bytes   []byte
	Stream  *ReadableStream // nil if the body is bytes
}

func (r *Response) Kind() string { return "Response" }

func (r *Response) Get(string) (v Value, known bool) { return nil, false }

var responseClass = &Class{
	name: "Response",
	Has:  func(v Value) bool { _, ok := v.(*Response); return ok },
	Construct: func(args []Value) (Value, error) {
		r := &Response{Status: http.StatusOK, Headers: NewHeaders(nil)}
		if err := r.init(Argument(args, 1)); err != nil {
			return nil, err
		}
		return r, r.setBody(Argument(args, 0))
	},
}

// init reads the second argument of the constructor. It ignores statusText, which HTTP/2 does not
// have.
func (r *Response) init(v Value) error {
	switch init := v.(type) {
	case nil:
	case *Object:
		if status, ok := init.fields["status"].(float64); ok {
			r.Status = int(status)
		}
		if h, ok := init.fields["headers"].(*Headers); ok {
			r.Headers = h
		}
	default:
		Stop("new Response takes %s as its init", Describe(v))
	}
	if r.Status < 200 || r.Status > 599 {
		return &thrown{&Error{Name: "RangeError",
			Message: "Responses may only have a status from 200 to 599"}}
	}
	return nil
}

func (r *Response) setBody(v Value) error {
	switch body := v.(type) {
	case nil, Null:
		return nil
	case *Uint8Array:
		r.Bytes = bytes.Clone(body.Data)
	case string:
		r.Bytes = []byte(body)
	case *ReadableStream:
		r.Stream = body
	default:
		Stop("new Response takes %s as its body", Describe(v))
	}
	switch r.Status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified:
		return throwTypeError("A response with the status %d can't have a body", r.Status)
	}
	return nil
}
