package google

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

const retry = `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`

func quota(id string) string {
	return `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"m",` +
		`"quotaId":"` + id + `","quotaValue":"15"}]}`
}

func TestDecodeError(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   ir.Error
	}{
		{400, `{"error":{"code":400,"message":"Bad.","status":"INVALID_ARGUMENT"}}`,
			ir.Error{Kind: ir.InvalidRequest, Status: 400, Message: "Bad.", Code: "INVALID_ARGUMENT"}},
		{400, `[{"error":{"code":400,"message":"Bad.","status":"FAILED_PRECONDITION","details":null}}]`,
			ir.Error{Kind: ir.InvalidRequest, Status: 400, Message: "Bad.", Code: "FAILED_PRECONDITION"}},
		{400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.",` +
			`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",` +
			`"reason":"API_KEY_INVALID","domain":"googleapis.com",` +
			`"metadata":{"service":"generativelanguage.googleapis.com"}}]}}`,
			ir.Error{Kind: ir.Authentication, Status: 401,
				Message: "API key not valid. Please pass a valid API key.", Code: "INVALID_ARGUMENT"}},
		{400, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number ` +
			`of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`,
			ir.Error{Kind: ir.ContextOverflow, Status: 400,
				Message: "The input token count (1200000) exceeds the maximum number of tokens " +
					"allowed (1048576).", Code: "INVALID_ARGUMENT"}},
		{403, `{"error":{"code":403,"message":"No.","status":"PERMISSION_DENIED"}}`,
			ir.Error{Kind: ir.Permission, Status: 403, Message: "No.", Code: "PERMISSION_DENIED"}},
		{404, `{"error":{"code":404,"message":"No.","status":"NOT_FOUND"}}`, ir.Error{Kind: ir.NotFound,
			Status: 404, Message: "No.", Code: "NOT_FOUND"}},
		{503, `{"error":{"code":503,"message":"Full.","status":"UNAVAILABLE"}}`,
			ir.Error{Kind: ir.Overloaded, Status: 503, Message: "Full.", Code: "UNAVAILABLE"}},
		{504, `{"error":{"code":504,"message":"Slow.","status":"DEADLINE_EXCEEDED"}}`,
			ir.Error{Kind: ir.Timeout, Status: 504, Message: "Slow.", Code: "DEADLINE_EXCEEDED"}},
		{500, `{"error":{"code":500,"message":"Oh.","status":"INTERNAL"}}`, ir.Error{Kind: ir.Internal,
			Status: 500, Message: "Oh.", Code: "INTERNAL"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED"}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow.", Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` +
			quota("PerMinute") + `,` + retry + `34.4s"}]}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow. Please retry in 34.4s.", Wait: 35,
				Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.\nPlease retry in 38.92s.",` +
			`"status":"RESOURCE_EXHAUSTED","details":[` + retry + `38s"}]}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow.\nPlease retry in 38.92s.", Wait: 38,
				Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` +
			quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier") + `]}}`,
			ir.Error{Kind: ir.Quota, Status: 429, Message: "Slow.", Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` +
			quota("RequestsPerDay") + `,` + retry + `300s"}]}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow. Please retry in 300s.", Wait: 300,
				Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` + retry +
			`301s"},{"reason":"RATE_LIMIT_EXCEEDED",` +
			`"metadata":{"quota_limit":"Gemini25ProRequestsPerDay"}}]}}`,
			ir.Error{Kind: ir.Quota, Status: 429, Message: "Slow. Please retry in 301s.", Wait: 301,
				Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` + retry +
			`s"},` + retry + `1.s0s"},` + retry + `-1s"},` + retry + `1"},` + retry + `1.1234567890s"}]}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow.", Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` +
			quota("RequestsPerDay") + `,` + retry + `0s"}]}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow. Please retry in 0s.",
				Code: "RESOURCE_EXHAUSTED"}},
		{429, `{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` + retry +
			`1.123456789s"}]}}`,
			ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow. Please retry in 1.123456789s.",
				Wait: 2, Code: "RESOURCE_EXHAUSTED"}},
		{500, `{"error":{"code":500,"message":"Oh.","status":"UNAVAILABLE"}}`, ir.Error{Kind: ir.Internal,
			Status: 500, Message: "Oh.", Code: "UNAVAILABLE"}},
		{429, `{"error":{"code":429,"message":"Your prepayment funds are depleted.",` +
			`"status":"RESOURCE_EXHAUSTED"}}`,
			ir.Error{Kind: ir.Quota, Status: 429, Message: "Your prepayment funds are depleted.",
				Code: "RESOURCE_EXHAUSTED"}},
		{502, `<html><title>502</title>`, ir.Error{Kind: ir.Internal, Status: 502,
			Message: "The upstream answered 502 with an HTML page: 502"}},
		{400, `[]`, ir.Error{Kind: ir.InvalidRequest, Status: 400,
			Message: "The upstream answered 400 without a message: []"}},
	} {
		require.Equal(t, c.want, *DecodeError(c.status, c.body), c.body)
	}
}

