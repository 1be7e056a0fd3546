package vendors

// chatHostRules are the rules of hosts that speak only Chat Completions.
func chatHostRules() []rules {
	at := func(host, model string, change edit, rows ...row) rules {
		body := edited(chatCodex("function", `"arguments": "{}"`, ""), drop("reasoning_effort").
			and(set("model", `"`+model+`"`)).and(change))
		return rules{name: host, protocol: "chat", options: Options{Host: host, Schemas: true},
			good: encode(body), rows: rows}
	}
	call, parameters := "messages[2].tool_calls[0].id", "tools[0].function.parameters"
	const described = `{"type":"object","properties":{"c":{"$ref":"#/$defs/c","description":"C"}},` +
		`"$defs":{"c":{"type":"string","description":"D"}}}`
	const named = `{"type":"function","function":{"name":"get_weather"}}`
	const gif = `[{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlhAQABAAAAACw="}}]`
	thought := func(body any) { set("messages[2].reasoning_content", `"Hm."`)(body) }
	return []rules{
		at(atMistral, "mistral-large-latest", set(call, `"abcdef123"`).
			and(set("messages[3].tool_call_id", `"abcdef123"`)).and(drop("messages[4]")),
			row{"mistral-members", "max_completion_tokens", set("max_completion_tokens", `9`),
				`max_completion_tokens: Extra inputs`},
			row{"mistral-members", "stream_options", set("stream", `true`).
				and(set("stream_options", `{"include_usage":true}`)), `stream_options: Extra inputs`},
			row{"mistral-seed", "a negative seed", set("random_seed", `-1`), `random_seed: must be from 0`},
			row{"mistral-messages", "reasoning_content", thought, `assistant.reasoning_content: Extra inputs`},
			row{"mistral-messages", "a name", set("messages[1].name", `"Ann"`), `user.name: Extra inputs`},
			row{"mistral-temperature", "a temperature above 1.5", set("temperature", `1.6`), `less than or equal to 1.5`},
			row{"mistral-call-id", "an id of OpenAI", set(call, `"call_1"`).
				and(set("messages[3].tool_call_id", `"call_1"`)), `with a length of 9`},
			row{"mistral-last", "the assistant last", insert("messages[4]", `{"role":"assistant","content":"So"}`),
				`Expected last role User or Tool`}),
		at(atXAI, "grok-4-fast-reasoning", func(any) {},
			row{"xai-penalties", "a penalty", set("presence_penalty", `0.5`), `not supported on this model: presencePenalty`},
			row{"xai-stop", "stop", set("stop", `["x"]`), `not supported on this model: stop`},
			row{"xai-effort", "an effort", set("reasoning_effort", `"high"`), `parameter reasoningEffort`},
			row{"xai-empty", "an empty text", set("messages[1].content", `""`), `at least one non-empty content`},
			row{"xai-image", "a GIF", set("messages[1].content", gif), `Unsupported image format`}),
		at(atMoonshot, "kimi-k2.6", thought,
			row{"moonshot-sampling", "a temperature", set("temperature", `0.5`), `only 1 is allowed`},
			row{"moonshot-reasoning", "a call without reasoning", drop("messages[2].reasoning_content"),
				`reasoning_content is missing`},
			row{"moonshot-choice", "a forced tool", set("tool_choice", `"required"`), `incompatible with thinking`},
			row{"moonshot-choice", "a tool by name", set("tool_choice", named), `'specified' is incompatible`},
			row{"moonshot-name", "a digit first", set("tools[0].function.name", `"21st_magic"`),
				`must start with a letter`},
			row{"moonshot-name", "two letters", set("tools[0].function.name", `"ls"`), `function name is invalid`},
			row{"moonshot-schema", "a union at the root", set(parameters, unionRoot),
				`At path 'root': when using anyOf`},
			row{"moonshot-schema", "a type beside a nested union", set(parameters,
				cityAs(`{"type":"string","anyOf":[{"type":"string"}]}`)), `'properties.city': when using anyOf`},
			row{"moonshot-schema", "a keyword beside a union and in it", set(parameters,
				cityAs(`{"required":[],"anyOf":[{"type":"object","required":[]}]}`)), `found in anyOf with parent: required`},
			row{"moonshot-refs", "a reference to definitions", set(parameters,
				cityAs(`{"$ref":"#/definitions/c"}`)), `references must start with #/\$defs/`},
			row{"moonshot-refs", "a reference to nothing", set(parameters,
				cityAs(`{"$ref":"#/$defs/c"}`)), `\$defs not found`},
			row{"moonshot-refs", "a type beside a reference", set(parameters,
				cityAs(`{"$ref":"#","type":"object"}`)), `when using \$ref`},
			row{"moonshot-refs", "another keyword of the target beside a reference", set(parameters,
				described), `after \$ref expansion`},
			row{"moonshot-defined", "a required name that is not defined", set(parameters,
				cityAs(`{"anyOf":[{"required":["x"]}]}`)), `'x' is not defined in properties`},
			row{"moonshot-defined", "an enum without a type", set(parameters,
				cityAs(`{"enum":["a",1]}`)), `type is not defined`},
			row{"moonshot-items", "a list in items", set(parameters, cityAs(`{"type":"array","items":[{}]}`)),
				`items must be an object`},
			row{"moonshot-items", "true for a property", set(parameters, cityAs(`true`)), `must be an object`},
			row{"moonshot-items", "a root without type", set(parameters, `{"properties":{}}`),
				`type is required and must be "object"`}),
		at(atMoonshot, "kimi-k3", set("tool_choice", `"required"`).and(thought), // any call may be demanded
			row{"moonshot-named", "a tool by name", set("tool_choice", named), `'specified' is incompatible`},
			row{"moonshot-reasoning", "a call without reasoning", drop("messages[2].reasoning_content"),
				`reasoning_content is missing`}),
		at(atGroq, "llama-3.3-70b-versatile", func(any) {},
			row{"groq-members", "log probabilities", set("logprobs", `true`), `'logprobs' is unsupported`},
			row{"groq-messages", "reasoning_content", thought, `property 'reasoning_content' is unsupported`},
			row{"groq-stops", "five stop sequences", set("stop", `["1","2","3","4","5"]`), `at most 4`},
			row{"groq-format", "JSON with tools", set("response_format", `{"type":"json_object"}`),
				`cannot be combined with tool`},
			row{"groq-schema", "a schema", drop("tools").and(keep("messages", 0, 2)).and(set("response_format",
				`{"type":"json_schema","json_schema":{"name":"n","schema":`+citySchema+`}}`)),
				`does not support response format`}),
	}
}
