package vendors

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const geminiGood = `{
	"systemInstruction": {"parts": [{"text": "Be brief."}]},
	"contents": [
		{"role": "user", "parts": [{"text": "hi"}]},
		{"role": "model", "parts": [
			{"text": "thought", "thought": true},
			{"functionCall": {"id": "g1", "name": "get", "args": {}}, "thoughtSignature": "c2ln"},
			{"functionCall": {"id": "g2", "name": "get", "args": {}}}]},
		{"role": "user", "parts": [
			{"functionResponse": {"id": "g1", "name": "get", "response": {"output": "one"}}},
			{"functionResponse": {"id": "g2", "name": "get", "response": {"output": "two"}}}]}],
	"tools": [{"functionDeclarations": [
		{"name": "get", "parameters": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}}},
		{"name": "put", "parametersJsonSchema": {"type": "object"}}]}],
	"generationConfig": {"temperature": 1}}`

func geminiRules() (all []rules) {
	function := "tools[0].functionDeclarations[0]"
	all = append(all, rules{
		name: "Gemini 3", protocol: "gemini", path: "/v1beta/models/gemini-3-pro:generateContent",
		good:   geminiGood,
		issued: issues([]Reasoning{{Text: "thought", Blob: "c2ln"}}, "g1", "g2"),
		rows: []row{
			{"members", "an unknown field", set("stream", `true`), `Unknown name "stream"`},
			{"members", "an unknown field of the configuration", set("generationConfig.max_tokens", `1`),
				`Unknown name "maxTokens" at 'generation_config'`},
			{"members", "an unknown part", set("contents[0].parts[0].type", `"text"`), `Unknown name "type"`},
			{"schema-keywords", "an unknown keyword of a schema", set(function+".parameters.additionalProperties", `false`),
				`Unknown name "additionalProperties" at 'tools\[0\].function_declarations\[0\].parameters'`},
			{"contents", "no contents", set("contents", `[]`), `contents is not specified`},
			{"roles", "role assistant", set("contents[1].role", `"assistant"`), `Please use a valid role`},
			{"contents", "no parts", set("contents[0].parts", `[]`), `parts must not be empty`},
			{"empty-text", "an empty text", set("contents[0].parts[0].text", `""`), `empty text parameter`},
			{"contents", "an empty part", set("contents[0].parts[0]", `{}`), `required oneof field 'data'`},
			{"first-user", "the model first", drop("contents[0]"), `immediately after a user turn`},
			{"image-type", "an image of another type", set("contents[0].parts[0]",
				`{"inlineData":{"mimeType":"image/gif","data":"R0lGODdh"}}`),
				`Unsupported MIME type: image/gif`},
			{"tool-name", "a bad name", set(function+".name", `"1password"`), `Invalid function name`},
			{"tool-unique", "a function twice", set("tools[0].functionDeclarations[1].name", `"get"`),
				`Duplicate function declaration`},
			{"one-schema", "two schemas", set(function+".parametersJsonSchema", `{}`), `mutually exclusive`},
			{"results", "a call without a response", drop("contents[2].parts[0]"),
				`equal to the number of function call parts`},
			{"last-call", "calls at the end", drop("contents[2]"), `immediately after a user turn`},
			{"results", "a text beside responses", insert("contents[2].parts[0]", `{"text":"So."}`),
				`immediately after a function call turn`},
			{"call-place", "a call in a user content", set("contents[1].role", `"user"`), `function calls are the model's`},
			{"response-form", "a response that is a text", set("contents[2].parts[0].functionResponse.response", `"one"`),
				`Invalid value`},
			{"signatures", "a call without a signature", drop("contents[1].parts[1].thoughtSignature"),
				`missing a thought_signature`},
			{"signatures", "a foreign signature", set("contents[1].parts[1].thoughtSignature", `"eA=="`),
				`Thought signature is not valid`},
			{"signatures", "the signature of another vendor", set("contents[1].parts[1].thoughtSignature", `"ZWwxOg=="`),
				`Base64 decoding failed`},
		},
	})
	all = append(all, rules{
		name: "Gemini 2.5", protocol: "gemini", path: "/v1beta/models/gemini-2.5-pro:generateContent",
		good: `{"contents": [
			{"role": "user", "parts": [{"text": "hi"}]},
			{"role": "model", "parts": [{"functionCall": {"name": "get", "args": {}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "get",
				"response": {"output": "one"}}}]}]}`,
		rows: []row{
			{"call-ids", "an id", set("contents[1].parts[0].functionCall.id", `"g1"`), `Unknown name "id"`},
		},
	})
	all = append(all, rules{
		name: "Vertex AI", protocol: "gemini", path: "/v1beta/models/gemini-3-pro:generateContent",
		options: Options{Vertex: true},
		good:    `{"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "labels": {"a": "b"}}`,
		rows: []row{
			{"vertex-members", "store", set("store", `false`), `Unknown name "store"`},
			{"vertex-members", "a tier", set("serviceTier", `"flex"`), `Unknown name "serviceTier"`},
		},
	})
	return all
}

