package vendors

// xAIResponsesRules are the rules of xAI's Responses API.
func xAIResponsesRules() []rules {
	return []rules{{
		name: "xAI's Responses", protocol: "responses", options: Options{Host: atXAI},
		good: `{
			"model": "grok-4.6", "store": false, "instructions": "Be brief.", "reasoning": {"effort": "low"},
			"input": [
				{"role": "user", "content": [{"type": "input_text", "text": "hi"},
					{"type": "input_image", "image_url": "data:image/png;base64,` + png + `"}]},
				{"type": "function_call", "call_id": "call_1", "name": "get", "arguments": "{}"},
				{"type": "function_call_output", "call_id": "call_1", "output": "one"}],
			"tools": [{"type": "function", "name": "get", "parameters": ` + citySchema + `},
				{"type": "web_search"}],
			"tool_choice": "auto"}`,
		rows: []row{
			{"xai-members", "metadata", set("metadata", `{"a":"b"}`), `Argument not supported: metadata`},
			{"xai-members", "a member of web_search", set("tools[1].external_web_access", `true`),
				`Argument not supported: external_web_access`},
			{"xai-choice", "a choice without tools", drop("tools"), `no tools were specified`},
			{"xai-effort", "an effort", set("model", `"grok-4-fast-reasoning"`), `does not support parameter`},
			{"xai-items", "a custom tool's call", set("input[1]",
				`{"type":"custom_tool_call","call_id":"call_1","name":"get","input":"x"}`).and(
				set("input[2].type", `"custom_tool_call_output"`)), `untagged enum ModelInput`},
			{"xai-tools", "a custom tool", insert("tools[0]", `{"type":"custom","name":"run"}`),
				`unknown variant`},
			{"xai-tools", "a namespace", insert("tools[0]", `{"type":"namespace","name":"run","description":"d",`+
				`"tools":[{"type":"function","name":"f","parameters":`+citySchema+`}]}`), `unknown variant`},
			{"xai-image", "a GIF", set("input[0].content[1].image_url",
				`"data:image/gif;base64,R0lGODlhAQABAAAAACw="`), `Unsupported image format`},
		},
	}}
}
