package gemini

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// AppendError appends the body of an error answer (AIP-193, google.rpc.Status). The details have
// the path of the invalid field (BadRequest), the time to wait (RetryInfo), and the error's code
// (ErrorInfo).
func (Client) AppendError(dst []byte, e *ir.Error) []byte {
	dst = jsonw.AppendIntMember(dst, `{"error":{"code":`, int64(API.Status(e)))
	dst = append(dst, `,"message":`...)
	dst = jsonw.AppendString(dst, e.Error())
	status := statusOf(e.Kind)
	dst = jsonw.AppendTextMember(dst, `,"status":`, status)
	separator := `,"details":[`
	detail := func(kind string) {
		dst = append(append(dst, separator...), `{"@type":"type.googleapis.com/google.rpc.`...)
		dst = append(append(dst, kind...), `",`...)
		separator = `,`
	}
	if e.Path != "" {
		detail("BadRequest")
		dst = jsonw.AppendString(append(dst, `"fieldViolations":[{"field":`...), e.Path)
		dst = jsonw.AppendString(append(dst, `,"description":`...), e.Message)
		dst = append(dst, `}]}`...)
	}
	if e.Wait > 0 {
		detail("RetryInfo")
		dst = append(jsonw.AppendIntMember(dst, `"retryDelay":"`, e.Wait), `s"}`...)
	}
	if e.Code != "" && e.Code != string(status) {
		detail("ErrorInfo")
		dst = jsonw.AppendString(append(dst, `"reason":`...), strings.ToUpper(e.Code))
		dst = append(dst, `,"domain":"edgelingua"}`...)
	}
	if separator == `,` {
		dst = append(dst, ']')
	}
	return append(dst, `}}`...)
}

// statusOf returns the API's word for a kind of error (google.rpc.Code), the inverse of kindOf.
func statusOf(k ir.ErrorKind) ir.Escaped {
	switch k {
	case ir.InvalidRequest, ir.ContextOverflow, ir.TooLarge:
		return "INVALID_ARGUMENT"
	case ir.Authentication:
		return "UNAUTHENTICATED"
	case ir.Permission:
		return "PERMISSION_DENIED"
	case ir.NotFound:
		return "NOT_FOUND"
	case ir.MethodNotAllowed:
		return "UNIMPLEMENTED"
	case ir.RateLimit, ir.Quota:
		return "RESOURCE_EXHAUSTED"
	case ir.Overloaded, ir.Unavailable:
		return "UNAVAILABLE"
	case ir.Timeout:
		return "DEADLINE_EXCEEDED"
	}
	return "INTERNAL"
}
