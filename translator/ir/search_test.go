package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnfold has a search that ran here, with text after the search, and messages of all roles.
func TestUnfold(t *testing.T) {
	text := func(words Escaped) Content { return Content{Kind: TextContent, Text: words} }
	search := func(id, output Escaped) Content {
		return Content{Kind: OpaqueContent, Hosted: &Hosted{Kind: WebSearchTool, Made: true, ID: id,
			Input: `{"query":"q"}`, Output: output}}
	}
	call := func(id Escaped) Content {
		return Content{Kind: ToolCallContent, ID: id, Name: "web_search", Input: `{"query":"q"}`}
	}
	result := func(id, output Escaped) Content {
		return Content{Kind: ToolResultContent, ID: id, Parts: []Content{text(output)}}
	}
	name := func(ToolKind) Escaped { return "web_search" }
	plain := []Message{{User, []Content{text("a")}}, {Assistant, []Content{text("b")}}}
	require.Equal(t, plain, Unfold(plain, name, 0))
	got := Unfold([]Message{
		{User, []Content{text("a")}},
		{Assistant, []Content{search("run_1_c", "found"), search("run_1_d", ""), text("b")}},
		{System, []Content{text("c")}},
		{Assistant, []Content{text("d"), search("run_1_e", "more")}},
		{System, []Content{text("e")}},
		{Assistant, []Content{search("run_1_f", "last")}},
		{User, []Content{text("g")}},
	}, name, 0)
	require.Equal(t, []Message{
		{User, []Content{text("a")}},
		{Assistant, []Content{call("run_1_c"), call("run_1_d")}},
		{User, []Content{result("run_1_c", "found"), result("run_1_d", NoHits)}},
		{Assistant, []Content{text("b")}},
		{System, []Content{text("c")}},
		{Assistant, []Content{text("d"), call("run_1_e")}},
		{User, []Content{result("run_1_e", "more")}},
		{System, []Content{text("e")}},
		{Assistant, []Content{call("run_1_f")}},
		{User, []Content{result("run_1_f", "last"), text("g")}},
	}, got)
}

// TestAppendHit has results with and without a title, an age and a text.
func TestAppendHit(t *testing.T) {
	got := AppendHit(nil, 1, &Citation{URL: "https://a.example", Title: "A", Age: "2 days"}, "one")
	got = AppendHit(got, 2, &Citation{URL: "https://b.example"}, "")
	require.Equal(t, hitsHead+`\n\n[1] A\nhttps://a.example\n2 days\none\n\n[2] https://b.example`, string(got))
}
