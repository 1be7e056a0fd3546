package vendors

import "strings"

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

func chatRules() (all []rules) {
	call := "messages[2].tool_calls[0]"
	parameters := "tools[0].function.parameters"
	all = append(all, rules{name: "without reasoning", protocol: "chat", good: chatGood, rows: []row{
		{"members", "an unknown field", set("system", `"x"`), `system: unknown field`},
		{"members", "cache_control", set("messages[1].content[0].cache_control", `{"type":"ephemeral"}`),
			`unknown field`},
		{"members", "reasoning_content", set("messages[2].reasoning_content", `"x"`), `unknown field`},
		{"members", "reasoning_details", set("messages[2].reasoning_details", `[{}]`), `unknown field`},
		{"roles", "an unknown role", set("messages[1].role", `"human"`), `unknown value "human"`},
		{"content", "no content", drop("messages[1].content"), `content: required`},
		{"content", "an assistant message without content or calls",
			insert("messages[6]", `{"role":"assistant","content":null}`),
			`must be set`},
		{"empty-list", "no parts", set("messages[1].content", `[]`), `at least 1`},
		{"parts", "a part in Anthropic's form",
			set("messages[1].content[1].type", `"image"`), `unknown value "image"`},
		{"result-parts", "an image in a result", imageInResult, `image_url: unknown field`},
		{"image-type", "a bad data URL", set("messages[1].content[1].image_url.url", `"data:image/bmp;base64,AAAA"`),
			`You uploaded an unsupported image`},
		{"file-name", "a file without a name", set("messages[1].content[1]",
			`{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA"}}`), `filename: required`},
		{"file-type", "a file that is an image", set("messages[1].content[1]", `{"type":"file","file":{`+
			`"filename":"x","file_data":"data:image/png;base64,AAAA"}}`), `file_data: must match`},
		{"call-id", "a long id", set(call+".id", `"`+strings.Repeat("x", 41)+`"`), `too long`},
		{"call-id-unique", "an id twice", set("messages[2].tool_calls[1].id", `"call_1"`), `must be unique`},
		{"tool-name", "a bad name", set("tools[0].function.name", `"a.b"`), `must match`},
		{"tool-name", "a long name", set(call+".function.name", `"`+strings.Repeat("x", 65)+`"`), `must match`},
		{"arguments", "arguments as an object", set(call+".function.arguments", `{}`), `must be string`},
		{"arguments", "arguments that are not JSON", set(call+".function.arguments", `""`), `must be a JSON object`},
		{"empty-list", "an empty list of calls",
			insert("messages[6]", `{"role":"assistant","content":"x","tool_calls":[]}`),
			`at least 1`},
		{"results", "a call without a result", drop("messages[3]"), `responding to each 'tool_call_id': call_2`},
		{"results", "calls at the end", keep("messages", 0, 3), `responding to each`},
		{"results", "a result without a call", set("messages[3].tool_call_id", `"call_3"`),
			`must be a response to a preceding`},
		{"results", "a result twice", repeat("messages[4]", "messages[5]"), `must be a response to a preceding`},
		{"results", "a text between call and result", repeat("messages[5]", "messages[4]"), `responding to each`},
		{"empty-list", "an empty list of tools", set("tools", `[]`), `at least 1`},
		{"choice", "tool_choice without tools", drop("tools"), `tool_choice: is only allowed`},
		{"choice", "parallel_tool_calls without tools", drop("tools").and(drop("tool_choice")),
			`parallel_tool_calls: is only allowed`},
		{"chosen-tool", "a choice of an unknown tool", set("tool_choice", `{"type":"function","function":{"name":"other"}}`),
			`'other' is not in`},
		{"choice", "a choice in Anthropic's form", set("tool_choice", `"any"`), `must be one of`},
		{"tool-unique", "a tool twice", repeat("tools[0]", "tools[1]"), `tool names must be unique`},
		{"schema-strict", "a strict tool with an open schema", set(parameters, openSchema), `additionalProperties`},
		{"schema-strict", "a strict tool with an optional parameter", set(parameters+".required", `[]`),
			`'required' must include`},
		{"schema-union", "a union at a schema's root", set(parameters, unionRoot), `does not support anyOf`},
		{"schema-strict", "a strict tool with an unsupported keyword",
			set(parameters, cityAs(`{"type":"string","minLength":1}`)),
			`'minLength' is not permitted`},
		{"schema-arrays", "a tuple", set(parameters, cityAs(`{"type":"array","items":[{}]}`)),
			`is not of type 'object', 'boolean'`},
		{"schema-arrays", "an array without items", set(parameters, cityAs(`{"anyOf":[{"type":"array"}]}`)),
			`array schema missing items`},
		{"schema-arrays", "an array without items in a format", set("response_format",
			`{"type":"json_schema","json_schema":{"name":"n","schema":`+cityAs(`{"type":"array"}`)+`}}`),
			`array schema missing items`},
		{"format-root", "an answer that is a list", set("response_format", `{"type":"json_schema",`+
			`"json_schema":{"name":"n","schema":{"type":"array","items":{}}}}`), `got 'type: "array"'`},
		{"one-limit", "both token limits", set("max_tokens", `64`), `together`},
		{"stream-options", "stream_options without a stream", set("stream", `false`), `stream_options`},
		{"stops", "five stop sequences", set("stop", `["a","b","c","d","e"]`), `at most 4`},
		{"format-name", "a format without a name", set("response_format",
			`{"type":"json_schema","json_schema":{"schema":`+citySchema+`}}`), `name: required`},
		{"effort", "an unknown effort", set("reasoning_effort", `"max"`), `must be one of`},
	}})
	return all
}

