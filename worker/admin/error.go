package admin

import (
	"net/http"
	"strings"

	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

// Error is why a request is refused.
type Error struct {
	Status  int
	Message string
	Path    string // of the member of the body; "": it is not one
}

// Append appends the body of the answer.
func (e *Error) Append(dst []byte) []byte {
	dst = jsonw.AppendString(append(dst, `{"error":{"message":`...), e.Message)
	if e.Path != "" {
		dst = jsonw.AppendString(append(dst, `,"path":`...), e.Path)
	}
	return append(dst, "}}\n"...)
}

// Refuse is the error for a request that does not fit what is stored.
func Refuse(status int, message string) *Error { return &Error{Status: status, Message: message} }

// bad is the error for a member of a body.
func bad(path, problem string) *Error {
	if path == "" {
		path = `""`
	}
	return &Error{http.StatusBadRequest, path + " " + problem, path}
}

// invalid is the error for a body that makes no good record.
func invalid(err *endpoint.Error) *Error {
	if strings.HasPrefix(err.Setting, "the ") {
		return Refuse(http.StatusBadRequest, err.Error())
	}
	return bad(err.Setting, err.Problem)
}

// In returns the error for a member of what is at path.
func (e *Error) In(path string) *Error {
	if e.Path == "" {
		return e
	}
	return &Error{e.Status, path + "." + e.Message, path + "." + e.Path}
}
