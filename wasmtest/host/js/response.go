package host

import (
	"bytes"
	"net/http"
)

// response is the Response with which the program answers.
type response struct {
	status  int
	headers *headers
	bytes   []byte
	stream  *readableStream // nil where the body is bytes
}

func (r *response) kind() string { return "Response" }

func (r *response) get(string) (v value, known bool) { return nil, false }

var responseClass = &class{
	name: "Response",
	has:  func(v value) bool { _, ok := v.(*response); return ok },
	construct: func(args []value) (value, error) {
		r := &response{status: http.StatusOK, headers: newHeaders(nil)}
		if err := r.init(argument(args, 1)); err != nil {
			return nil, err
		}
		return r, r.setBody(argument(args, 0))
	},
}

// init reads the second argument of the constructor. It passes over statusText, for which HTTP/2
// has no place.
func (r *response) init(v value) error {
	switch init := v.(type) {
	case nil:
	case *object:
		if status, ok := init.fields["status"].(float64); ok {
			r.status = int(status)
		}
		if h, ok := init.fields["headers"].(*headers); ok {
			r.headers = h
		}
	default:
		stop("new Response takes %s as its init", describe(v))
	}
	if r.status < 200 || r.status > 599 {
		return &thrown{&jsError{name: "RangeError",
			message: "Responses may only have a status from 200 to 599"}}
	}
	return nil
}

func (r *response) setBody(v value) error {
	switch body := v.(type) {
	case nil, null:
		return nil
	case *uint8Array:
		r.bytes = bytes.Clone(body.data)
	case string:
		r.bytes = []byte(body)
	case *readableStream:
		r.stream = body
	default:
		stop("new Response takes %s as its body", describe(v))
	}
	switch r.status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified:
		return throwTypeError("A response with the status %d can't have a body", r.status)
	}
	return nil
}