func interactionsRules() []rules {
	return []rules{{
		name: "a conversation", protocol: "interactions", path: "/v1beta/interactions",
		header: http.Header{"Api-Revision": {"2026-05-20"}},
		issued: issues([]Reasoning{{Text: "thought", Blob: "c2ln"}}, "g1"),
		good: `{
			"model": "m", "store": false, "system_instruction": "Be brief.",
			"input": [
				{"type": "user_input", "content": [{"type": "text", "text": "hi"}]},
				{"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "thought"}]},
				{"type": "function_call", "id": "g1", "name": "get", "arguments": {}},
				{"type": "function_call", "id": "g2", "name": "get", "arguments": {}},
				{"type": "function_result", "call_id": "g1", "name": "get", "result": "one"},
				{"type": "function_result", "call_id": "g2", "name": "get", "result": [{"type": "text",
					"text": "two"}]}],
			"tools": [{"type": "function", "name": "get", "parameters": {"type": "object",
				"required": ["city"]}}],
			"generation_config": {"tool_choice": {"allowed_tools": {"mode": "any", "tools": ["get"]}}}}`,
		rows: []row{
			{"members", "an unknown field", set("contents", `[]`), `contents: unknown field`},
			{"steps", "an unknown step", set("input[0].type", `"user"`), `unknown value "user"`},
			{"empty-text", "an empty text", set("input[0].content[0].text", `""`), `must not be empty`},
			{"stored", "a stored interaction", set("store", `true`), `would be kept`},
			{"required-list", "an empty required list", set("tools[0].parameters.required", `[]`),
				`required must not be empty`},
			{"tool-unique", "a tool twice", repeat("tools[0]", "tools[1]"), `Duplicate function declaration`},
			{"choice", "a choice without tools", drop("tools"), `without function_declarations`},
			{"chosen-tool", "a choice of an unknown tool",
				set("generation_config.tool_choice.allowed_tools.tools[0]", `"put"`),
				`names no function`},
			{"first-user", "the model first", drop("input[0]"), `first step is not the user's`},
			{"last-model", "the model last",
				insert("input[6]", `{"type":"model_output","content":[{"type":"text","text":"So"}]}`),
				`ending with a model turn`},
			{"results", "results in another order", move("input[5]", "input[4]"), `a result of g2 where g1 has none`},
			{"results", "a call without a result", drop("input[5]"), `a call has no result`},
			{"results", "a user turn before a result",
				insert("input[5]", `{"type":"user_input","content":[{"type":"text","text":"So"}]}`),
				`g2 has no result`},
			{"call-id-unique", "an id twice", set("input[3].id", `"g1"`), `not unique`},
			{"signatures", "a call without a thought", drop("input[1]"), `invalid argument`},
			{"signatures", "a foreign signature", set("input[1].signature", `"eA=="`), `Thought signature is not valid`},
		},
	}}
}

func TestInteractionsRequest(t *testing.T) {
	r := interactionsRules()[0]
	r.header = nil
	if err := r.check(decode(r.good)); err == nil {
		t.Error("a request without the header Api-Revision is accepted")
	}
	r.path = "/v1/interactions"
	if err := r.check(decode(r.good)); err == nil {
		t.Error("a request with another path is accepted")
	}
}

// TestSnakeCase: Google also accepts members in snake case, except in the caller's own objects.
func TestSnakeCase(t *testing.T) {
	v := New("gemini", Options{}, nil)
	ask := func(body string) error {
		return v.Check(&Request{Path: "/v1beta/models/gemini-3-pro:generateContent", Body: []byte(body)})
	}
	require.NoError(t, ask(`{"system_instruction":{"parts":[{"text":"a"}]},"generation_config":{"max_output_tokens":9},
		"contents":[{"role":"user","parts":[{"text":"b"}]}],"tools":[{"function_declarations":[
			{"name":"get","parameters_json_schema":{"type":"object","properties":{"a_b":{}}}}]}],
		"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["get"]}}}`))
	require.ErrorContains(t, ask(`{"contents":[{"role":"user","parts":[{"text":"b"}]}],"tool_configs":{}}`), "toolConfigs")
}
