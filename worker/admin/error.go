package admin

import (
	"net/http"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// Error says why a request is refused.
type Error struct {
	Status  int
	Message string
	Path    string // path of the wrong member of the body, or ""
	Current []byte // view of the endpoint, if its state conflicts with the change; else nil
}

// Append appends the JSON body of the answer.
func (e *Error) Append(dst []byte) []byte {
	dst = jsonw.AppendString(append(dst, `{"error":{"message":`...), e.Message)
	if e.Path != "" {
		dst = jsonw.AppendString(append(dst, `,"path":`...), e.Path)
	}
	dst = append(dst, '}')
	if e.Current != nil {
		dst = append(appendName(dst, "endpoint"), e.Current...)
	}
	return append(dst, "}\n"...)
}

// Refuse returns an error that concerns no member of the body.
//
//go:noinline
func Refuse(status int, message string) *Error { return &Error{Status: status, Message: message} }

// bad returns the error for the member of the body at path.
func bad(path, problem string) *Error {
	if path == "" {
		path = `""`
	}
	return &Error{Status: http.StatusBadRequest, Message: path + " " + problem, Path: path}
}

// noField is the error for a member that fields lacks.
func noField(path, fields string) *Error {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return bad(path, "is no field. The fields are "+fields+"."+ir.DidYouMean(name, fields))
}

// invalid returns the error for a body if endpoint.Parse or Public refuses the resulting record.
func invalid(err *endpoint.Error) *Error {
	if strings.HasPrefix(err.Setting, "the ") {
		return Refuse(http.StatusBadRequest, err.Error())
	}
	return bad(err.Setting, err.Problem)
}

// In returns the error with path prepended to its own path.
func (e *Error) In(path string) *Error {
	if e.Path == "" {
		return e
	}
	return &Error{Status: e.Status, Message: path + "." + e.Message, Path: path + "." + e.Path}
}

// refusedBy converts an error for the endpoint's clients to an error of the Admin API.
func refusedBy(err error) *Error {
	e := ir.AsError(err)
	return Refuse(e.HTTPStatus(), e.Message)
}
