package failure

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, body string
		status     int
		kind       ir.ErrorKind
		message    string
	}{
		{"envelope", `{"error":{"message":"a\nb","code":"x"}}`, 400, ir.InvalidRequest, "a\nb"},
		{"code before status", `{"error":{"message":"a","code":"insufficient_quota"}}`, 429, ir.Quota, "a"},
		{"type without code", `{"error":{"message":"a","type":"overloaded_error","code":null}}`, 500,
			ir.Overloaded, "a"},
		{"no credit", `{"type":"error","error":{"type":"invalid_request_error",` +
			`"message":"Your credit balance is too low"}}`, 400, ir.Quota, "Your credit balance is too low"},
		{"string", `{"error":"a"}`, 404, ir.NotFound, "a"},
		{"message", `{"message":"a"}`, 401, ir.Authentication, "a"},
		{"detail", `{"detail":"a"}`, 403, ir.Permission, "a"},
		{"bare string", `"a"`, 500, ir.Internal, "a"},
		{"array", `[{"error":{"message":"a"}}]`, 500, ir.Internal, "a"},
		{"msg", `{"code":20012,"msg":"a","data":null}`, 400, ir.InvalidRequest, "a"},
		{"error true", `{"error":true,"message":"a"}`, 500, ir.Internal, "a"},
		{"error as a number", `{"error":500,"message":"a"}`, 500, ir.Internal, "a"},
		{"no message", `{"error":{}}`, 500, ir.Internal,
			`The upstream answered 500 without a message: {"error":{}}`},
		{"other JSON", `{"errors":[{"text":"a"}]}` + "\n", 503, ir.Overloaded,
			`The upstream answered 503 without a message: {"errors":[{"text":"a"}]}`},
		{"empty array", `[]`, 500, ir.Internal, "The upstream answered 500 without a message: []"},
		{"empty", " \n", 502, ir.Internal, "The upstream answered 502 without a body."},
		{"text", "oops\n", 504, ir.Timeout, "oops"},
		{"page without a title", "<html><body>x</body></html>", 502, ir.Internal,
			"The upstream answered 502 with an HTML page."},
		{"page with an open title", "<title>x", 502, ir.Internal,
			"The upstream answered 502 with an HTML page."},
	} {
		e := Decode(c.status, c.body)
		require.Equal(t, c.message, e.Message, c.name)
		require.Equal(t, c.kind, e.Kind, c.name)
		require.Equal(t, c.status, e.HTTPStatus(), c.name)
	}
}

func TestDecodeCuts(t *testing.T) {
	e := Decode(500, strings.Repeat("é", 3000)+"x")
	require.LessOrEqual(t, len(e.Message), maxMessage)
	require.True(t, utf8.ValidString(e.Message))
	e = Decode(500, strings.Repeat("\x80", 3000))
	require.LessOrEqual(t, len(e.Message), maxMessage)
}

func TestDecodeEvent(t *testing.T) {
	e := DecodeEvent(`{"error":{"message":"a","code":429}}`)
	require.Equal(t, ir.RateLimit, e.Kind)
	require.Equal(t, 429, e.HTTPStatus())
	require.Equal(t, ir.Internal, DecodeEvent(`{"error":"a"}`).Kind)
	for text, want := range map[string]string{
		`{"object":"error","message":"a"}`:                            "a",
		`{"detail":[{"msg":"a"}]}`:                                    `[{"msg":"a"}]`,
		`{"type":"error","error":{"type":"api_error","message":"a"}}`: "a",
		" a\n": "a",
		`{}`:   "The upstream reported an error without a message: {}",
	} {
		require.Equal(t, want, DecodeEvent(text).Message, text)
	}
	for name, want := range map[string]ir.ErrorKind{
		"BadRequestError": ir.InvalidRequest, "request_too_large": ir.TooLarge, "timeout_error": ir.Timeout,
		"api_error":        ir.Internal,
		"overloaded_error": ir.Overloaded, "authentication_error": ir.Authentication,
		"billing_error":  ir.Quota,
		"invalid_prompt": ir.InvalidRequest, "too_many_requests": ir.RateLimit,
		"credit_balance_exhausted": ir.Quota,
	} {
		require.Equal(t, want, DecodeEvent(`{"error":{"message":"a","type":"`+name+`"}}`).Kind, name)
	}
}

// TestTypeBesideCode: an unknown code does not hide the type. A status takes precedence over a
// type.
func TestTypeBesideCode(t *testing.T) {
	for text, want := range map[string]ir.ErrorKind{
		`{"error":{"message":"a","type":"invalid_request_error",` +
			`"code":"odd"}}`: ir.InvalidRequest,
		`{"error":{"message":"a","type":"overloaded_error","code":"odd"}}`:               ir.Overloaded,
		`{"error":{"message":"a","type":"invalid_request_error","code":"server_error"}}`: ir.Internal,
		`{"error":{"message":"a","type":"server_error",` +
			`"code":"invalid_image"}}`: ir.InvalidRequest,
		`{"error":{"message":"a","type":"invalid_request_error","code":"insufficient_quota"}}`: ir.Quota,
		`{"error":{"message":"a","type":"invalid_request_error","code":503}}`:                  ir.Overloaded,
		`{"type":"error","code":"odd","message":"a"}`:                                          ir.Internal,
		`{"type":"not_found_error","code":"odd","message":"a"}`:                                ir.NotFound,
		`{"code":"bio_policy",` +
			`"message":"a"}`: ir.InvalidRequest,
		`{"code":"vector_store_timeout","message":"a"}`:        ir.Timeout,
		`{"error":"a","type":"permission_error","code":"odd"}`: ir.Permission,
	} {
		require.Equal(t, want, DecodeEvent(text).Kind, text)
	}
	e := Decode(500, `{"error":{"message":"a","type":"invalid_request_error","code":"odd"}}`)
	require.Equal(t, ir.Internal, e.Kind)
	require.Equal(t, "odd", e.Code)
}

// TestOverflow has the phrases of servers, including servers that send them with a 5xx status.
func TestOverflow(t *testing.T) {
	for _, words := range []string{
		"Your input exceeds the context window of this model.",
		"the request exceeds the available context size. try increasing the context size or enable " +
			"context shift",
		"The number of tokens to keep from the initial prompt is greater than the context length.",
		"the model is loaded with context length of only 4096 tokens, which is not enough. Try to load " +
			"the model with a larger context length",
		"prompt too long; exceeded max context length by 5000 tokens",
		"The input (9000 tokens) is longer than the model's context length (8192 tokens).",
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
		"Invalid request: Your request exceeded model token limit: 131072",
		"invalid params, context window exceeds limit",
		"Range of input length should be [1, 129024]",
		"Please reduce the length of the messages or completion.",
		"Input is too long for requested model.",
	} {
		for _, status := range []int{400, 413, 500} {
			e := Decode(status, `{"error":{"message":"`+words+`"}}`)
			require.Equal(t, ir.ContextOverflow, e.Kind, words)
			require.Equal(t, 400, e.HTTPStatus(), words)
		}
		require.Equal(t, ir.ContextOverflow, DecodeEvent(`{"error":{"message":"`+words+`"}}`).Kind, words)
	}
	require.Equal(t, ir.RateLimit,
		Decode(429, `{"error":{"message":"Please reduce the length of the messages"}}`).Kind)
}
