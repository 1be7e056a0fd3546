package vendors

import (
	"net/http"
	"testing"
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

func TestGeminiRules(t *testing.T) {
	function := "tools[0].functionDeclarations[0]"
	rules{
		name: "Gemini 3", protocol: "gemini", path: "/v1beta/models/gemini-3-pro:generateContent",
		good:   geminiGood,
		issued: issues([]Reasoning{{Text: "thought", Blob: "c2ln"}}, "g1", "g2"),
		rows: []row{
			{"an unknown field", set("stream", `true`), `Unknown name "stream"`},
			{"an unknown field of the configuration", set("generationConfig.top_p", `1`),
				`Unknown name "top_p" at 'generation_config'`},
			{"an unknown part", set("contents[0].parts[0].type", `"text"`), `Unknown name "type"`},
			{"an unknown keyword of a schema", set(function+".parameters.additionalProperties", `false`),
				`Unknown name "additionalProperties" at 'tools\[0\].function_declarations\[0\].parameters'`},
			{"no contents", set("contents", `[]`), `contents is not specified`},
			{"role assistant", set("contents[1].role", `"assistant"`), `Please use a valid role`},
			{"no parts", set("contents[0].parts", `[]`), `parts must not be empty`},
			{"an empty text", set("contents[0].parts[0].text", `""`), `empty text parameter`},
			{"an empty part", set("contents[0].parts[0]", `{}`), `required oneof field 'data'`},
			{"the model first", drop("contents[0]"), `immediately after a user turn`},
			{"a bad name", set(function+".name", `"1password"`), `Invalid function name`},
			{"a function twice", set("tools[0].functionDeclarations[1].name", `"get"`),
				`Duplicate function declaration`},
			{"two schemas", set(function+".parametersJsonSchema", `{}`), `mutually exclusive`},
			{"a call without a response", drop("contents[2].parts[0]"),
				`equal to the number of function call parts`},
			{"calls at the end", drop("contents[2]"), `immediately after a user turn`},
			{"a text beside responses", insert("contents[2].parts[0]", `{"text":"So."}`),
				`immediately after a function call turn`},
			{"a call in a user content", set("contents[1].role", `"user"`), `function calls are the model's`},
			{"a response that is a text", set("contents[2].parts[0].functionResponse.response", `"one"`),
				`Invalid value`},
			{"a call without a signature", drop("contents[1].parts[1].thoughtSignature"),
				`missing a thought_signature`},
			{"a foreign signature", set("contents[1].parts[1].thoughtSignature", `"eA=="`),
				`Thought signature is not valid`},
			{"the signature of another vendor", set("contents[1].parts[1].thoughtSignature", `"ZWwxOg=="`),
				`Base64 decoding failed`},
		},
	}.run(t)
	rules{
		name: "Gemini 2.5", protocol: "gemini", path: "/v1beta/models/gemini-2.5-pro:generateContent",
		good: `{"contents": [
			{"role": "user", "parts": [{"text": "hi"}]},
			{"role": "model", "parts": [{"functionCall": {"name": "get", "args": {}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "get",
				"response": {"output": "one"}}}]}]}`,
		rows: []row{
			{"an id", set("contents[1].parts[0].functionCall.id", `"g1"`), `Unknown name "id"`},
		},
	}.run(t)
}

func TestInteractionsRules(t *testing.T) {
	r := rules{
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
			{"an unknown field", set("contents", `[]`), `contents: unknown field`},
			{"an unknown step", set("input[0].type", `"user"`), `unknown value "user"`},
			{"an empty text", set("input[0].content[0].text", `""`), `must not be empty`},
			{"a stored interaction", set("store", `true`), `would be kept`},
			{"an empty required list", set("tools[0].parameters.required", `[]`),
				`required must not be empty`},
			{"a tool twice", repeat("tools[0]", "tools[1]"), `Duplicate function declaration`},
			{"a choice without tools", drop("tools"), `without function_declarations`},
			{"a choice of an unknown tool",
				set("generation_config.tool_choice.allowed_tools.tools[0]", `"put"`),
				`names no function`},
			{"the model first", drop("input[0]"), `first step is not the user's`},
			{"the model last",
				insert("input[6]", `{"type":"model_output","content":[{"type":"text","text":"So"}]}`),
				`ending with a model turn`},
			{"results in another order", move("input[5]", "input[4]"), `a result of g2 where g1 has none`},
			{"a call without a result", drop("input[5]"), `a call has no result`},
			{"a user turn before a result",
				insert("input[5]", `{"type":"user_input","content":[{"type":"text","text":"So"}]}`),
				`g2 has no result`},
			{"an id twice", set("input[3].id", `"g1"`), `not unique`},
			{"a call without a thought", drop("input[1]"), `invalid argument`},
			{"a foreign signature", set("input[1].signature", `"eA=="`), `Thought signature is not valid`},
		},
	}
	r.run(t)
	r.header = nil
	if err := r.check(decode(r.good)); err == nil {
		t.Error("a request without the header Api-Revision is accepted")
	}
	r.path = "/v1/interactions"
	if err := r.check(decode(r.good)); err == nil {
		t.Error("a request with another path is accepted")
	}
}
