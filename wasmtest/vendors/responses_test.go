package vendors

import "strings"

func responsesRules() (all []rules) {
	all = append(all, rules{
		name: "functions", protocol: "responses",
		issued: issues([]Reasoning{{ID: "rs_1", Text: "thought", Blob: "gAAA"}}, "call_1"),
		good: `{
			"model": "m", "store": false, "include": ["reasoning.encrypted_content"],
			"input": [
				{"role": "user", "content": [
					{"type": "input_text", "text": "hi"},
					{"type": "input_image", "image_url": "data:image/png;base64,` + png + `"}]},
				{"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA",
					"summary": [{"type": "summary_text", "text": "thought"}]},
				{"type": "message", "role": "assistant", "id": "msg_1", "content": [
					{"type": "output_text", "text": "Let me see."}]},
				{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get",
					"arguments": "{}"},
				{"type": "function_call", "call_id": "call_2", "name": "get", "arguments": "{}"},
				{"type": "function_call_output", "call_id": "call_2", "output": "two"},
				{"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text",
					"text": "one"}]}],
			"tools": [
				{"type": "function", "name": "get", "parameters": ` + citySchema + `, "strict": true},
				{"type": "image_generation", "output_format": "png"},
				{"type": "mcp", "server_label": "get", "server_url": "https://d.example/mcp"}],
			"tool_choice": "auto", "parallel_tool_calls": true}`,
		rows: []row{
			{"members", "an unknown field", set("messages", `[]`), `messages: unknown field`},
			{"items", "an unknown item", set("input[0].type", `"tool_result"`), `unknown value "tool_result"`},
			{"stored", "a reference to a stored item", insert("input[7]", `{"type":"item_reference","id":"msg_1"}`),
				`unknown value "item_reference"`},
			{"stored", "an earlier response", set("previous_response_id", `"resp_1"`), `unknown field`},
			{"roles", "an unknown role", set("input[0].role", `"tool"`), `role: must be one of`},
			{"parts", "a part in Chat's form", set("input[0].content[0].type", `"text"`), `unknown value "text"`},
			{"parts", "an input part in the assistant's message", set("input[2].content[0].type", `"input_text"`),
				`unknown value "input_text"`},
			{"parts", "an output part in the user's message", set("input[0].content[0].type", `"output_text"`),
				`unknown value "output_text"`},
			{"image-form", "an image as an object", set("input[0].content[1].image_url", `{"url":"https://x/"}`),
				`must be string`},
			{"image-type", "an image of another type", set("input[0].content[1].image_url",
				`"data:image/svg+xml;base64,AAAA"`), `You uploaded an unsupported image`},
			{"metadata", "metadata with a long value",
				set("metadata", `{"a":"`+strings.Repeat("x", 513)+`"}`), `metadata.a: string too long`},
			{"file-name", "a file without a name", set("input[0].content[1]",
				`{"type":"input_file","file_data":"data:application/pdf;base64,AAAA"}`),
				`filename: required`},
			{"item-id", "a bad message id", set("input[2].id", `"item_1"`), `must match /\^msg_`},
			{"item-id", "a bad call id", set("input[3].id", `"call_1"`), `must match /\^fc_`},
			{"item-id", "an id twice", repeat("input[2]", "input[7]"), `item ids must be unique`},
			{"call-id", "a long call_id", set("input[3].call_id", `"`+strings.Repeat("x", 65)+`"`), `too long`},
			{"call-id-unique", "a call_id twice", set("input[4].call_id", `"call_1"`), `must be unique`},
			{"tool-name", "a bad name", set("tools[0].name", `"a.b"`), `must match`},
			{"tool-name", "a call with a bad name", set("input[3].name", `"a.b"`), `must match`},
			{"arguments", "empty arguments", set("input[3].arguments", `""`), `must not be empty`},
			{"arguments", "arguments as an object", set("input[3].arguments", `{}`), `must be string`},
			{"results", "a call without an output", drop("input[5]"), `No tool output found for function call call_2`},
			{"results", "an output without a call", drop("input[4]"), `no tool call found`},
			{"results", "an output twice", repeat("input[6]", "input[7]"), `second output`},
			{"reasoning", "foreign reasoning", set("input[1].encrypted_content", `"sig"`), `could not be verified`},
			{"reasoning", "reasoning under another id", set("input[1].id", `"rs_2"`), `could not be verified`},
			{"reasoning", "reasoning without encrypted_content", drop("input[1].encrypted_content"),
				`encrypted_content: required`},
			{"reasoning-order", "reasoning after its call", move("input[1]", "input[6]"), `required 'reasoning' item`},
			{"reasoning-order", "reasoning at the end", keep("input", 0, 2), `required following item`},
			{"reasoning-order", "a call without its reasoning", drop("input[1]"), `required 'reasoning' item: 'rs_1'`},
			{"chosen-tool", "a choice of an unknown tool", set("tool_choice", `{"type":"function","name":"other"}`),
				`'other' not found`},
			{"tool-form", "a tool in Chat's form", set("tools[0]", `{"type":"function","function":{"name":"get"}}`),
				`unknown field`},
			{"tool-unique", "a tool twice", repeat("tools[0]", "tools[1]"), `tool names must be unique`},
			{"mcp-label", "a label twice", repeat("tools[2]", "tools[3]"), `server labels must be unique`},
			{"schema-strict", "a strict tool with an open schema", set("tools[0].parameters", openSchema),
				`additionalProperties`},
			{"limit", "a limit below 16", set("max_output_tokens", `15`), `from 16`},
			{"format-name", "a format without a name",
				set("text", `{"format":{"type":"json_schema","schema":`+citySchema+`}}`),
				`name: required`},
			{"format-root", "an answer that is a list",
				set("text", `{"format":{"type":"json_schema","name":"n","schema":{"type":"array","items":{}}}}`),
				`got 'type: "array"'`},
			{"mcp", "an MCP server without TLS", insert("tools[1]",
				`{"type":"mcp","server_label":"d","server_url":"http://d.example/mcp"}`), `server_url: must match`},
			{"mcp-label", "a label with a digit at the start", insert("tools[1]",
				`{"type":"mcp","server_label":"1d","server_url":"https://d.example/mcp"}`), `server_label: must match`},
			{"file-type", "a file without a media type", set("input[0].content", `[{"type":"input_file",`+
				`"filename":"x","file_data":"data:;base64,AAAA"}]`), `file_data: must match`},
			{"members", "stop", set("stop", `["x"]`), `unknown field`},
			{"members", "max_tokens", set("max_tokens", `64`), `unknown field`},
			{"stored", "a stored response", set("store", `true`), `store: must be one of false`},
		},
	})
	return all
}

