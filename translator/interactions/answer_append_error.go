package interactions

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// AppendError appends the body of an error answer: {"error":{"message","code"}} with a word as the code
// (ai.google.dev/gemini-api/docs/api-errors).
//
//go:noinline
func (Client) AppendError(dst []byte, e *ir.Error) []byte {
	return append(appendError(append(dst, '{'), e), '}')
}

// appendError appends the member "error".
func appendError(dst []byte, e *ir.Error) []byte {
	dst = jsonw.AppendString(append(dst, `"error":{"message":`...), e.Error())
	return append(jsonw.AppendTextMember(dst, `,"code":`, codeOf(e)), '}')
}

// codeOf returns the API's code of an error: the upstream's, if the upstream speaks this API and the
// code says more than the kind does.
func codeOf(e *ir.Error) ir.Escaped {
	switch e.Code {
	case "missing_thought_signature", "content_blocked", "safety", "prohibited_content", "recitation":
		return ir.Escaped(e.Code)
	}
	switch e.Kind {
	case ir.InvalidRequest, ir.ContextOverflow, ir.TooLarge, ir.MethodNotAllowed:
		return "invalid_request"
	case ir.Authentication:
		return "authentication"
	case ir.Permission:
		return "permission_denied"
	case ir.NotFound:
		return "not_found"
	case ir.RateLimit:
		return "rate_limit_exceeded"
	case ir.Quota:
		return "quota_exceeded"
	case ir.Overloaded, ir.Unavailable:
		return "service_unavailable"
	case ir.Timeout:
		return "deadline_exceeded"
	}
	return "internal"
}
