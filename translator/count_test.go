package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/wasmtest/corpus"
)

func TestAppendCount(t *testing.T) {
	for _, c := range []struct{ client, body, want string }{
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":"Hello"}]}`, `{"input_tokens":5}`},
		{"anthropic", `{"model":"m","messages":[{"role":"user","content":"Hello"}],"tools":[]}`, `{"input_tokens":5}`},
		{"responses", `{"model":"m","input":"Hello"}`, `{"object":"response.input_tokens","input_tokens":5}`},
		{"responses", `{"input":"Hello"}`, `{"object":"response.input_tokens","input_tokens":5}`},
		{"responses", `{"instructions":"Hello"}`, `{"object":"response.input_tokens","input_tokens":5}`},
		{"responses", `{}`, `{"object":"response.input_tokens","input_tokens":0}`},
	} {
		got, err := translator.AppendCount([]byte("> "), translator.API(c.client), "", []byte(c.body))
		require.Nil(t, err, c.body)
		require.Equal(t, "> "+c.want, string(got), c.body)
	}
	for _, c := range []struct{ client, body, want string }{
		{"anthropic", `{`, "The request body is not JSON at offset 1."},
		{"anthropic", `{"model":"m"}`, "messages: Field required"},
		{"anthropic", `{"messages":[{"role":"user","content":"Hello"}]}`, "model: Field required"},
		{"anthropic", "{\"model\":\"\xFF\"}", "The request body is not valid UTF-8."},
		{"responses", `{"input":1}`, "input: "},
	} {
		_, err := translator.AppendCount(nil, translator.API(c.client), "", []byte(c.body))
		require.NotNil(t, err, c.body)
		require.Contains(t, err.Error(), c.want)
	}
}

// TestEveryRequestCanBeCounted counts the tokens of every request in the corpus.
func TestEveryRequestCanBeCounted(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	counted := 0
	for _, s := range scenarios {
		if s.Client == "chat" {
			continue
		}
		pair, _ := translator.Lookup(s.Client, "chat")
		if _, refused := pair.Decode("", s.Request); refused != nil {
			continue
		}
		_, refused := translator.AppendCount(nil, translator.API(s.Client), "", s.Request)
		require.Nil(t, refused, s.Name)
		counted++
	}
	require.Greater(t, counted, 100)
}
