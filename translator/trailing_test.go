package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// TestLastBlockIsText has the parts of a candidate in streams of Gemini 3, and the resulting blocks
// of a Messages client, streamed and plain. An envelope must not be the last block, unless the turn
// has a call.
func TestLastBlockIsText(t *testing.T) {
	const (
		text   = `{"text":"a"}`
		signed = `{"text":"b","thoughtSignature":"QUFB"}`
		// The last part of a streamed text, recorded in google-reasoning-gemini3.
		behind = `{"text":"","thoughtSignature":"QkJC"}`
		call   = `{"functionCall":{"name":"f","args":{}},"thoughtSignature":"Q0ND"}`
	)
	for _, c := range []struct {
		parts string
		want  string
		lost  bool
	}{
		{text, "text", false},
		{text + "|" + behind, "text", true},
		{text + "|" + signed + "|" + behind, "text", true},
		{text + "|" + behind + "|" + text, "text thinking text", false},
		{text + "|" + behind + "|" + text + "|" + behind, "text thinking text", true},
		{text + "|" + behind + "|" + call, "text thinking thinking tool_use", false},
		{call + "|" + text + "|" + behind, "thinking tool_use text thinking", false},
	} {
		var stream, body []string
		for _, part := range strings.Split(c.parts, "|") {
			stream = append(stream, `data: {"candidates":[{"content":{"role":"model","parts":[`+part+
				`]}}],"responseId":"r","modelVersion":"gemini-3-pro-preview"}`+"\n\n")
			body = append(body, part)
		}
		stream = append(stream, `data: {"candidates":[{"finishReason":"STOP"}]}`+"\n\n")
		x := lastBlockExchange(t)
		s := x.Stream()
		var out strings.Builder
		for _, event := range stream {
			b, _ := s.Push([]byte(event))
			out.Write(b)
		}
		out.Write(s.Close(nil))
		require.Contains(t, out.String(), `"type":"message_stop"`)
		require.Equal(t, c.want, blocksOf(out.String(), `"content_block":{"type":"`), c.parts)
		require.Equal(t, c.lost, len(x.Lost.Paths()) > 0, c.parts)

		x = lastBlockExchange(t)
		b, err := x.AppendBody(nil, []byte(`{"candidates":[{"content":{"role":"model","parts":[`+
			strings.Join(body, ",")+`]},"finishReason":"STOP"}],"responseId":"r"}`))
		require.Nil(t, err)
		require.Equal(t, c.want, blocksOf(strings.ReplaceAll(string(b), `{"type":"direct"}`, ""),
			`{"type":"`), c.parts)
		require.Equal(t, c.lost, len(x.Lost.Paths()) > 0, c.parts)
	}
}

// lastBlockExchange returns the exchange of a Messages client with a tool and an upstream of
// Gemini.
func lastBlockExchange(t *testing.T) *translator.Exchange {
	pair, _ := translator.Lookup("anthropic", "gemini")
	x, refused := pair.Decode("", []byte(unasked))
	require.Nil(t, refused)
	_, refused = x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, refused)
	return x
}

// blocksOf returns the types of the blocks in out, separated by spaces. lead is the text before
// each type.
func blocksOf(out, lead string) string {
	var types []string
	for _, rest := range strings.Split(out, lead)[1:] {
		types = append(types, rest[:strings.Index(rest, `"`)])
	}
	return strings.Join(types, " ")
}
