package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// TestPreviousResponseIsEchoed: an answer names the response that the client's request went on from.
func TestPreviousResponseIsEchoed(t *testing.T) {
	for previous, want := range map[ir.Raw]string{
		"": `"previous_response_id":null`, `"resp_1"`: `"previous_response_id":"resp_1"`,
	} {
		pair, _ := translator.Lookup("responses", "chat")
		x, err := pair.Decode("", []byte(`{"model":"m","input":"q"}`))
		require.NoError(t, err)
		x.Request.Previous = previous
		_, err = x.AppendRequest(nil, &ir.Target{})
		require.NoError(t, err)
		out, err := x.AppendBody(nil, []byte(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`))
		require.NoError(t, err)
		require.Contains(t, string(out), want)
	}
}

// TestAllowedToolsOfServers: a list of allowed tools without a name allows none, which is not the same as
// no list.
func TestAllowedToolsOfServers(t *testing.T) {
	for configuration, want := range map[string]string{
		`{"enabled":true}`:        `"server_url":"https://e.com","require_approval":"never"}`,
		`{"allowed_tools":[]}`:    `"allowed_tools":[]`,
		`{"allowed_tools":["a"]}`: `"allowed_tools":["a"]`,
	} {
		pair, _ := translator.Lookup("anthropic", "responses")
		x, err := pair.Decode("", []byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"q"}],`+
			`"mcp_servers":[{"type":"url","name":"s","url":"https://e.com","tool_configuration":`+configuration+`}]}`))
		require.NoError(t, err)
		out, err := x.AppendRequest(nil, &ir.Target{OpenAI: true, WebSearch: true, ToolSearch: true})
		require.NoError(t, err)
		require.Contains(t, string(out), want)
	}
}

// TestTokensOfVectors: the count of the prompt's tokens comes before the total (Voyage has only this one).
func TestTokensOfVectors(t *testing.T) {
	tokens := translator.API("chat").Embeddings.Upstream.EmbedTokens
	require.EqualValues(t, 3, tokens(`{"prompt_tokens":3,"total_tokens":4}`))
	require.EqualValues(t, 3, tokens(`{"total_tokens":4,"prompt_tokens":3}`))
	require.EqualValues(t, 4, tokens(`{"other":1,"total_tokens":4}`))
	require.EqualValues(t, -1, tokens(`{}`))
}
