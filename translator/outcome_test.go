package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// askedOf returns an exchange of a Messages client with an upstream.
func askedOf(t *testing.T, upstream string) *translator.Exchange {
	t.Helper()
	pair, _ := translator.Lookup("anthropic", upstream)
	x, err := pair.Decode("",
		[]byte(`{"model":"a\"b","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
	require.Nil(t, err)
	x.Request.Model = "other"
	_, err = x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, err)
	return x
}

func TestOutcomeOfAnExchange(t *testing.T) {
	x := askedOf(t, "chat")
	require.Equal(t, ir.NoUsage, x.Usage)
	_, err := x.AppendBody(nil,
		[]byte(`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":5,"completion_tokens":2}}`))
	require.Nil(t, err)
	require.Equal(t, int64(5), x.Usage.Input)
	require.Equal(t, int64(2), x.Usage.Output)
	require.Zero(t, x.Failed)

	x = askedOf(t, "chat")
	_, err = x.AppendBody(nil, []byte(`{"error":{"message":"slow down","code":429}}`))
	require.Equal(t, ir.RateLimit, ir.AsError(err).Kind)
	require.Equal(t, ir.RateLimit, x.Failed)

	x = askedOf(t, "anthropic")
	s := x.Stream()
	s.Push([]byte(`data: {"type":"message_start","message":{"id":"m","model":"m",` +
		`"usage":{"input_tokens":7,"output_tokens":1}}}` + "\n\n"))
	require.Equal(t, int64(7), x.Usage.Input, "known before the end, which may not come")
	s.Close(&ir.Error{Kind: ir.Timeout})
	require.Equal(t, ir.Timeout, x.Failed)
	require.Equal(t, int64(7), x.Usage.Input)
}

func TestNamesOfErrorKinds(t *testing.T) {
	require.Empty(t, ir.ErrorKind(0).String())
	require.Equal(t, "internal", ir.Internal.String())
	require.Equal(t, "context_overflow", ir.ContextOverflow.String())
	require.Equal(t, "unavailable", ir.Unavailable.String())
}

// TestStreamsAreBoundedWhereTheyAreKept: only a stream that ends with the whole answer has a bound.
func TestStreamsAreBoundedWhereTheyAreKept(t *testing.T) {
	answer := head + `{"content":"more than that"}` + tail +
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for client, bounded := range map[string]bool{"anthropic": false, "chat": false, "responses": true} {
		x := ask(t, client, "chat")
		x.MaxOutput = 5
		out := x.Stream().Take([]byte(answer), true)
		require.Equal(t, bounded, strings.Contains(string(out), "max_output_bytes"), client)
		require.Equal(t, !bounded, x.Failed == 0, client)
		x = ask(t, client, "chat")
		x.MaxOutput = 5
		_, err := x.AppendFolded(nil, []byte(answer))
		require.Contains(t, ir.AsError(err).Message, "max_output_bytes", client)
	}
}

// TestOutputTokens pushes a stream of each upstream to its end: the estimate grows with the answer,
// is never less than the upstream's count so far, and equals the upstream's count at the end.
func TestOutputTokens(t *testing.T) {
	const text = "some words and more of them"
	for upstream, parts := range map[string][3]string{
		"chat": {
			`{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`,
		},
		"anthropic": {
			`{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":4}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + text + `"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
		},
	} {
		x := askedOf(t, upstream)
		x.AskUsage = true
		tap := translator.NewTap(translator.API(upstream), nil)
		s := x.Stream()
		push := func(part string) {
			s.Push([]byte("data: " + part + "\n\n"))
			tap.Push([]byte("data: " + part + "\n\n"))
			require.Equal(t, x.OutputTokens("m"), tap.OutputTokens("m"))
		}
		push(parts[0])
		if upstream == "anthropic" {
			require.Equal(t, int64(4), x.OutputTokens("m"), "as the upstream has said")
		}
		push(parts[1])
		require.InDelta(t, 6, x.OutputTokens("m"), 1)
		require.Greater(t, x.OutputTokens("claude-opus-5-5"), x.OutputTokens("m"),
			"its tokenizer makes more of it")
		push(parts[2])
		end := `{"type":"message_stop"}`
		if upstream == "chat" {
			end = "[DONE]"
		}
		push(end)
		require.Equal(t, int64(2), x.OutputTokens("m"), upstream)
		require.InDelta(t, 5, x.InputTokens(), 3)
	}
}

// TestOutputTokensOfAServerThatNeverCounts: without an upstream's count even a complete answer has
// an estimate.
func TestOutputTokensOfAServerThatNeverCounts(t *testing.T) {
	x := askedOf(t, "chat")
	x.AskUsage = true
	_, err := x.AppendBody(nil,
		[]byte(`{"choices":[{"message":{"content":"some words and more"},"finish_reason":"stop"}]}`))
	require.Nil(t, err)
	require.InDelta(t, 4, x.OutputTokens("m"), 1)
}

// TestOutputTokensOfAPlainBody: the estimate of a plain body without the upstream's count is that of the
// same stream, with reasoning that the client can't receive.
func TestOutputTokensOfAPlainBody(t *testing.T) {
	const end = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	const answer = `"reasoning_content":"a long thought","content":"some words and more",` +
		`"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"look","arguments":"{\"a\":\"some more words\"}"}}]`
	for _, client := range []string{"chat", "anthropic", "responses", "gemini"} {
		streamed, plain := ask(t, client, "chat"), ask(t, client, "chat")
		streamed.AskUsage, plain.AskUsage = true, true
		streamed.Stream().Take([]byte(`data: {"choices":[{"index":0,"delta":{`+answer+"}}]}\n\n"+
			"data: "+end+"\n\ndata: [DONE]\n\n"), true)
		body := `{"choices":[{"finish_reason":"tool_calls","message":{` + answer + "}}]}"
		_, err := plain.AppendBody(nil, []byte(body))
		require.NoError(t, err)
		require.Greater(t, plain.OutputTokens("m"), int64(15))
		require.Equal(t, streamed.OutputTokens("m"), plain.OutputTokens("m"), client)
	}
}
