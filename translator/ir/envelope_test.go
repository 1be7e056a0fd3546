package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenEnvelope(t *testing.T) {
	for _, c := range []struct {
		e     Escaped
		isOne bool
		want  Content
	}{
		{"el1:anthropic:t::c2ln", true, Content{Kind: ReasoningContent, Origin: "anthropic",
			Signature: "c2ln", Text: "seen"}},
		{"el1:responses:r:rs_1:gAAA", true, Content{Kind: RedactedContent, Origin: "responses",
			ItemID: "rs_1", Signature: "gAAA", Text: "seen"}},
		{`el1:chat:t::[{\"a\":1}]`, true, Content{Kind: ReasoningContent, Origin: "chat",
			Signature: `[{\"a\":1}]`, Text: "seen"}},
		{`el1:responses:h:rs_1:a: b\n:gAAA`, true, Content{Kind: ReasoningContent, Origin: "responses",
			ItemID: "rs_1", Signature: "gAAA", Text: `a: b\n`}},
		// unsigned: any upstream may get the text
		{"el1:chat:h::a: b:", true, Content{Kind: ReasoningContent, Text: "a: b"}},
		{"el1:chat:h:i::gAAA", true, Content{Kind: ReasoningContent, Origin: "chat", ItemID: "i",
			Signature: "gAAA"}},
		{"gAAA", false, Content{Kind: ReasoningContent, Signature: "gAAA", Text: "seen"}},
		{"el1", false, Content{Kind: ReasoningContent, Signature: "el1", Text: "seen"}},
		{"elm:", false, Content{Kind: ReasoningContent, Signature: "elm:", Text: "seen"}},

		// An envelope that can't be read is still an envelope, and has no origin.
		{"el2:anthropic:t::c2ln", true, Content{Kind: ReasoningContent, Signature: "el2:anthropic:t::c2ln",
			Text: "seen"}},
		{"el1:anthropic:t::", true, Content{Kind: ReasoningContent, Signature: "el1:anthropic:t::",
			Text: "seen"}},
		{"el1:anthropic:x::c2ln", true, Content{Kind: ReasoningContent, Signature: "el1:anthropic:x::c2ln",
			Text: "seen"}},
		{"el1:anthropic:h::c2ln", true, Content{Kind: ReasoningContent, Signature: "el1:anthropic:h::c2ln",
			Text: "seen"}},
		{"el1:", true, Content{Kind: ReasoningContent, Signature: "el1:", Text: "seen"}},
		{Unsigned, true, Content{Kind: ReasoningContent, Signature: "-", Text: "seen"}},
	} {
		got := Content{Kind: ReasoningContent, Text: "seen", Signature: c.e}
		require.Equal(t, c.isOne, got.Open(), c.e)
		require.Equal(t, c.want, got, c.e)
	}
}

func TestHiddenText(t *testing.T) {
	const id, text, blob = "rs_1", `I see: \"a\"`, "gAAA_-=="
	c := Content{Signature: Escaped(AppendHidden(nil, "responses", id, text, blob))}
	require.True(t, c.Open())
	require.Equal(t, Content{Origin: "responses", ItemID: id, Text: text, Signature: blob}, c)
	require.True(t, HidesIn(blob))
	require.False(t, HidesIn(`[{\"type\":1}]`))
}