// TestDecodeEvent reads errors in a stream: only the body has the status.
func TestDecodeEvent(t *testing.T) {
	require.Equal(t, ir.Error{Kind: ir.RateLimit, Status: 429, Message: "Slow. Please retry in 1s.", Wait: 1,
		Code: "RESOURCE_EXHAUSTED"},
		*DecodeEvent(`{"error":{"code":429,"message":"Slow.","status":"RESOURCE_EXHAUSTED","details":[` +
			retry + `1s"}]}}`))
	for status, kind := range map[string]ir.ErrorKind{
		"INVALID_ARGUMENT": ir.InvalidRequest, "FAILED_PRECONDITION": ir.InvalidRequest,
		"OUT_OF_RANGE": ir.InvalidRequest, "UNAUTHENTICATED": ir.Authentication,
		"PERMISSION_DENIED": ir.Permission, "NOT_FOUND": ir.NotFound, "RESOURCE_EXHAUSTED": ir.RateLimit,
		"UNAVAILABLE": ir.Overloaded, "DEADLINE_EXCEEDED": ir.Timeout,
		"INTERNAL": ir.Internal, "CANCELLED": ir.Internal,
	} {
		require.Equal(t, ir.Error{Kind: kind, Message: "m", Code: status},
			*DecodeEvent(`{"error":{"message":"m","status":"` + status + `"}}`))
	}
	for code, kind := range map[string]ir.ErrorKind{ // of the Interactions API
		"invalid_request": ir.InvalidRequest, "failed_precondition": ir.InvalidRequest,
		"out_of_range": ir.InvalidRequest, "parameter_unknown": ir.InvalidRequest,
		"authentication": ir.Authentication, "payment_required": ir.Quota,
		"permission_denied": ir.Permission, "not_found": ir.NotFound, "model_not_found": ir.NotFound,
		"already_exists": ir.Internal, "rate_limit_exceeded": ir.RateLimit, "quota_exceeded": ir.Quota,
		"too_many_requests": ir.RateLimit, "cancelled": ir.Internal,
		"api_error": ir.Internal, "unimplemented": ir.Internal, "service_unavailable": ir.Overloaded,
		"deadline_exceeded": ir.Timeout, "safety": ir.InvalidRequest,
		"content_blocked": ir.InvalidRequest, "malformed_function_call": ir.Unavailable,
		"missing_thought_signature": ir.InvalidRequest,
	} {
		require.Equal(t, ir.Error{Kind: kind, Message: "m", Code: code},
			*DecodeEvent(`{"event_type":"error","error":{"code":"` + code + `","message":"m"}}`), code)
	}
	require.Equal(t, ir.Quota, DecodeError(429, `{"error":{"code":"quota_exceeded","message":"m"}}`).Kind)
	require.Equal(t, "The model is overloaded.", DecodeEvent(`The model is overloaded.`).Message)
}
