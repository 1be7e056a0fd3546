package vendors

import "strings"

func messagesRules() (all []rules) {
	all = append(all, rules{
		name: "with a budget", protocol: "anthropic",
		issued: issues([]Reasoning{
			{Text: "thought", Blob: "sig1"}, {Blob: "data1", Redacted: true},
		}, "toolu_1"),
		good: `{
			"model": "m", "max_tokens": 4096, "thinking": {"type": "enabled", "budget_tokens": 1024},
			"system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
			"messages": [
				{"role": "user", "content": [
					{"type": "text", "text": "hi"},
					{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "` +
			png + `"}}]},
				{"role": "assistant", "content": [
					{"type": "thinking", "thinking": "thought", "signature": "sig1"},
					{"type": "redacted_thinking", "data": "data1"},
					{"type": "text", "text": "Let me see."},
					{"type": "tool_use", "id": "toolu_1", "name": "get", "input": {}},
					{"type": "tool_use", "id": "toolu_2", "name": "get", "input": {}}]},
				{"role": "user", "content": [
					{"type": "tool_result", "tool_use_id": "toolu_2", "content": "two"},
					{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text",
						"text": "one"}]},
					{"type": "text", "text": "And?"}]}],
			"tools": [{"name": "get", "input_schema": ` + citySchema + `}],
			"tool_choice": {"type": "auto"}}`,
		rows: []row{
			{"members", "an unknown field", set("store", `false`), `store: unknown field`},
			{"members", "an unknown field of a block", set("messages[1].content[2].id", `"x"`),
				`content\[2\]\.id: unknown field`},
			{"limit", "no max_tokens", drop("max_tokens"), `max_tokens: required`},
			{"limit", "max_tokens as a string", set("max_tokens", `"4096"`), `max_tokens: must be number`},
			{"limit", "max_tokens of zero", set("max_tokens", `0`), `max_tokens: must be from 1`},
			{"limit", "half a token", set("max_tokens", `2000.5`), `must be an integer`},
			{"empty-list", "no messages", set("messages", `[]`), `at least 1`},
			{"roles", "role system", insert("messages[3]", `{"role":"system","content":"x"}`),
				`messages\[3\]\.role: Input should be 'user' or 'assistant'`},
			{"roles", "role tool", set("messages[2].role", `"tool"`), `role: unknown value "tool"`},
			{"first-user", "the assistant first", drop("messages[0]"), `the first message must be the user's`},
			{"empty-text", "an empty text", set("messages[0].content[0].text", `""`), `must not be empty`},
			{"empty-text", "a text of white space", set("messages[0].content[0].text", `" \n"`), `must not be empty`},
			{"empty-text", "an empty text in a result", set("messages[2].content[1].content[0].text", `""`),
				`must not be empty`},
			{"empty-text", "an empty message", set("messages[0].content", `""`), `must not be empty`},
			{"empty-list", "a message without blocks", set("messages[0].content", `[]`), `at least 1`},
			{"blocks", "an unknown block", set("messages[0].content[0].type", `"input_text"`),
				`unknown value "input_text"`},
			{"image-type", "a bad media type", set("messages[0].content[1].source.media_type", `"image/bmp"`),
				`media_type: must be one of`},
			{"property-keys", "a property with a key that is refused", set("tools[0].input_schema.properties", `{"$top":{}}`),
				`input_schema.properties: Property keys should match pattern`},
			{"image-bytes", "a JPEG as a PNG", set("messages[0].content[1].source.data", `"/9j/4AAQSkZJRgAB"`),
				`Image does not match the provided media type image/png`},
			{"base64", "an image that is not base64",
				set("messages[0].content[1].source.data", `"data:image/png;base64,AAAA"`),
				`must match`},
			{"tls", "an image at a URL without TLS",
				set("messages[0].content[1].source", `{"type":"url","url":"http://a.example/a"}`),
				`Only HTTPS URLs are supported`},
			{"urls", "a URL without a scheme", set("messages[0].content[1].source", `{"type":"url","url":"x.png"}`),
				`must match`},
			{"call-id", "a bad id", set("messages[1].content[3].id", `"call.1"`), `must match`},
			{"tool-name", "a bad name", set("messages[1].content[3].name", `"a.b"`), `must match`},
			{"tool-name", "a long name", set("tools[0].name", `"`+strings.Repeat("x", 129)+`"`), `must match`},
			{"input", "an input that is a string", set("messages[1].content[3].input", `"{}"`), `must be object`},
			{"call-id-unique", "an id twice", set("messages[1].content[4].id", `"toolu_1"`), `ids must be unique`},
			{"results", "a result twice", set("messages[2].content[0].tool_use_id", `"toolu_1"`), `single result`},
			{"results", "a call without a result", drop("messages[2].content[0]"),
				"without `tool_result` blocks immediately after: toolu_2"},
			{"results", "calls at the end", drop("messages[2]"), "without `tool_result`"},
			{"results", "a result without a call", drop("messages[1].content[4]"), "unexpected `tool_use_id`"},
			{"results-first", "a text before results", move("messages[2].content[2]", "messages[2].content[0]"),
				`must come first`},
			{"tools-for-calls", "calls without tools", drop("tools").and(drop("tool_choice")), `must define tools`},
			{"tool-unique", "a tool twice", repeat("tools[0]", "tools[1]"), `tool names must be unique`},
			{"schema-object", "a tool without a schema", drop("tools[0].input_schema"), `input_schema: required`},
			{"schema-object", "a schema without a type", set("tools[0].input_schema", `{}`), `must be 'object'`},
			{"schema-union", "a union at a schema's root", set("tools[0].input_schema", unionRoot), `does not support anyOf`},
			{"choice", "a choice without tools", keep("messages", 0, 1).and(set("tools", `[]`)),
				`while providing tools`},
			{"chosen-tool", "a choice of an unknown tool", set("tool_choice", `{"type":"tool","name":"other"}`),
				`'other' not found`},
			{"thinking-choice", "a forced tool with thinking", set("tool_choice", `{"type":"any"}`), `forces tool use`},
			{"thinking-sampling", "a temperature with thinking", set("temperature", `0.5`), `temperature`},
			{"thinking-sampling", "top_k with thinking", set("top_k", `5`), `top_k`},
			{"thinking-sampling", "top_p with thinking", set("top_p", `0.5`), `top_p`},
			{"sampling-range", "a temperature over 1", set("temperature", `1.5`), `from 0 to 1`},
			{"budget", "a budget over the limit", set("thinking.budget_tokens", `4096`), `must be greater than`},
			{"budget", "a budget that is too small", set("thinking.budget_tokens", `500`), `from 1024`},
			{"thinking-prefill", "a prefilled answer with thinking", insert("messages[3]", `{"role":"assistant","content":"So"}`),
				`beginning of the answer`},
			{"prefill-space", "a prefilled answer with trailing white space",
				drop("thinking").and(insert("messages[3]", `{"role":"assistant","content":"So "}`)),
				`trailing whitespace`},
			{"signatures", "a foreign signature", set("messages[1].content[0].signature", `"gAAA"`), "Invalid `signature`"},
			{"signatures", "a changed thought", set("messages[1].content[0].thinking", `"thought."`),
				"Invalid `signature`"},
			{"signatures", "no signature", set("messages[1].content[0].signature", `""`), `must not be empty`},
			{"signatures", "foreign redacted thinking", set("messages[1].content[1].data", `"gAAA"`), "Invalid `data`"},
			{"thinking-returned", "a missing thinking block", drop("messages[1].content[1]"), `must remain as they were`},
			{"thinking-returned", "no thinking before a call",
				keep("messages[1].content", 4, 5).and(drop("messages[2].content[1]")),
				"Expected `thinking`"},
			{"breakpoints", "five cache_control", fiveBreakpoints, `maximum of 4`},
			{"breakpoints", "a bad cache_control", set("system[0].cache_control.type", `"forever"`),
				`must be one of ephemeral`},
			{"members", "cache_control on thinking", set("messages[1].content[0].cache_control", `{"type":"ephemeral"}`),
				`unknown field`},
			{"schema-draft", "a tuple of an older draft",
				set("tools[0].input_schema", cityAs(`{"type":"array","items":[{}]}`)),
				`draft 2020-12`},
			{"schema-strict", "a bound in the answer's schema",
				set("output_config", answerFormat(cityAs(`{"type":"integer","minimum":1}`))),
				`'minimum' is not permitted`},
			{"schema-strict", "an open schema for the answer",
				set("output_config", answerFormat(openSchema)),
				`additionalProperties`},
			{"answer-object", "an answer that is a list",
				set("output_config", answerFormat(`{"type":"array","items":{"type":"string"}}`)),
				`output_config.format.schema.type: must be 'object'`},
			{"mcp-names", "a call of an MCP server without a name", insert("messages[1].content[2]",
				`{"type":"mcp_tool_use","id":"mcptoolu_1","name":"roll","server_name":"","input":{}}`),
				`server_name: must not be empty`},
			{"effort", "an unknown effort", set("output_config", `{"effort":"minimal"}`), `effort: must be one of`},
			{"stops", "an empty stop sequence", set("stop_sequences", `[" "]`), `must not be empty`},
			{"user-id", "a long user_id", set("metadata", `{"user_id":"`+strings.Repeat("x", 257)+`"}`), `too long`},
			{"members", "parallel_tool_calls", set("parallel_tool_calls", `false`), `unknown field`},
			{"threads", "a thread", set("thread", `{"type":"create"}`), `threads are not supported`},
			{"model-thinking", "adaptive thinking for an older model",
				set("model", `"claude-sonnet-4-5"`).and(set("thinking", `{"type":"adaptive"}`)),
				`adaptive thinking is not supported`},
			{"model-thinking", "an effort for an older model",
				set("model", `"claude-sonnet-4-5"`).and(set("output_config", `{"effort":"low"}`)),
				`effort parameter`},
			{"model-thinking", "a budget for a newer model", set("model", `"claude-opus-4-7"`), `enabled is not supported`},
			{"model-forced", "a forced tool without thinking", set("model", `"claude-opus-5-5"`).
				and(drop("thinking")).and(set("tool_choice", `{"type":"any"}`)),
				`type "tool" and "any" are not supported for this model`},
			{"model-forced", "a forced tool by name", set("model", `"claude-sonnet-5-5"`).
				and(drop("thinking")).and(set("tool_choice", `{"type":"tool","name":"get"}`)),
				`type "tool" and "any" are not supported for this model`},
			{"model-disabled", "disabled thinking", set("model", `"claude-opus-5-5"`).
				and(set("thinking", `{"type":"disabled"}`)), `"thinking.type.disabled" is not supported`},
			{"model-sampling", "a temperature for a newer model",
				set("model", `"claude-opus-4-7"`).and(drop("thinking")).and(set("temperature", `1`)),
				`temperature: is deprecated`},
		},
	})
	return all
}

// answerFormat returns an output_config with a schema.
func answerFormat(schema string) string {
	return `{"format":{"type":"json_schema","schema":` + schema + `}}`
}

// fiveBreakpoints sets cache_control on five blocks of a body.
func fiveBreakpoints(body any) {
	for _, block := range []string{
		"0].content[0]", "0].content[1]", "2].content[0]", "2].content[1]", "2].content[2]",
	} {
		set("messages["+block+".cache_control", `{"type":"ephemeral"}`)(body)
	}
}
