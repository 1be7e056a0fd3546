package translator_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// TestNamesOfProtocols: the constants are the names in APIs.
func TestNamesOfProtocols(t *testing.T) {
	names := []string{translator.Anthropic, translator.Chat, translator.Responses, translator.Gemini,
		translator.Interactions}
	var have []string
	for _, api := range translator.APIs {
		if api.Name != "toy" {
			have = append(have, api.Name)
		}
	}
	require.Equal(t, have, names)
}

// TestPair: a Pair answers for its two sides.
func TestPair(t *testing.T) {
	pair, ok := translator.Lookup(translator.Anthropic, translator.Chat)
	require.True(t, ok)
	require.Equal(t, "/chat/completions", pair.Path("m", true))
	require.Equal(t, pair.Upstream.Upstream.Target("api.openai.com", "gpt-5.5"),
		pair.Target("api.openai.com", "gpt-5.5"))
	require.True(t, pair.Target("api.openai.com", "gpt-5.5").OpenAI)
	full := &ir.Error{Kind: ir.Overloaded, Message: "full"}
	for _, err := range []error{full, fmt.Errorf("wrapped: %w", full)} {
		require.Equal(t, 529, pair.Status(err))
		require.JSONEq(t, `{"type":"error","error":{"type":"overloaded_error","message":"full"}}`,
			string(pair.AppendError(nil, err)))
	}
	require.Equal(t, 500, pair.Status(errors.New("unknown")))
	pair, _ = translator.Lookup(translator.Gemini, translator.Anthropic)
	require.Equal(t, "/v1/messages", pair.Path("m", false))
	require.Equal(t, 503, pair.Status(full))
}

// reported returns the messages that OnError gets for a client of Messages and an upstream of Chat
// Completions, in a session of use.
func reported(t *testing.T, body string, use func(translator.Pair, *translator.Exchange)) (list []string) {
	pair, _ := translator.Lookup(translator.Anthropic, translator.Chat)
	pair.OnError = func(e *ir.Error) { list = append(list, e.Kind.String()+" "+e.Error()) }
	x, err := pair.Decode("/v1/messages", []byte(body))
	if err == nil {
		x.Secrets = func() []string { return []string{"sk-0123456789abcdef"} }
		use(pair, x)
	}
	return list
}

// TestOnError: the callback gets each error of an exchange once, as the client gets it.
func TestOnError(t *testing.T) {
	const ask = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`
	const failure = `{"error":{"message":"no sk-0123456789abcdef","type":"server_error"}}`
	sent := func(x *translator.Exchange) *translator.Exchange {
		_, err := x.AppendRequest(nil, &ir.Target{})
		require.NoError(t, err)
		return x
	}
	for name, c := range map[string]struct {
		body string
		use  func(translator.Pair, *translator.Exchange)
		want []string
	}{
		"not JSON": {`{`, nil,
			[]string{"invalid_request The request body is not JSON at offset 1."}},
		"refused by Decode": {`{"max_tokens":9}`, nil, []string{"invalid_request model: Field required"}},
		"refused by AppendRequest": {
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":
				{"type":"url","url":"https://a.b/c.pdf"}}]}]}`,
			func(_ translator.Pair, x *translator.Exchange) {
				_, err := x.AppendRequest(nil, &ir.Target{RefuseLossy: true})
				require.Error(t, err)
			},
			[]string{"invalid_request messages[0].content[0]: the upstream does not support documents other than plain text"}},
		"the upstream's": {ask, func(_ translator.Pair, x *translator.Exchange) {
			sent(x).UpstreamError(500, []byte(failure))
		}, []string{"internal no [key]"}},
		"a plain answer": {ask, func(_ translator.Pair, x *translator.Exchange) {
			_, err := sent(x).AppendBody(nil, []byte(failure))
			require.Error(t, err)
		}, []string{"internal no [key]"}},
		"a stream": {ask, func(_ translator.Pair, x *translator.Exchange) {
			s := sent(x).Stream()
			s.Push([]byte("data: " + failure + "\n\n"))
			s.Push([]byte("data: " + failure + "\n\n"))
			s.Close(nil)
		}, []string{"internal no [key]"}},
		"a stream that breaks off": {ask, func(_ translator.Pair, x *translator.Exchange) {
			sent(x).Stream().Close(&ir.Error{Kind: ir.Timeout, Message: "too long"})
		}, []string{"timeout too long"}},
		"no error": {ask, func(_ translator.Pair, x *translator.Exchange) {
			s := sent(x).Stream()
			s.Push([]byte(`data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\n"))
			s.Push([]byte("data: [DONE]\n\n"))
			s.Close(nil)
		}, nil},
	} {
		require.Equal(t, c.want, reported(t, c.body, c.use), name)
	}
}