// responsesFunc returns a function tool of Codex. more has further members, after a comma.
func responsesFunc(name, more string) string {
	return `{"type":"function","strict":false,"parameters":{"type":"object","properties":{}},"name":"` +
		name + `"` + more + `}`
}

// responsesGrammar returns a custom tool of Codex with a grammar for free text.
func responsesGrammar(name string) string {
	format := `{"type":"grammar","syntax":"lark","definition":"start: /.+/"}`
	return `{"type":"custom","name":"` + name + `","format":` + format + `}`
}

func codexToolRules() (all []rules) {
	all = append(all, rules{
		name: "tools of Codex", protocol: "responses",
		issued: append(issues([]Reasoning{{ID: "rs_1", Blob: "gAAA"}}, "call_1"),
			&Turn{Compaction: "gAAAcmp"}),
		good: `{
			"model": "gpt-5.5", "store": false, "reasoning": {"effort": "low", "context": "all_turns"},
			"client_metadata": {"session_id": "1"},
			"tools": [
				` + responsesFunc("exec", "") + `,
				` + responsesGrammar("apply_patch") + `,
				{"type": "namespace", "name": "mcp__srv", "description": "",
					"tools": [` + responsesFunc("echo", "") + `]},
				{"type": "tool_search", "execution": "client", "parameters": {"type": "object",
					"properties": {}}},
				{"type": "local_shell"},
				{"type": "web_search", "external_web_access": true}],
			"input": [
				{"type": "compaction", "encrypted_content": "gAAAcmp"},
				{"type": "additional_tools", "role": "developer", "tools": [
					{"type": "namespace", "name": "functions", "description": "",
						"tools": [` + responsesGrammar("run") + `]}]},
				{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "x"}]},
				{"type": "reasoning", "summary": [],
					"content": null, "encrypted_content": "gAAA"},
				{"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "apply_patch",
					"input": "x",
					"status": "completed"},
				{"type": "tool_search_call", "id": "tsc_1", "call_id": "call_2", "execution": "client",
					"arguments": {},
					"status": "completed"},
				{"type": "local_shell_call", "id": "lsh_1", "call_id": "call_3", "status": "completed",
					"action": {"type": "exec", "command": ["ls"], "env": {}}},
				{"type": "function_call", "id": "fc_1", "call_id": "call_4", "namespace": "mcp__srv",
					"name": "echo",
					"arguments": "{}"},
				{"type": "custom_tool_call_output", "call_id": "call_1", "output": "one"},
				{"type": "tool_search_output", "call_id": "call_2", "execution": "client",
					"status": "completed",
					"tools": [
					{"type": "namespace", "name": "mcp__w", "description": "",
						"tools": [` + responsesFunc("now", `,"defer_loading":true`) + `]}]},
				{"type": "function_call_output", "call_id": "call_3", "output": "three"},
				{"type": "function_call_output", "call_id": "call_4", "output": "four"}]}`,
		rows: []row{
			{"results", "a custom call answered as a function", set("input[8].type", `"function_call_output"`),
				`no tool call found|second output`},
			{"results", "a function answered as a custom call", set("input[11].type", `"custom_tool_call_output"`),
				`second output for custom tool call output`},
			{"results", "a custom call without an output", drop("input[8]"),
				`No tool output found for custom tool call call_1`},
			{"results", "a tool search without an output", drop("input[9]"),
				`No tool output found for tool search call call_2`},
			{"results", "a shell without an output", drop("input[10]"), `No tool output found for function call call_3`},
			{"item-id", "a bad custom call id", set("input[4].id", `"fc_2"`), `must match /\^ctc_`},
			{"item-id", "a bad tool search id", set("input[5].id", `"fc_2"`), `must match /\^tsc_`},
			{"item-id", "a shell without an id", drop("input[6].id"), `id: required`},
			{"custom", "an input that is an object", set("input[4].input", `{}`), `input: must be string`},
			{"reasoning-order", "a custom call without its reasoning", drop("input[3]"), `required 'reasoning' item: 'rs_1'`},
			{"tool-name", "a namespace with a dot", set("input[7].namespace", `"mcp.srv"`), `must match`},
			{"namespace", "an empty namespace", set("tools[2].tools", `[]`), `at least 1`},
			{"namespace", "a namespace without a description", drop("tools[2].description"), `description: required`},
			{"namespace", "a function of a namespace twice", insert("tools[2].tools[1]", responsesFunc("echo", "")),
				`tool names must be unique`},
			{"custom", "a grammar in Chat's form", set("tools[1].format",
				`{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}`), `grammar: unknown field`},
			{"deferred", "deferred tools without a tool search",
				drop("tools[3]").and(set("tools[0].defer_loading", `true`)),
				`Deferred tools require tools.tool_search`},
			{"deferred", "a tool search by the server without deferred tools", drop("tools[3].execution"),
				`requires at least one deferred tool`},
			{"additional-tools", "additional tools from the user",
				set("input[1].role", `"user"`), `role: must be one of developer`},
			{"compaction", "a foreign compaction", set("input[0].encrypted_content", `"x"`),
				`compaction could not be verified`},
			{"compaction", "a trigger in the middle", insert("input[0]", `{"type":"compaction_trigger"}`),
				`must be the last item`},
			{"tool-form", "an unknown tool", insert("tools[6]", `{"type":"web_search_20250305","name":"web_search"}`),
				`unknown value "web_search_20250305"`},
			{"chosen-tool", "a choice of an unknown custom tool", set("tool_choice", `{"type":"custom","name":"run2"}`),
				`'run2' not found`},
		},
	})
	return all
}

func phaseRules() (all []rules) {
	all = append(all, rules{
		name: "phases", protocol: "responses",
		good: `{
			"model": "gpt-5.5", "store": false,
			"input": [
				{"role": "user", "content": "hi"},
				{"role": "assistant", "phase": "commentary", "content": "Let me see."},
				{"type": "function_call", "call_id": "call_1", "name": "get", "arguments": "{}"},
				{"type": "function_call_output", "call_id": "call_1", "output": "one"},
				{"role": "assistant", "phase": "final_answer", "content": "It is one."},
				{"role": "user", "content": "And?"}]}`,
		rows: []row{
			{"phases", "a missing phase", drop("input[1].phase"), `input\[1\].phase: dropped`},
			{"phases", "a phase on a user message", set("input[0].phase", `"commentary"`),
				`input\[0\].phase: Unknown parameter`},
			{"phases", "phases for a model without phases", set("model", `"gpt-5.2"`), `Unknown parameter`},
			{"phases", "a final answer before a call", set("input[1].phase", `"final_answer"`), `in front of a call`},
			{"phases", "an unknown phase", set("input[1].phase", `"x"`), `must be one of`},
		},
	})
	return all
}
