package vendors

import (
	"strings"
	"testing"
)

const chatGood = `{
	"model": "m", "max_completion_tokens": 64,
	"messages": [
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": [
			{"type": "text", "text": "hi"},
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,` + png + `"}}]},
		{"role": "assistant", "content": null, "tool_calls": [
			{"id": "call_1", "type": "function", "function": {"name": "get", "arguments": "{}"}},
			{"id": "call_2", "type": "function", "function": {"name": "get", "arguments": "{}"}}]},
		{"role": "tool", "tool_call_id": "call_2", "content": "two"},
		{"role": "tool", "tool_call_id": "call_1", "content": "one"},
		{"role": "user", "content": "And?"}],
	"tools": [{"type": "function", "function": {
		"name": "get", "parameters": ` + citySchema + `, "strict": true}}],
	"tool_choice": "auto", "parallel_tool_calls": true,
	"stream": true, "stream_options": {"include_usage": true}}`

func TestChatRules(t *testing.T) {
	call := "messages[2].tool_calls[0]"
	parameters := "tools[0].function.parameters"
	rules{name: "without reasoning", protocol: "chat", good: chatGood, rows: []row{
		{"an unknown field", set("system", `"x"`), `system: unknown field`},
		{"cache_control", set("messages[1].content[0].cache_control", `{"type":"ephemeral"}`),
			`unknown field`},
		{"reasoning_content", set("messages[2].reasoning_content", `"x"`), `unknown field`},
		{"reasoning_details", set("messages[2].reasoning_details", `[{}]`), `unknown field`},
		{"an unknown role", set("messages[1].role", `"human"`), `unknown value "human"`},
		{"no content", drop("messages[1].content"), `content: required`},
		{"an assistant message without content or calls",
			insert("messages[6]", `{"role":"assistant","content":null}`),
			`must be set`},
		{"no parts", set("messages[1].content", `[]`), `at least 1`},
		{"a part in Anthropic's form",
			set("messages[1].content[1].type", `"image"`), `unknown value "image"`},
		{"an image in a result", imageInResult, `image_url: unknown field`},
		{"a bad data URL", set("messages[1].content[1].image_url.url", `"data:image/bmp;base64,AAAA"`),
			`must match`},
		{"a file without a name", set("messages[1].content[1]",
			`{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA"}}`), `filename: required`},
		{"a long id", set(call+".id", `"`+strings.Repeat("x", 41)+`"`), `too long`},
		{"an id twice", set("messages[2].tool_calls[1].id", `"call_1"`), `must be unique`},
		{"a bad name", set("tools[0].function.name", `"a.b"`), `must match`},
		{"a long name", set(call+".function.name", `"`+strings.Repeat("x", 65)+`"`), `must match`},
		{"arguments as an object", set(call+".function.arguments", `{}`), `must be string`},
		{"arguments that are not JSON", set(call+".function.arguments", `""`), `must be a JSON object`},
		{"an empty list of calls",
			insert("messages[6]", `{"role":"assistant","content":"x","tool_calls":[]}`),
			`at least 1`},
		{"a call without a result", drop("messages[3]"), `responding to each 'tool_call_id': call_2`},
		{"calls at the end", keep("messages", 0, 3), `responding to each`},
		{"a result without a call", set("messages[3].tool_call_id", `"call_3"`),
			`must be a response to a preceding`},
		{"a result twice", repeat("messages[4]", "messages[5]"), `must be a response to a preceding`},
		{"a text between call and result", repeat("messages[5]", "messages[4]"), `responding to each`},
		{"an empty list of tools", set("tools", `[]`), `at least 1`},
		{"tool_choice without tools", drop("tools"), `tool_choice: is only allowed`},
		{"parallel_tool_calls without tools", drop("tools").and(drop("tool_choice")),
			`parallel_tool_calls: is only allowed`},
		{"a choice of an unknown tool", set("tool_choice", `{"type":"function","function":{"name":"other"}}`),
			`'other' is not in`},
		{"a choice in Anthropic's form", set("tool_choice", `"any"`), `must be one of`},
		{"a tool twice", repeat("tools[0]", "tools[1]"), `tool names must be unique`},
		{"a strict tool with an open schema", set(parameters, openSchema), `additionalProperties`},
		{"a strict tool with an optional parameter", set(parameters+".required", `[]`),
			`'required' must include`},
		{"a union at a schema's root", set(parameters, unionRoot), `does not support anyOf`},
		{"a strict tool with an unsupported keyword",
			set(parameters, cityAs(`{"type":"string","minLength":1}`)),
			`'minLength' is not permitted`},
		{"an array without items", set(parameters, cityAs(`{"anyOf":[{"type":"array"}]}`)),
			`array schema missing items`},
		{"an array without items in a format", set("response_format",
			`{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"array"}}}`),
			`array schema missing items`},
		{"both token limits", set("max_tokens", `64`), `together`},
		{"stream_options without a stream", set("stream", `false`), `stream_options`},
		{"five stop sequences", set("stop", `["a","b","c","d","e"]`), `at most 4`},
		{"a format without a name", set("response_format",
			`{"type":"json_schema","json_schema":{"schema":`+citySchema+`}}`), `name: required`},
		{"an unknown effort", set("reasoning_effort", `"max"`), `must be one of`},
	}}.run(t)
}

