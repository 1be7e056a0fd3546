package translator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

const overLimit = "The answer is longer than 10 bytes, which is the limit of what is gathered. Ask for less, or raise MAX_OUTPUT_BYTES."

func TestLimit(t *testing.T) {
	limited := func(sink ir.Sink) ir.Sink { return (&Exchange{MaxOutput: 10}).limited(sink) }
	s := played(t, limited, answerOf(block(ir.TextBlock, "", "12345"), block(ir.ToolCallBlock, "f", "{123}")))
	require.Equal(t, "text[12345]call[{123}] finish", string(s.text))
	s = played(t, limited, answerOf(block(ir.TextBlock, "", "12345"), block(ir.ReasoningBlock, "", "12345", "6"), block(ir.TextBlock, "", "7")))
	require.Equal(t, "text[12345]reasoning[12345 failure: "+overLimit, string(s.text))
	s = played(t, limited, answerOf([]ir.Event{{Kind: ir.BlockStart, Block: ir.ServerToolBlock},
		{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: `{"a":"bcdef"}`}, {Kind: ir.BlockStop}}))
	require.Equal(t, "[ failure: "+overLimit, "["+string(s.text))
	s = played(t, limited, answerOf([]ir.Event{{Kind: ir.BlockStart, Block: ir.TextBlock},
		{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &ir.Citation{URL: "https://a", Title: "b", Quote: "c"}}, {Kind: ir.BlockStop}}))
	require.Equal(t, "text[ failure: "+overLimit, string(s.text))
}

// TestLimitIsForWhatIsGathered: plain answers, and not the stream of a client whose encoder keeps nothing.
func TestLimitIsForWhatIsGathered(t *testing.T) {
	pair, _ := Lookup("anthropic", "chat")
	x, err := pair.Decode([]byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`))
	require.Nil(t, err)
	x.MaxOutput = 10
	body := []byte(`{"choices":[{"message":{"content":"01234567890"},"finish_reason":"stop"}]}`)
	stream := []byte(`data: {"choices":[{"delta":{"content":"01234567890"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	_, err = x.AppendBody(nil, body)
	require.NotNil(t, err)
	require.Equal(t, overLimit, err.Message)
	_, err = x.AppendFolded(nil, stream)
	require.NotNil(t, err)
	require.Equal(t, overLimit, err.Message)
	require.Contains(t, string(x.AppendStreamOfBody(nil, body)), "message_stop")
	out, done := x.Stream().Push(stream)
	require.True(t, done)
	require.Contains(t, string(out), "message_stop")
	x.MaxOutput = 0
	_, err = x.AppendBody(nil, body)
	require.Nil(t, err)
	_, err = x.AppendBody(nil, []byte(strings.Replace(string(body), "0123", strings.Repeat("x", 8<<20), 1)))
	require.NotNil(t, err)
	require.Contains(t, err.Message, "8388608 bytes")
}
