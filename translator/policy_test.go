package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/wasmtest/corpus"
)

// TestMappedToolsOfResponses renames tools that only Responses has: a tool with free text, a tool
// in a namespace, and a tool of a type of the API's own. The client gets each call in the form of
// its tool.
func TestMappedToolsOfResponses(t *testing.T) {
	p := &policy.Policy{PrefixIDs: true, Tools: []policy.Tool{
		{Name: "patch", As: "apply_it"},
		{Name: "mcp__srv__echo", As: "repeat", Params: []policy.Param{{From: "text", To: "what"}}},
		{Name: "tool_search", As: "find", Params: []policy.Param{{From: "query", To: "words"}}},
	}}
	pair, _ := translator.Lookup("responses", "chat")
	x, err := pair.Decode("", []byte(`{"model":"m","input":"x","tools":[{"type":"custom","name":"patch"},
{"type":"namespace","name":"mcp__srv","description":"","tools":[{"type":"function","name":"echo","parameters":{"type":"object","properties":{"text":{}}}}]},
{"type":"tool_search","execution":"client","description":"d","parameters":{"type":"object","properties":{"query":{}}}}]}`))
	require.Nil(t, err)
	x.Policy = p
	request, err := x.AppendRequest(nil, &ir.Target{})
	require.Nil(t, err)
	for _, tool := range []string{`"name":"apply_it"`, `"name":"repeat"`, `"properties":{"what":{}}`,
		`"name":"find"`, `"properties":{"words":{}}`} {
		require.Contains(t, string(request), tool)
	}
	body, err := x.AppendBody(nil, []byte(`{"choices":[{"message":{"tool_calls":[
{"id":"a","function":{"name":"apply_it","arguments":"{\"input\":\"text\"}"}},
{"id":"b","function":{"name":"repeat","arguments":"{\"what\":\"a\"}"}},
{"id":"c","function":{"name":"find","arguments":"{\"words\":\"b\"}"}}]},"finish_reason":"tool_calls"}]}`))
	require.Nil(t, err)
	for _, item := range []string{
		`"type":"custom_tool_call","call_id":"call_el_a","name":"patch","input":"text"`,
		`"type":"function_call","call_id":"call_el_b","name":"echo","namespace":"mcp__srv",` +
			`"arguments":"{\"text\":\"a\"}"`,
		`"type":"tool_search_call","execution":"client","call_id":"call_el_c","arguments":{"query":"b"}`,
	} {
		require.Contains(t, string(body), item)
	}
}

// TestIDsComeBack sends an answer to each client and the client's results back: the upstream gets
// its own call ids.
func TestIDsComeBack(t *testing.T) {
	const id = "functions.f:0"
	history := map[string][2]string{
		"anthropic": {`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"`, `","name":"f","input":{}}]}]}`},
		"chat": {`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant",` +
			`"tool_calls":[{"id":"`, `","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`},
		"responses": {`{"model":"m","input":[{"role":"user","content":"x"},{"type":"function_call",` +
			`"call_id":"`, `","name":"f","arguments":"{}"}]}`},
		"gemini": {`{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model",` +
			`"parts":[{"functionCall":{"id":"`, `","name":"f","args":{}}}]}]}`},
		"interactions": {`{"model":"m","input":[{"type":"user_input","content":[{"type":"text",` +
			`"text":"x"}]},{"type":"function_call","id":"`, `","name":"f","arguments":{}}]}`},
	}
	// any id is valid for Google
	shown := map[string]string{"anthropic": "toolu_elx_66756e6374696f6e732e663a30",
		"chat": "call_elx_66756e6374696f6e732e663a30", "responses": "call_elx_66756e6374696f6e732e663a30",
		"gemini": id, "interactions": id}
	for _, client := range protocols {
		x := ask(t, client, "chat")
		x.Policy = &policy.Policy{PrefixIDs: true}
		body, err := x.AppendBody(nil, []byte(`{"choices":[{"message":{"tool_calls":[{"id":"`+id+
			`","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`))
		require.Nil(t, err)
		require.Contains(t, string(body), `"`+shown[client]+`"`)
		for _, upstream := range []string{"chat", "responses"} {
			pair, _ := translator.Lookup(client, upstream)
			y, err := pair.Decode(corpus.Path(client, "m", false),
				[]byte(history[client][0]+shown[client]+history[client][1]))
			require.Nil(t, err)
			y.Policy = x.Policy
			request, err := y.AppendRequest(nil, &ir.Target{})
			require.Nil(t, err)
			require.Contains(t, string(request), `"`+id+`"`)
		}
	}
}

// TestCutDescriptions: cut bytes are counted, and are not noted as lost.
func TestCutDescriptions(t *testing.T) {
	bodies := map[string]string{
		"anthropic": `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],` +
			`"tools":[{"name":"f","description":"One. Two.","input_schema":{"type":"object",` +
			`"description":"Three. Four."}}]}`,
		"chat": `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function",` +
			`"function":{"name":"f","description":"One. Two.","parameters":{"type":"object",` +
			`"description":"Three. Four."}}}]}`,
		"responses": `{"model":"m","input":"x","tools":[{"type":"function","name":"f",` +
			`"description":"One. Two.","parameters":{"type":"object","description":"Three. Four."}}]}`,
		"gemini": `{"contents":[{"parts":[{"text":"x"}]}],` +
			`"tools":[{"functionDeclarations":[{"name":"f","description":"One. Two.",` +
			`"parameters":{"type":"OBJECT","description":"Three. Four."}}]}]}`,
		"interactions": `{"model":"m","input":"x","tools":[{"type":"function","name":"f",` +
			`"description":"One. Two.","parameters":{"type":"object","description":"Three. Four."}}]}`,
	}
	for _, client := range protocols {
		for _, upstream := range protocols {
			pair, _ := translator.Lookup(client, upstream)
			x, err := pair.Decode(corpus.Path(client, "m", false), []byte(bodies[client]))
			require.Nil(t, err)
			x.Policy = &policy.Policy{Descriptions: policy.Cut{FirstSentence: true}}
			require.Zero(t, translator.ForWorker(x).CutDescriptions())
			request, err := x.AppendRequest(nil, &ir.Target{})
			require.Nil(t, err)
			require.Contains(t, string(request), `"description":"One."`)
			require.Contains(t, string(request), `"description":"Three."`)
			require.Equal(t, int64(len(" Two. Four.")), translator.ForWorker(x).CutDescriptions())
			require.NotContains(t, x.Lost.Header(), "tools")
		}
	}
}
