// Package openai is shared by Chat Completions and Responses: the error object, reading and
// rejecting the fields of a client's request, writing the common parts of an upstream's, and limits
// for names and ids.
package openai

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// AppendError appends e as the body of an error answer (API reference, "Error codes"). The message
// names the field, like the API's own messages: Missing required parameter: 'model'.
func AppendError(dst []byte, e *ir.Error) []byte {
	typ, code := typeAndCode(e)
	dst = append(dst, `{"error":{"message":`...)
	dst = jsonw.AppendString(dst, Message(e))
	dst = append(dst, `,"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","param":`...)
	dst = AppendStringOrNull(dst, e.Path)
	dst = append(dst, `,"code":`...)
	dst = AppendStringOrNull(dst, code)
	return append(dst, `}}`...)
}

// Message returns the message of e. It begins with the path, unless the message already contains
// it.
func Message(e *ir.Error) string {
	if e.Path != "" && strings.Contains(e.Message, "'"+e.Path+"'") {
		return e.Message
	}
	return e.Error()
}

// AppendStringOrNull appends s as a JSON string literal, or null for "".
func AppendStringOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return jsonw.AppendString(dst, s)
}

// Code returns the "code" of e's error object, or "" for null.
func Code(e *ir.Error) string {
	_, code := typeAndCode(e)
	return code
}

// typeAndCode returns the "type" and "code" of e's error object. Codex 0.169 acts on the codes
// context_length_exceeded, insufficient_quota, rate_limit_exceeded and server_is_overloaded. They
// follow from the kind of e, even if the upstream sent a different code.
func typeAndCode(e *ir.Error) (typ, code string) {
	switch e.Kind {
	case ir.ContextOverflow:
		return "invalid_request_error", "context_length_exceeded"
	case ir.Quota:
		return "insufficient_quota", "insufficient_quota"
	case ir.RateLimit:
		return "rate_limit_error", "rate_limit_exceeded"
	case ir.Overloaded:
		return "server_error", "server_is_overloaded"
	}
	typ, code = "server_error", e.Code
	switch e.Kind {
	case ir.InvalidRequest, ir.Permission, ir.NotFound, ir.MethodNotAllowed, ir.TooLarge:
		typ = "invalid_request_error"
	case ir.Authentication:
		typ = "invalid_request_error"
		if code == "" {
			code = "invalid_api_key"
		}
	}
	return typ, code
}
