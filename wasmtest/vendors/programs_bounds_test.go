package vendors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// TestProgramsAreBounded: a long id of a program does not come again with each call, and the programs that
// stay in memory for their calls count among the buffered parts of an answer.
func TestProgramsAreBounded(t *testing.T) {
	pair, _ := translator.Lookup("anthropic", "responses")
	for _, c := range []struct {
		programs, calls int
		id, code        string
		failed          ir.ErrorKind
	}{
		{1, 49, strings.Repeat("/", 1<<20), "x", 0},
		{100, 0, "prog", strings.Repeat("x", 1<<20), ir.Unavailable},
	} {
		x, err := pair.Decode(corpus.Path("anthropic", "m", true), []byte(`{"model":"m","max_tokens":4096,`+
			`"stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":`+
			`"code_execution_20260521","name":"code_execution"},{"name":"get","input_schema":{"type":"object"},`+
			`"allowed_callers":["code_execution_20260120"]}]}`))
		require.NoError(t, err)
		_, err = x.AppendRequest(nil, pair.Target(openAIs, "gpt-5.6"))
		require.NoError(t, err)
		s, in, out := x.Stream(), 0, 0
		push := func(kind string, pairs ...any) {
			e := namedEvent(kind, append(fields("type", kind), fields(pairs...)...))
			got, _ := s.Push([]byte(e))
			in, out = in+len(e), out+len(got)
		}
		push("response.created", "response", object{"id": "r", "model": "m", "output": []any{}})
		for i := range c.programs {
			push("response.output_item.done", "output_index", i, "item", object{"type": "program",
				"id": c.id, "call_id": fmt.Sprint("p", i), "code": c.code, "fingerprint": "f"})
		}
		for i := range c.calls {
			push("response.output_item.done", "output_index", c.programs+i, "item", object{
				"type": "function_call", "id": fmt.Sprint("fc", i), "call_id": fmt.Sprint("c", i), "name": "get",
				"arguments": "{}", "caller": object{"type": "program", "caller_id": "p0"}})
		}
		require.Less(t, out, 4*in)
		require.Equal(t, c.failed, x.Failed)
	}
}
