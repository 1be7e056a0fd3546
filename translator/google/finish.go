package google

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// MaxWhy bounds, in bytes, a filter's or a failure's explanation for the client.
const MaxWhy = 4 << 10

// StopOf returns the meaning of a finishReason (Gemini API and Vertex AI, "FinishReason"), or 0 if
// it has none: it is unknown, or a failure (see IsFailure). CONTINUATION comes with a token: a new
// request with the token would continue the answer (@google/genai 3.1, "automaticContinuation").
// ESCALATION is a filter's rule, PUP_LIMITED_DISABLED an account that is limited for violations of
// the Prohibited Use Policy (@google/genai 3.3, "FinishReason").
func StopOf(reason ir.Escaped) ir.StopReason {
	switch reason {
	case "STOP":
		return ir.EndTurn
	case "MAX_TOKENS", "CONTINUATION":
		return ir.MaxTokens
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"ESCALATION", "PUP_LIMITED_DISABLED", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return ir.Refusal
	}
	return 0
}

// IsFailure reports whether a finishReason says that the model or the service failed:
// MALFORMED_FUNCTION_CALL and MALFORMED_RESPONSE come instead of unreadable output,
// UNEXPECTED_TOOL_CALL and TOO_MANY_TOOL_CALLS instead of calls, MISSING_THOUGHT_SIGNATURE instead
// of an answer, NO_IMAGE and IMAGE_OTHER instead of an image, OTHER for an unknown cause.
func IsFailure(reason ir.Escaped) bool {
	switch reason {
	case "OTHER", "IMAGE_OTHER", "NO_IMAGE", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
		"MISSING_THOUGHT_SIGNATURE":
		return true
	}
	return strings.HasPrefix(string(reason), "MALFORMED_")
}

// BrokenOff returns the failure for a finishReason. A missing thought signature is a fault of the
// request: a retry does not help.
func BrokenOff(reason, message ir.Escaped) *ir.Error {
	code := ir.Shortened(jsonw.Unescape(reason))
	e := &ir.Error{Kind: ir.Unavailable, Code: code, Message: "The upstream aborted the answer: " + code}
	if reason == "MISSING_THOUGHT_SIGNATURE" {
		e.Kind = ir.InvalidRequest
	}
	if message == "" || len(message) > MaxWhy {
		e.Message += "."
	} else {
		e.Message += ": " + jsonw.Unescape(message)
	}
	return e
}
