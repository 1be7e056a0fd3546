package translator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// TestPhasesStay: later messages never change a phase, so the upstream's prompt cache remains
// usable. Every history of a session, with continued turns, is the beginning of the next history.
func TestPhasesStay(t *testing.T) {
	// A * marks the last message of a request: the user's message, a result, or an assistant turn
	// to be continued.
	sessions := map[string][]string{
		"anthropic": {
			`*{"role":"user","content":"a"}`,
			`*{"role":"assistant","content":[{"type":"text","text":"I look."}]}`,
			`*{"role":"assistant","content":[{"type":"text","text":"Still."},{"type":"thinking",` +
				`"thinking":"hm","signature":"s"},{"type":"text","text":"So."}]}`,
			`{"role":"assistant","content":[{"type":"text","text":"I read."},{"type":"tool_use","id":"t1",` +
				`"name":"f","input":{}}]}`,
			`*{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}`,
			`{"role":"assistant","content":"It is x."}`,
			`*{"role":"user","content":"b"}`,
			`{"role":"assistant","content":[{"type":"text","text":"One."},{"type":"text","text":"Two."}]}`,
			`{"role":"system","content":"Be brief."}`,
			`*{"role":"user","content":"c"}`,
		},
		"chat": {
			`*{"role":"user","content":"a"}`,
			`*{"role":"assistant","content":"I look."}`,
			`{"role":"assistant","content":"I read.","tool_calls":[{"id":"t1","type":"function",` +
				`"function":{"name":"f","arguments":"{}"}}]}`,
			`*{"role":"tool","tool_call_id":"t1","content":"x"}`,
			`{"role":"assistant","content":"It is x."}`,
			`*{"role":"user","content":"b"}`,
			`{"role":"assistant","content":"One."}`,
			`*{"role":"user","content":"c"}`,
		},
		"responses": {
			`*{"role":"user","content":"a"}`,
			`*{"role":"assistant","content":"I look."}`,
			`*{"role":"assistant","phase":"final_answer","content":"I think so."}`,
			`*{"role":"assistant","content":"I read."}`,
			`{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"}`,
			`*{"type":"function_call_output","call_id":"t1","output":"x"}`,
			`{"role":"assistant","content":"It is x."}`,
			`*{"role":"user","content":"b"}`,
		},
	}
	bodies := map[string]string{"anthropic": `{"model":"gpt-5.5","max_tokens":9,"messages":[`,
		"chat": `{"model":"gpt-5.5","messages":[`, "responses": `{"model":"gpt-5.5","input":[`}
	for client, messages := range sessions {
		pair, _ := translator.Lookup(client, "responses")
		before := ""
		for n, message := range messages {
			if message[0] != '*' {
				continue
			}
			history := strings.ReplaceAll(strings.Join(messages[:n+1], ","), "*", "")
			x, refused := pair.Decode("", []byte(bodies[client]+history+`]}`))
			require.Nil(t, refused)
			request, refused := x.AppendRequest(nil, &ir.Target{OpenAI: true, Phases: true})
			require.Nil(t, refused)
			var body struct{ Input json.RawMessage }
			require.NoError(t, json.Unmarshal(request, &body))
			input := strings.TrimSuffix(string(body.Input), "]")
			require.True(t, strings.HasPrefix(input, before), "%s %d:\n%s\n%s", client, n, before, input)
			before = input
		}
		require.Contains(t, before, `"phase":"final_answer","content":"It is x."`)
		require.Equal(t, strings.Count(before, `"role":"assistant"`), strings.Count(before, `"phase"`))
	}
}
