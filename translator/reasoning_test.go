package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

const unasked = `{"model":"m","max_tokens":9,"stream":true,"tools":[{"name":"f",` +
	`"input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"x"}]}`

// unaskedStream returns the stream of a Messages client with tools and without thinking, for an
// upstream that requires its reasoning back.
func unaskedStream(t *testing.T, request string) (*translator.Exchange, *translator.Stream) {
	pair, _ := translator.Lookup("anthropic", "chat")
	x, refused := pair.Decode("", []byte(request))
	require.Nil(t, refused)
	x.AskUsage = true
	_, refused = x.AppendRequest(nil, &ir.Target{ReasoningEcho: ir.EchoContent})
	require.Nil(t, refused)
	return x, x.Stream()
}

// TestHiddenThoughtIsBounded: reasoning too long for an envelope is lost, and its tokens still
// count.
func TestHiddenThoughtIsBounded(t *testing.T) {
	piece := strings.Repeat("word ", 2000)
	for _, c := range []struct {
		pieces int
		kept   bool
	}{{104, true}, {105, false}} { // 1 MB are 104.86 pieces
		x, s := unaskedStream(t, unasked)
		for range c.pieces {
			out, _ := s.Push([]byte("data: " + chatChunk(`{"reasoning_content":"`+piece+`"}`) + "\n\n"))
			require.NotContains(t, string(out), "word")
		}
		out, _ := s.Push([]byte("data: " + chatChunk(`{"content":"Yes"}`) + "\n\n"))
		require.Equal(t, c.kept, strings.Contains(string(out), "el1:chat:h::word word"))
		require.Contains(t, string(out), `"text":"Yes"`)
		require.Greater(t, x.OutputTokens("m"), int64(100_000))
	}
}

// TestDroppedThoughtCounts: reasoning that does not reach the client counts like any other.
func TestDroppedThoughtCounts(t *testing.T) {
	for _, request := range []string{strings.Replace(unasked, `"tools"`,
		`"thinking":{"type":"disabled"},"tools"`, 1), simplest["anthropic"]} {
		x, s := unaskedStream(t, strings.Replace(request, `"thinking":{"type":"adaptive"},`, "", 1))
		out, _ := s.Push([]byte("data: " + chatChunk(`{"reasoning_content":"`+strings.Repeat("word ", 100)+
			`"}`) + "\n\n" + "data: " + chatChunk(`{"content":"Yes"}`) + "\n\n"))
		require.Contains(t, string(out), `"index":0,"content_block":{"type":"text"`)
		require.Greater(t, x.OutputTokens("m"), int64(90))
	}
}

// TestFailureInsideOfAHiddenThought: the client gets the error, and no partial block.
func TestFailureInsideOfAHiddenThought(t *testing.T) {
	_, s := unaskedStream(t, unasked)
	s.Push([]byte("data: " + chatChunk(`{"reasoning_content":"a"}`) + "\n\n"))
	out, done := s.Push([]byte(`data: {"error":{"message":"gone"}}` + "\n\n"))
	require.True(t, done)
	require.NotContains(t, string(out), "content_block")
	require.Contains(t, string(out), "event: error")
}
