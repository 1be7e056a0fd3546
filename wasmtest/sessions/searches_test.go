package sessions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// TestSearchesOfOtherVendors sends the searches of one upstream to another upstream. Content that
// only the first vendor can read must not reach the other vendor.
func TestSearchesOfOtherVendors(t *testing.T) {
	t.Parallel()
	pairs := [][2]*upstream{{anthropic, responses}, {responses, anthropic}}
	for _, other := range []*upstream{chat, openAI, gemini, interactions} {
		pairs = append(pairs, [2]*upstream{anthropic, other}, [2]*upstream{responses, other})
	}
	for _, p := range pairs {
		parallel(t, "from "+p[0].name+" to "+p[1].name+" and back", func(t *testing.T) {
			t.Run("Claude's SDK", func(t *testing.T) { searchByClaude(t, p[0], p[1]) })
			t.Run("Codex", func(t *testing.T) { searchByCodex(t, p[0], p[1]) })
		})
	}
}

// searchers returns a route from one upstream to the other and back. Both run a search, except a
// Chat server.
func searchers(t *testing.T, one, other *upstream) []*served {
	low := &vendors.Turn{Search: search, Text: "Low.", Usage: usage}
	if other.protocol == "chat" {
		low = said("Low.")
	}
	first := one.serve(t, &vendors.Turn{Search: search, Text: "High.", Usage: usage}, said("Thank you."))
	return []*served{first, other.serve(t, low), first}
}

var tides = []string{"High.", "Low.", "Thank you."}

func searchByClaude(t *testing.T, one, other *upstream) {
	route := searchers(t, one, other)
	code := claude(t, route[0], clients.AsItComes, nil)
	// A request with only a search tool is refused if the upstream has no search.
	tools := list{
		object{"type": "web_search_20250305", "name": "web_search"},
		object{"name": "note", "input_schema": object{"type": "object", "properties": object{}}},
	}
	var messages list
	for i, s := range route {
		code.Server = s.server
		messages = append(messages, userText("The tide?"))
		message, err := code.Side(object{"tools": tools, "messages": messages})
		require.NoError(t, err)
		messages = append(messages, object{"role": "assistant", "content": message["content"]})
		require.Equal(t, tides[i], blockOf(message, "text")["text"])
	}
	for _, s := range route {
		require.Empty(t, s.Refused())
	}
}

func searchByCodex(t *testing.T, one, other *upstream) {
	route := searchers(t, one, other)
	c := codex(t, route[0], "gpt-5.5", okay)
	for i, s := range route {
		c.Server = s.server
		text, err := c.Say("The tide?")
		require.NoError(t, err)
		require.Equal(t, tides[i], text)
	}
	for _, s := range route {
		require.Empty(t, s.Refused())
	}
}

// TestCodexSearchesForToolsAfterAnotherVendor sends another vendor's history, and a tool search
// that OpenAI runs.
func TestCodexSearchesForToolsAfterAnotherVendor(t *testing.T) {
	t.Parallel()
	s := responses.serve(t, said("Done."))
	c := codex(t, s, "gpt-5.5", okay)
	c.Input = append(
		c.Input,
		object{
			"type":              "reasoning",
			"id":                "rs_1",
			"summary":           list{},
			"encrypted_content": "el1:anthropic:t::sig",
		},
		object{"role": "assistant", "content": "Let me see."},
	)
	later := object{
		"type":          "function",
		"name":          "later",
		"strict":        false,
		"parameters":    object{"type": "object", "properties": object{}},
		"defer_loading": true,
	}
	text, err := c.SayWith(object{"tools": list{object{"type": "tool_search"}, later}}, "Go on.")
	require.NoError(t, err)
	require.Equal(t, "Done.", text)
	s.done(t)
}