// manyMetadata sets more metadata than OpenAI accepts.
func manyMetadata(body any) {
	metadata := object{}
	for i := range 17 {
		metadata[string(rune('a'+i))] = "x"
	}
	body.(object)["metadata"] = metadata
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

func chatReasoningRules() (all []rules) {
	details := "messages[2].reasoning_details"
	all = append(all, rules{
		name: "reasoning_details", protocol: "chat", options: Options{Reasoning: "reasoning_details"},
		issued: issues([]Reasoning{
			{Text: "thought", Blob: "sig1"}, {Blob: "data1", Redacted: true},
		}, "call_1"),
		good: withReasoning("reasoning_details",
			`[{"type":"reasoning.text","text":"thought","signature":"sig1"},
				{"type":"reasoning.encrypted","data":"data1"}]`),
		rows: []row{
			{"reasoning-details", "a foreign signature", set(details+"[0].signature", `"x"`), `none of this upstream's`},
			{"reasoning-details", "a changed text", set(details+"[0].text", `"x"`), `none of this upstream's`},
			{"reasoning-details", "foreign data", set(details+"[1].data", `"x"`), `none of this upstream's`},
			{"reasoning-details", "a missing element", drop(details + "[1]"), `must be passed back`},
			{"reasoning-details", "no elements", drop(details), `must be passed back`},
			{"reasoning-details", "an empty list", set(details, `[]`), `at least 1`},
		},
	})
	content := "messages[2].reasoning_content"
	all = append(all, rules{
		name: "reasoning_content", protocol: "chat", options: Options{Reasoning: "reasoning_content"},
		issued: issues([]Reasoning{{Text: "thought"}}, "call_1"),
		good: encode(edited(withReasoning("reasoning_content", `"thought"`), // and a turn without calls
			insert("messages[6]", `{"role":"assistant","content":"Hello."}`).
				and(insert("messages[7]", `{"role":"user","content":"And?"}`)))),
		rows: []row{
			{"reasoning-content", "another text", set(content, `"x"`), `must be passed back`},
			{"reasoning-content", "no text", drop(content), `must be passed back to the API`},
			{"reasoning-content", "an empty text", set(content, `""`), `must be passed back to the API`},
			{"reasoning-content", "no text after the call's result",
				insert("messages[5]", `{"role":"assistant","content":"So."}`), `must be passed back to the API`},
		},
	})
	return all
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

func openAIChatRules() (all []rules) {
	all = append(all, rules{
		name: "OpenAI", protocol: "chat", options: Options{OpenAI: true},
		good: chatCodex("custom", `"input": "x"`,
			`, "verbosity": "low", "prompt_cache_key": "1", "service_tier": "priority", `+
				`"safety_identifier": "u"`),
		rows: []row{
			{"model-limit", "max_tokens", set("max_tokens", `64`), `max_tokens: Unsupported`},
			{"model-sampling", "a temperature", set("temperature", `0.5`).and(set("reasoning_effort", `"low"`)),
				`temperature: Unsupported`},
			{"model-sampling", "a penalty", set("presence_penalty", `0.5`), `presence_penalty: Unsupported`},
			{"model-sampling", "log probabilities", set("logprobs", `true`).and(set("reasoning_effort", `"low"`)),
				`logprobs: Unsupported`},
			{"model-stop", "stop", set("stop", `["x"]`), `stop: Unsupported`},
			{"tools-effort", "tools and an effort", set("reasoning_effort", `"low"`), `not supported in`},
			{"tools-effort", "tools and no effort", drop("reasoning_effort"), `not supported in`},
			{"metadata", "metadata with a long value",
				set("metadata", `{"a":"`+strings.Repeat("x", 513)+`"}`), `metadata.a: string too long`},
			{"metadata", "metadata with 17 members", manyMetadata, `too many properties`},
			{"custom", "a grammar in Responses' form", set("tools[0].custom.format",
				`{"type":"grammar","syntax":"lark","definition":"x"}`), `definition: unknown field`},
			{"custom", "an input that is an object", set("messages[2].tool_calls[0].custom.input", `{}`),
				`must be string`},
			{"custom", "a flat custom tool", set("tools[0]", `{"type":"custom","name":"patch"}`),
				`name: unknown field`},
			{"custom", "a choice of an unknown custom tool",
				set("tool_choice", `{"type":"custom","custom":{"name":"other"}}`),
				`'other' is not in`},
		},
	})
	return all
}

func chatTemplateRules() (all []rules) {
	all = append(all, rules{
		name: "chat templates", protocol: "chat", good: chatCodex("function", `"arguments": "{}"`, ""),
		rows: []row{
			{"functions", "a custom tool", set("tools[0]", `{"type":"custom","custom":{"name":"patch"}}`),
				`must be function`},
			{"functions", "a custom call", set("messages[2].tool_calls[0]",
				`{"id":"call_1","type":"custom","custom":{"name":"patch","input":"x"}}`),
				`must be one of a function`},
			{"user-after-tool", "a user message after a result at Mistral's models",
				set("model", `"mistral-large"`),
				`messages\[4\]: Unexpected role 'user' after role 'tool'`},
			{"text-only", "an image for DeepSeek's models", set("model", `"deepseek-v4-pro"`).
				and(set("messages[1].content", `[{"type":"image_url","image_url":{"url":"https://a.com/"}}]`)),
				"unknown variant `image_url`, expected `text`"},
			{"openai-members", "verbosity", set("verbosity", `"low"`), `verbosity: unknown`},
			{"openai-members", "a service tier", set("service_tier", `"auto"`), `service_tier: unknown`},
			{"openai-members", "a safety identifier", set("safety_identifier", `"u"`), `safety_identifier: unknown`},
			{"openai-members", "a prompt cache key", set("prompt_cache_key", `"1"`), `prompt_cache_key: unknown`},
			{"system-first", "a system message in the middle",
				set("messages[4].role", `"system"`), `must be at the beginning`},
			{"system-first", "two system messages", repeat("messages[0]", "messages[0]"), `must be at the beginning`},
			{"system-first", "a developer message", set("messages[0].role", `"developer"`), `must be at the beginning`},
			{"alternate", "two user messages in a row",
				insert("messages[5]", `{"role":"user","content":"Well?"}`), `must alternate`},
			{"alternate", "two assistant messages in a row", insert("messages[2]", `{"role":"assistant","content":"So."}`),
				`must alternate`},
		},
	})
	return all
}
