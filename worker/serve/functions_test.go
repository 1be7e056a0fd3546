package serve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/vendors"
)

// TestToolsOfOpenAI: tools of the types namespace and custom reach OpenAI's servers byte for byte, and
// other servers as functions, with plain answers and streams. The client gets its own kind of call.
func TestToolsOfOpenAI(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"custom","name":"apply_patch","description":"Patches.",` +
		`"format":{"type":"grammar","syntax":"lark","definition":"start: /a/"}},` +
		`{"type":"namespace","name":"mcp__srv","description":"d","tools":[{"type":"function",` +
		`"name":"echo","strict":false,"parameters":{"type":"object","properties":{}}}]}]`
	for _, test := range []struct {
		host, model string
		passes      bool
	}{
		{"api.openai.com", "gpt-5.5", true}, {"r.openai.azure.com", "gpt-5.5", true},
		{"chatgpt.com", "gpt-5.5", true}, {"litellm.test", "gpt-5.5", true},
		{"litellm.test", "openai/gpt-oss-120b", false}, {"openrouter.ai", "openai/gpt-5.5", false},
		{"bedrock-mantle.us-east-1.api.aws", "openai.gpt-5.4", false}, {"ollama.test", "qwen3.8", false},
	} {
		d := deployTo(t, "responses", map[string]string{"UPSTREAM_URL": "https://" + test.host + "/v1"})
		for _, stream := range []string{"false", "true"} {
			turn := &vendors.Turn{Calls: []vendors.Call{
				{ID: "call_1", Name: "mcp__srv__echo", Input: object{}},
				{ID: "call_2", Name: "apply_patch", Input: object{"input": "*** Begin\n\"Patch\""}}}}
			if test.passes {
				turn.Calls = nil
				turn.Text = "Hi."
			}
			v := vendors.New("responses", vendors.Options{Functions: !test.passes},
				func() *vendors.Turn { return turn })
			d.upstreams[test.host] = func(r *sent) *reply {
				return replyOf(v.Answer(&vendors.Request{Path: r.URL.Path, Header: r.Header,
					Body: []byte(r.body)}))
			}
			body := `{"model":"` + test.model + `","store":false,"stream":` + stream + `,"input":"x",` + tools + `}`
			a, response := d.respond(t, body)
			assert.Equal(t, 200, a.Code, "%v: %s", test, a.text())
			assert.Equal(t, test.passes, d.last().body == body, "%v", test)
			if !test.passes {
				assert.Equal(t, list{"function", "function"}, elements(d.last().body, "tools.#.type"))
				calls := response.Get(`output.#(type!="message")#`)
				assert.Equal(t, list{"function_call", "custom_tool_call"}, elements(calls.Raw, "#.type"), calls.Raw)
				assert.Equal(t, []string{"mcp__srv", "echo"}, []string{calls.Get("0.namespace").Str,
					calls.Get("0.name").Str})
				assert.Equal(t, []string{"apply_patch", "*** Begin\n\"Patch\""},
					[]string{calls.Get("1.name").Str, calls.Get("1.input").Str})
			}
		}
	}
}
