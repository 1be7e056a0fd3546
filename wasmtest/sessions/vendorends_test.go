package sessions_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Ends and numbers in the vendors' own words: every client must see the end that the vendor means.

var fourAPIs = append(slices.Clone(threeAPIs), "gemini")

var (
	// googleChat is Google's endpoint for clients of OpenAI's Chat Completions.
	googleChat = &upstream{
		kind: "chat", name: "Google's OpenAI endpoint", protocol: "chat",
		url:    "https://generativelanguage.googleapis.com/v1beta/openai",
		models: `{"*":"gemini-3.1-pro-preview"}`,
	}
	groq = &upstream{
		kind: "chat", name: "Groq", protocol: "chat", url: "https://api.groq.com/openai/v1",
		models: `{"*":"llama-3.3-70b-versatile"}`, options: vendors.Options{Groq: true},
	}
	anyResponses = &upstream{
		kind: "responses", name: "a gateway of Responses", protocol: "responses", models: `{"*":"m"}`,
	}
)

// ended is the client's word for the end of an answer.
var ended = map[string]map[string]string{
	"end":     {"anthropic": "end", "chat": "end", "responses": "end", "gemini": "end"},
	"tool":    {"anthropic": "tool", "chat": "tool", "responses": "tool", "gemini": "tool"},
	"length":  {"anthropic": "max_tokens", "chat": "length", "responses": "incomplete", "gemini": "MAX_TOKENS"},
	"refusal": {"anthropic": "refusal", "chat": "content_filter", "responses": "incomplete", "gemini": "SAFETY"},
}

// TestEndsInTheVendorsWords plays an answer with an end in a vendor's own word. want is a key of ended,
// or "failure", with the upstream's word in the error's message.
func TestEndsInTheVendorsWords(t *testing.T) {
	t.Parallel()
	call := []vendors.Call{weather("call_a", "get_weather", "Paris")}
	for _, x := range []struct {
		name     string
		upstream *upstream
		turn     vendors.Turn
		want     string
		mode     string // "streamed" if a plain answer has no such end
	}{
		{name: "a call that Google can't read", upstream: googleChat,
			turn: vendors.Turn{End: "function_call_filter: MALFORMED_FUNCTION_CALL"}, want: "failure"},
		{name: "a filter of Google's", upstream: googleChat,
			turn: vendors.Turn{Text: "Half", End: "content_filter: SAFETY"}, want: "refusal"},
		{name: "a limit in capitals", upstream: anyChat,
			turn: vendors.Turn{Text: "Half", End: "MAX_TOKENS"}, want: "length"},
		{name: "a filter in capitals", upstream: anyChat,
			turn: vendors.Turn{Text: "Half", End: "SAFETY"}, want: "refusal"},
		{name: "a failure in capitals", upstream: anyChat,
			turn: vendors.Turn{End: "MALFORMED_FUNCTION_CALL"}, want: "failure"},
		{name: "response.done after a text", upstream: anyResponses,
			turn: vendors.Turn{Text: "Hi.", End: "response.done"}, want: "end", mode: "streamed"},
		{name: "response.done after a call", upstream: anyResponses,
			turn: vendors.Turn{Calls: call, End: "response.done"}, want: "tool", mode: "streamed"},
		{name: "response.done at a limit", upstream: anyResponses,
			turn: vendors.Turn{Text: "Half", Stop: "length", End: "response.done"}, want: "length",
			mode: "streamed"},
		{name: "an unknown reason after a text", upstream: gemini,
			turn: vendors.Turn{Text: "Hi.", End: "A_NEW_REASON"}, want: "end"},
		{name: "an unknown reason after a call", upstream: gemini,
			turn: vendors.Turn{Calls: call, End: "A_NEW_REASON"}, want: "tool"},
		{name: "an unknown reason without content", upstream: gemini,
			turn: vendors.Turn{End: "A_NEW_REASON"}, want: "failure"},
		{name: "a failure after a text", upstream: gemini,
			turn: vendors.Turn{Text: "Half", End: "MALFORMED_FUNCTION_CALL"}, want: "failure"},
		{name: "an unknown status", upstream: interactions,
			turn: vendors.Turn{Text: "Half", End: "a_new_status"}, want: "failure"},
		{name: "a budget that is used up", upstream: interactions,
			turn: vendors.Turn{Text: "Half", End: "budget_exceeded"}, want: "length"},
		{name: "an unknown stop_reason", upstream: sonnet,
			turn: vendors.Turn{Text: "Hi.", End: "a_new_reason"}, want: "end"},
	} {
		for _, client := range fourAPIs {
			for _, stream := range []bool{true, false} {
				if client == x.upstream.protocol || x.mode != "" && x.mode != modeOf(stream) {
					continue // a body of the upstream's own protocol passes unread
				}
				parallel(t, x.name+", "+client+", "+modeOf(stream), func(t *testing.T) {
					turn := x.turn
					turn.Usage = usage
					sdk := clients.NewSDK(client, x.upstream.serve(t, &turn).server)
					sdk.Stream, sdk.Tools = stream, []clients.Tool{{Name: "get_weather", Schema: citySchema}}
					got, err := sdk.Say("hi")
					if x.want == "failure" {
						require.NotEmpty(t, apiError(t, got, err).Message)
						return
					}
					require.NoError(t, err)
					require.Equal(t, ended[x.want][client], got.Stop)
					require.Equal(t, turn.Text, got.Text)
					require.Len(t, got.Calls, len(turn.Calls))
				})
			}
		}
	}
}

// TestUsageOfGroq: the usage in x_groq reaches each client, as from a server with usage.
func TestUsageOfGroq(t *testing.T) {
	t.Parallel()
	for _, client := range fourAPIs {
		if client == "chat" {
			continue // passes unread
		}
		got, err := asks(groq.serve(t, &vendors.Turn{Text: "Hi.", Usage: cachedUsage}), client, true)
		require.NoError(t, err)
		require.Equal(t, cachedUsage, got.Usage, client)
	}
}

// TestTiersOfAnswers: an answer's tier reaches the clients that can name it, and is reported to others.
func TestTiersOfAnswers(t *testing.T) {
	t.Parallel()
	each(t, []*upstream{anyChat, gpt, gemini, interactions}, func(t *testing.T, u *upstream) {
		for _, tier := range []string{"flex", "auto", "priority"} {
			for _, client := range threeAPIs {
				if client == u.protocol {
					continue
				}
				up := u.serve(t, &vendors.Turn{Text: "Hi.", Tier: tier, Usage: usage})
				got, err := asks(up, client, false)
				require.NoError(t, err)
				if client != "anthropic" {
					require.Equal(t, tier, got.Body["service_tier"], "%s, %s", client, tier)
					continue
				}
				counts := got.Body["usage"].(object)
				if tier == "priority" { // the fast mode of Messages
					require.Equal(t, "standard", counts["service_tier"])
					require.Equal(t, "fast", counts["speed"])
				} else {
					require.Nil(t, counts["service_tier"])
					require.Nil(t, counts["speed"])
				}
			}
		}
	})
}
