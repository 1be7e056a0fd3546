package translator_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

// TestJoinedThinking writes reasoning for Messages clients. The envelope of redacted reasoning
// directly after unsigned reasoning is the signature of the same thinking block; everything else
// stays in blocks of its own.
func TestJoinedThinking(t *testing.T) {
	unsigned := []ir.Event{{Kind: ir.BlockStart, Block: ir.ReasoningBlock},
		{Kind: ir.Delta, Delta: ir.TextDelta, Text: "Hm."}, {Kind: ir.BlockStop}}
	signed := []ir.Event{unsigned[0], unsigned[1],
		{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "c2ln", Origin: "gemini"}, unsigned[2]}
	redacted := func(origin string) []ir.Event {
		return []ir.Event{{Kind: ir.BlockStart, Block: ir.RedactedBlock, ID: "r1"},
			{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: "Y2Fs", Origin: origin}, {Kind: ir.BlockStop}}
	}
	text := []ir.Event{{Kind: ir.BlockStart, Block: ir.TextBlock},
		{Kind: ir.Delta, Delta: ir.TextDelta, Text: "Hi"}, {Kind: ir.BlockStop}}
	const thinks, says = `{"type":"thinking","thinking":"Hm.","signature":"el1::t::-"}`,
		`{"type":"text","text":"Hi","citations":[]}`
	for name, c := range map[string]struct {
		blocks [][]ir.Event
		want   string
	}{
		"another vendor's": {[][]ir.Event{unsigned, redacted("gemini"), text},
			`[{"type":"thinking","thinking":"Hm.","signature":"el1:gemini:r:r1:Y2Fs"},` + says + `]`},
		"two of another vendor's": {[][]ir.Event{unsigned, redacted("gemini"), redacted("gemini")},
			`[{"type":"thinking","thinking":"Hm.","signature":"el1:gemini:r:r1:Y2Fs"},` +
				`{"type":"thinking","thinking":"","signature":"el1:gemini:r:r1:Y2Fs"}]`},
		"Anthropic's own": {[][]ir.Event{unsigned, redacted("anthropic"), text},
			`[` + thinks + `,{"type":"redacted_thinking","data":"Y2Fs"},` + says + `]`},
		"not directly after": {[][]ir.Event{unsigned, text, redacted("gemini")},
			`[` + thinks + `,` + says + `,{"type":"thinking","thinking":"","signature":"el1:gemini:r:r1:Y2Fs"}]`},
		"after a signature": {[][]ir.Event{signed, redacted("gemini")},
			`[{"type":"thinking","thinking":"Hm.","signature":"el1:gemini:t::c2ln"},` +
				`{"type":"thinking","thinking":"","signature":"el1:gemini:r:r1:Y2Fs"}]`},
		"unsigned twice":  {[][]ir.Event{unsigned, unsigned}, `[` + thinks + `,` + thinks + `]`},
		"nothing follows": {[][]ir.Event{unsigned}, `[` + thinks + `]`},
	} {
		r, client := &ir.Request{API: translator.API("anthropic")}, translator.API("anthropic").Client
		encoder, plain := client.NewEncoder(r, "m"), client.NewPlainEncoder(r, "m", nil)
		var stream []byte
		write := func(ev ir.Event) {
			stream = encoder.AppendEvent(stream, &ev)
			plain.Event(&ev)
		}
		write(ir.Event{Kind: ir.Start, ID: "msg_1", Usage: ir.NoUsage})
		for _, block := range c.blocks {
			for _, ev := range block {
				write(ev)
			}
		}
		write(ir.Event{Kind: ir.Finish, Stop: ir.EndTurn, Usage: ir.NoUsage})
		body, failure := plain.Body()
		require.Nil(t, failure, name)
		for _, message := range []map[string]any{streamed(t, stream), parsed(string(body))} {
			content, err := json.Marshal(message["content"])
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(content), name)
		}
	}
}

// streamed returns the message of a whole stream for a Messages client.
func streamed(t *testing.T, stream []byte) map[string]any {
	message, failure, _ := answers.ReadMessages(t, stream)
	require.Nil(t, failure)
	return message
}

// TestThinkingSignedByACall has Google's thought, without a signature, and a signed call. A Messages
// client gets one thinking block, and Google its signature in the part of the call.
func TestThinkingSignedByACall(t *testing.T) {
	const answer = `{"responseId":"g1","modelVersion":"g","candidates":[{"index":0,"finishReason":"STOP",` +
		`"content":{"role":"model","parts":[{"text":"I \"see\" \u00e9","thought":true},` +
		`{"functionCall":{"name":"f","args":{"b":1}},"thoughtSignature":"EvQB+/=="}]}}]}`
	pair, _ := translator.Lookup("anthropic", "gemini")
	ask := func(messages string) (*translator.Exchange, string) {
		x, refused := pair.Decode(corpus.Path("anthropic", "m", true), []byte(messages+`]}`))
		require.Nil(t, refused)
		body, refused := x.AppendRequest(nil, &ir.Target{})
		require.Nil(t, refused)
		return x, string(body)
	}
	x, _ := ask(firstTurns["anthropic"])
	plain, failure := x.AppendBody(nil, []byte(answer))
	require.Nil(t, failure)
	for _, message := range []map[string]any{parsed(string(plain)),
		streamed(t, streamOfBody(x, []byte(answer)))} {
		content := message["content"].([]any)
		require.Len(t, content, 2)
		require.Equal(t, `I "see" é`, content[0].(map[string]any)["thinking"])
		messages := firstTurns["anthropic"]
		for _, m := range withResults("anthropic", content) {
			text, err := json.Marshal(m)
			require.NoError(t, err)
			messages += "," + string(text)
		}
		_, body := ask(messages)
		require.True(t, holds(t, body, `{"functionCall":{"name":"f","args":{"b":1}},`+
			`"thoughtSignature":"EvQB+/=="}`), body)
	}
}
