package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// threadUnsupported is the code by which the SDK's tool runner learns to send whole conversations.
const threadUnsupported = "thread_unsupported_request"

// AppendError appends the body of an error answer (Messages API, "Errors"):
// {"type":"error","error":{"type","message"}}. The message begins with the path of the field in
// Anthropic's own notation, messages.0.role: Claude Code reads it and sends the request again without the field.
func AppendError(dst []byte, e *ir.Error) []byte {
	dst = append(dst, `{"type":"error","error":{"type":"`...)
	dst = append(dst, errorType(e.Kind)...)
	dst = append(dst, `","message":"`...)
	if e.Path != "" {
		dst = appendDottedPath(dst, e.Path)
		dst = append(dst, ": "...)
	}
	if e.Kind == ir.ContextOverflow {
		dst = appendOverflow(dst, e.Message)
	} else {
		dst = jsonw.AppendText(dst, e.Message)
	}
	dst = append(dst, '"')
	if e.Code == threadUnsupported {
		dst = append(dst, `,"details":{"error_code":"`+threadUnsupported+`","unsupported":["`...)
		dst = jsonw.AppendText(dst, e.Path)
		dst = append(dst, `"]}`...)
	}
	return append(dst, `}}`...)
}

// errorType returns the API's name of a kind.
func errorType(k ir.ErrorKind) string {
	switch k {
	case ir.InvalidRequest, ir.MethodNotAllowed, ir.ContextOverflow:
		return "invalid_request_error"
	case ir.Authentication:
		return "authentication_error"
	case ir.Permission:
		return "permission_error"
	case ir.NotFound:
		return "not_found_error"
	case ir.TooLarge:
		return "request_too_large"
	case ir.RateLimit:
		return "rate_limit_error"
	case ir.Quota:
		return "billing_error"
	case ir.Overloaded:
		return "overloaded_error"
	case ir.Timeout:
		return "timeout_error"
	}
	return "api_error"
}

// appendDottedPath appends messages[0].role as messages.0.role, escaped.
func appendDottedPath(dst []byte, path string) []byte {
	start := 0
	for i := 0; i < len(path); i++ {
		if c := path[i]; c == '[' || c == ']' {
			dst = jsonw.AppendText(dst, path[start:i])
			if c == '[' {
				dst = append(dst, '.')
			}
			start = i + 1
		}
	}
	return jsonw.AppendText(dst, path[start:])
}

// appendOverflow puts an upstream's words on a prompt that is too long behind those that clients of this API look for, with
// the numbers where they can be read.
func appendOverflow(dst []byte, message string) []byte {
	if strings.HasPrefix(message, "prompt is too long") {
		return jsonw.AppendText(dst, message)
	}
	dst = append(dst, "prompt is too long: "...)
	limit := numberBehind(message, "maximum context length is ", "tokens allowed (")
	count := numberBehind(message, "resulted in ", "requested ", "input token count (")
	if limit == "" || count == "" {
		return jsonw.AppendText(dst, message)
	}
	dst = append(dst, count...)
	dst = append(dst, " tokens > "...)
	dst = append(dst, limit...)
	dst = append(dst, " maximum ("...)
	dst = jsonw.AppendText(dst, message)
	return append(dst, ')')
}

// numberBehind returns the digits that follow one of the leads in s, or "".
func numberBehind(s string, leads ...string) string {
	for _, lead := range leads {
		_, rest, _ := strings.Cut(s, lead)
		n := 0
		for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
			n++
		}
		if n > 0 {
			return rest[:n]
		}
	}
	return ""
}
