package sessions_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Sessions of Codex that end with an error. Codex acts on the error code, so the code must be
// OpenAI's for every upstream.

// vendorFailure is a vendor's error: its status, its error code or type, and its text ("" for "Try
// again in 1.2s.").
type vendorFailure struct {
	status     int
	word, text string
}

// codexFailures has the error codes that Codex acts on, with the matching error of each vendor.
var codexFailures = []struct {
	code                                    string
	anthropic, openAI, gemini, interactions vendorFailure
}{
	{
		"context_length_exceeded",
		vendorFailure{400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"},
		vendorFailure{400, "context_length_exceeded", ""},
		vendorFailure{
			400,
			"INVALID_ARGUMENT",
			tooManyTokens,
		}, vendorFailure{400, "invalid_request", tooManyTokens},
	},
	{
		"rate_limit_exceeded", vendorFailure{429, "rate_limit_error", ""},
		vendorFailure{429, "rate_limit_exceeded", ""},
		vendorFailure{429, "RESOURCE_EXHAUSTED", ""}, vendorFailure{429, "rate_limit_exceeded", ""},
	},
	{
		"server_is_overloaded", vendorFailure{529, "overloaded_error", ""},
		vendorFailure{503, "server_is_overloaded", ""},
		vendorFailure{503, "UNAVAILABLE", ""}, vendorFailure{503, "service_unavailable", ""},
	},
	{
		"insufficient_quota",
		vendorFailure{400, "invalid_request_error", "Your credit balance is too low"},
		vendorFailure{429, "insufficient_quota", ""},
		vendorFailure{
			429,
			"RESOURCE_EXHAUSTED",
			"Your prepayment funds are depleted.",
		}, vendorFailure{402, "payment_required", "Your Prepay credit balance is depleted."},
	},
	{
		"server_error", vendorFailure{500, "api_error", ""}, vendorFailure{500, "server_error", ""},
		vendorFailure{500, "INTERNAL", ""}, vendorFailure{500, "api_error", ""},
	},
}

const tooManyTokens = "The input token count (9) exceeds the maximum number of tokens allowed (8)."

// body returns the failure as an error body.
func (f vendorFailure) body(protocol string) object {
	if protocol == "chat" || protocol == "responses" {
		return withCode(f.word, f.text)
	}
	return failure(protocol, f.status, f.word, f.text)
}

// last returns the final event of a failed stream.
func (f vendorFailure) last(protocol string) string {
	switch protocol {
	case "anthropic":
		return named("error", f.body(protocol))
	case "interactions":
		return interactionsEvent("error", f.body(protocol))
	case "responses":
		failed := responsesHead("failed", object{"error": object{"code": f.word, "message": f.text}})
		return named("response.failed", object{"sequence_number": 1, "response": failed})
	}
	return unnamed(f.body(protocol))
}

// codexFails sends a question from Codex and returns the failure. Any other result fails the test.
func codexFails(t *testing.T, u *upstream, turn *vendors.Turn) *clients.Failed {
	text, err := codex(t, u.serve(t, turn), "gpt-5.5", okay).Say("Go on.")
	var failed *clients.Failed
	require.True(t, errors.As(err, &failed), "%q, %v", text, err)
	return failed
}

func TestCodexGetsOpenAIsCodes(t *testing.T) {
	t.Parallel()
	for _, row := range codexFailures {
		parallel(t, row.code, func(t *testing.T) {
			each(t, all, func(t *testing.T, u *upstream) {
				f := map[string]vendorFailure{
					"anthropic": row.anthropic, "chat": row.openAI, "responses": row.openAI,
					"gemini": row.gemini, "interactions": row.interactions,
				}[u.protocol]
				if f.text == "" {
					f.text = "Try again in 1.2s."
				}
				before := codexFails(t, u, answering(vendors.Plain(f.status, f.body(u.protocol))))
				// OpenAI sends no code with a 500: Codex decides by the status whether to retry
				if f.status != 500 {
					require.Equal(t, row.code, before.Code)
				}
				shown := f.status
				if shown == 529 {
					shown = 503
				}
				require.Regexp(t, fmt.Sprintf("^%d: ", shown), before.Message)
				require.Contains(t, before.Message, f.text)

				inside := codexFails(t, u,
					answering(vendors.Stream(append(half(u.protocol), f.last(u.protocol))...)))
				require.Equal(t, row.code, inside.Code)
				require.Contains(t, inside.Message, f.text)
			})
		})
	}
}

// cutCall is a stream that reaches the token limit within the free text of a call.
func cutCall(protocol string) []string {
	const piece = `{"input":"*** Delete`
	switch protocol {
	case "anthropic":
		return []string{
			messageStart,
			named(
				"content_block_start",
				object{
					"index": 0,
					"content_block": object{
						"type":  "tool_use",
						"id":    "toolu_1",
						"name":  "apply_patch",
						"input": object{},
					},
				},
			),
			named("content_block_delta",
				object{"index": 0, "delta": object{"type": "input_json_delta", "partial_json": piece}}),
			named("content_block_stop", object{"index": 0}),
			named(
				"message_delta",
				object{
					"delta": object{"stop_reason": "max_tokens", "stop_sequence": nil},
					"usage": object{"output_tokens": 7},
				},
			),
			named("message_stop", object{}),
		}
	case "chat":
		function := object{"name": "apply_patch", "arguments": piece}
		return []string{
			chatDelta(object{"role": "assistant", "content": ""}, nil),
			chatDelta(
				object{
					"tool_calls": list{
						object{"index": 0, "id": "call_1", "type": "function", "function": function},
					},
				},
				nil,
			),
			chatDelta(object{}, "length"), "data: [DONE]\n\n",
		}
	case "gemini":
		argument := object{"jsonPath": "$.input", "stringValue": "*** Delete", "willContinue": true}
		return []string{
			geminiChunk("",
				object{"functionCall": object{"id": "call_1", "name": "apply_patch", "willContinue": true}}),
			geminiChunk(
				"",
				object{
					"functionCall": object{
						"id":           "call_1",
						"partialArgs":  list{argument},
						"willContinue": true,
					},
				},
			),
			geminiChunk("MAX_TOKENS"),
		}
	}
	step := object{
		"type":      "function_call",
		"id":        "call_1",
		"name":      "apply_patch",
		"signature": "",
		"arguments": object{},
	}
	return append(
		slices.Clone(interactionsStart),
		interactionsEvent("step.start", object{"index": 0, "step": step}),
		interactionsEvent("step.delta",
			object{"index": 0, "delta": object{"type": "arguments_delta", "arguments": piece}}),
		interactionsEvent("interaction.completed",
			object{"interaction": interaction("incomplete")})+"event: done\ndata: [DONE]\n\n",
	)
}

func TestCodexGetsAnswersThatAreCut(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		require.Equal(t, "incomplete",
			codexFails(t, u, &vendors.Turn{Text: "Half", Stop: "length", Usage: usage}).Code, "the limit")
		if u == responses { // passthrough: the stream ends like the upstream's
			return
		}
		require.Equal(t, "server_error",
			codexFails(t, u, answering(vendors.Stream(half(u.protocol)...))).Code, "a stream that is cut")
		require.Equal(t, "incomplete",
			codexFails(t, u, answering(vendors.Stream(cutCall(u.protocol)...))).Code, "the limit in a call")
	})
}

// TestCodexGetsARefusal has a refusal of each upstream. Anthropic's stop_reason "refusal" and
// Google's SAFETY apply to the whole answer, like OpenAI's content_filter. Codex shows a
// content_filter to the user.
func TestCodexGetsARefusal(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		refusal := &vendors.Turn{Refusal: "I can't.", Usage: usage}
		if u == anthropic || u == gemini {
			failed := codexFails(t, u, refusal)
			require.Equal(t, "incomplete", failed.Code)
			require.Contains(t, failed.Message, "content_filter")
			return
		}
		text, err := codex(t, u.serve(t, refusal), "gpt-5.5", okay).Say("Go on.")
		require.NoError(t, err)
		require.Equal(t, "I can't.", text)
	})
}
