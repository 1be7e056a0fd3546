package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// TestRepeatedMembers: of members with the same key the last one counts, as for most JSON readers,
// and nothing of the others.
func TestRepeatedMembers(t *testing.T) {
	requests := map[string]string{
		"anthropic": `{"model":"m","max_tokens":9000,"messages":[{"role":"user","content":"q"}]`,
		"chat":      `{"model":"m","messages":[{"role":"user","content":"q"}]`,
		"responses": `{"model":"m","input":"q"`,
	}
	for _, c := range []struct{ client, first, last string }{
		{"anthropic", `"thinking":{"type":"enabled","budget_tokens":2000,"display":"omitted"}`,
			`"thinking":{"type":"adaptive"}`},
		{"anthropic", `"thinking":{"type":"adaptive","display":"summarized"}`, `"thinking":{"type":"disabled"}`},
		{"anthropic", `"output_config":{"effort":"low"}`, `"output_config":{}`},
		{"chat", `"reasoning_effort":"low"`, `"reasoning_effort":"high"`},
		{"chat", `"temperature":0.5`, `"temperature":0.25`},
		{"responses", `"reasoning":{"effort":"low","summary":"auto"}`, `"reasoning":{}`},
		{"responses", `"reasoning":{"effort":"low"}`, `"reasoning":{"summary":"auto"}`},
		{"responses", `"text":{"verbosity":"low"}`, `"text":{}`},
	} {
		for _, upstream := range protocols {
			sent := func(members string) string {
				pair, _ := translator.Lookup(c.client, upstream)
				x, refused := pair.Decode(corpus.Path(c.client, "m", false),
					[]byte(requests[c.client]+members+`}`))
				require.Nil(t, refused)
				body, refused := x.AppendRequest(nil, &ir.Target{Efforts: []string{"low", "medium", "high"},
					Thinking: ir.AdaptiveThinking})
				require.Nil(t, refused)
				return string(body)
			}
			require.Equal(t, sent(","+c.last), sent(","+c.first+","+c.last), "%s to %s: %s, %s", c.client,
				upstream, c.first, c.last)
		}
	}
}