// imageInResult replaces the content of a result by the image from the user's message.
func imageInResult(body any) {
	set("messages[3].content", "["+encode(at(body, "messages[1].content[1]"))+"]")(body)
}

// withReasoning returns chatGood with an additional member of the assistant message.
func withReasoning(member, value string) string {
	body := decode(chatGood)
	set("messages[2]."+member, value)(body)
	return encode(body)
}

func TestChatReasoningRules(t *testing.T) {
	details := "messages[2].reasoning_details"
	rules{
		name: "reasoning_details", protocol: "chat", options: Options{Reasoning: "reasoning_details"},
		issued: issues([]Reasoning{
			{Text: "thought", Blob: "sig1"}, {Blob: "data1", Redacted: true},
		}, "call_1"),
		good: withReasoning("reasoning_details",
			`[{"type":"reasoning.text","text":"thought","signature":"sig1"},
				{"type":"reasoning.encrypted","data":"data1"}]`),
		rows: []row{
			{"a foreign signature", set(details+"[0].signature", `"x"`), `none of this upstream's`},
			{"a changed text", set(details+"[0].text", `"x"`), `none of this upstream's`},
			{"foreign data", set(details+"[1].data", `"x"`), `none of this upstream's`},
			{"a missing element", drop(details + "[1]"), `must be passed back`},
			{"no elements", drop(details), `must be passed back`},
			{"an empty list", set(details, `[]`), `at least 1`},
		},
	}.run(t)
	content := "messages[2].reasoning_content"
	rules{
		name: "reasoning_content", protocol: "chat", options: Options{Reasoning: "reasoning_content"},
		issued: issues([]Reasoning{{Text: "thought"}}, "call_1"),
		good:   withReasoning("reasoning_content", `"thought"`),
		rows: []row{
			{"another text", set(content, `"x"`), `must be passed back`},
			{"no text", drop(content), `required`},
			{"an empty text", set(content, `""`), `reasoning_content`},
		},
	}.run(t)
}

// chatCodex returns a request with a tool of type kind and a call of the tool. input is the input
// member of the call, more has further members of the request.
func chatCodex(kind, input, more string) string {
	return `{
		"model": "gpt-5.5", "reasoning_effort": "none",
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "hi"},
			{"role": "assistant", "content": null, "tool_calls": [
				{"id": "call_1", "type": "` + kind + `", "` + kind + `": {"name": "patch", ` + input + `}}]},
			{"role": "tool", "tool_call_id": "call_1", "content": "one"},
			{"role": "user", "content": "And?"}],
		"tools": [{"type": "` + kind + `", "` + kind + `": {"name": "patch"}}]` + more + `}`
}

func TestOpenAIChatRules(t *testing.T) {
	rules{
		name: "OpenAI", protocol: "chat", options: Options{OpenAI: true},
		good: chatCodex("custom", `"input": "x"`,
			`, "verbosity": "low", "prompt_cache_key": "1", "service_tier": "priority", `+
				`"safety_identifier": "u"`),
		rows: []row{
			{"max_tokens", set("max_tokens", `64`), `max_tokens: Unsupported`},
			{"a temperature", set("temperature", `0.5`), `temperature: Unsupported`},
			{"stop", set("stop", `["x"]`), `stop: Unsupported`},
			{"tools and an effort", set("reasoning_effort", `"low"`), `not supported in`},
			{"tools and no effort", drop("reasoning_effort"), `not supported in`},
			{"a grammar in Responses' form", set("tools[0].custom.format",
				`{"type":"grammar","syntax":"lark","definition":"x"}`), `definition: unknown field`},
			{"an input that is an object", set("messages[2].tool_calls[0].custom.input", `{}`),
				`must be string`},
			{"a flat custom tool", set("tools[0]", `{"type":"custom","name":"patch"}`),
				`name: unknown field`},
			{"a choice of an unknown custom tool",
				set("tool_choice", `{"type":"custom","custom":{"name":"other"}}`),
				`'other' is not in`},
		},
	}.run(t)
}

func TestChatTemplateRules(t *testing.T) {
	rules{
		name: "chat templates", protocol: "chat", good: chatCodex("function", `"arguments": "{}"`, ""),
		rows: []row{
			{"a custom tool", set("tools[0]", `{"type":"custom","custom":{"name":"patch"}}`),
				`must be function`},
			{"a custom call", set("messages[2].tool_calls[0]",
				`{"id":"call_1","type":"custom","custom":{"name":"patch","input":"x"}}`),
				`must be one of a function`},
			{"verbosity", set("verbosity", `"low"`), `verbosity: unknown`},
			{"a service tier", set("service_tier", `"auto"`), `service_tier: unknown`},
			{"a safety identifier", set("safety_identifier", `"u"`), `safety_identifier: unknown`},
			{"a prompt cache key", set("prompt_cache_key", `"1"`), `prompt_cache_key: unknown`},
			{"a system message in the middle",
				set("messages[4].role", `"system"`), `must be at the beginning`},
			{"two system messages", repeat("messages[0]", "messages[0]"), `must be at the beginning`},
			{"a developer message", set("messages[0].role", `"developer"`), `must be at the beginning`},
			{"two user messages in a row",
				insert("messages[5]", `{"role":"user","content":"Well?"}`), `must alternate`},
			{"two assistant messages in a row", insert("messages[2]", `{"role":"assistant","content":"So."}`),
				`must alternate`},
		},
	}.run(t)
}
