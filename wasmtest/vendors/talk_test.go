package vendors

import (
	"encoding/json"
	"strings"
)

// talk is a conversation that each protocol's client can send. The scenarios of TestScenarios change
// it, and body writes it as a client of a protocol does.
type talk struct {
	model       string
	system      string
	turns       []turn
	tools       []tool
	choice      string // auto, none, any or the name of a tool
	limit       any    // nil: none
	temperature any
	topP        any
	penalty     any
	logprobs    bool
	stops       []string
	effort      string
	format      string // the answer's schema
	user        string
	metadata    members
}

type turn struct {
	role  string // user, assistant or system
	parts []part
}

// part is one block of a message. kind is text, image, thought, call or result.
type part struct {
	kind, text      string
	media, data     string // image
	url             string // image
	id, name, input string // call and result
	signature       string // thought
	inside          []part // result
}

type tool struct {
	name, schema string
	strict       bool
}

// said returns a part with a text.
func said(text string) part { return part{kind: "text", text: text} }

// newTalk returns a conversation with an image, two calls and their results.
func newTalk() *talk {
	return &talk{
		model: "m", system: "Be brief.", limit: 4096, tools: []tool{{"get", citySchema, false}},
		turns: []turn{
			{"user", []part{said("hi"), {kind: "image", media: "image/png", data: png}}},
			{"assistant", []part{
				said("Let me see."), {kind: "call", id: "call_1", name: "get", input: `{"city":"Rome"}`},
				{kind: "call", id: "call_2", name: "get", input: `{"city":"Oslo"}`},
			}},
			{"user", []part{
				{kind: "result", id: "call_1", name: "get", inside: []part{said("sun")}},
				{kind: "result", id: "call_2", name: "get", inside: []part{said("rain")}},
			}},
		},
	}
}

// ask appends a turn of the user with a text.
func (t *talk) ask() *talk {
	t.turns = append(t.turns, turn{"user", []part{said("And?")}})
	return t
}

// body returns the conversation as the body of a request.
func (t *talk) body(protocol string) any {
	write := map[string]func(*talk) members{
		"anthropic": (*talk).messages, "chat": (*talk).chat, "responses": (*talk).responses,
		"gemini": (*talk).gemini, "interactions": (*talk).interactions,
	}
	return decode(encode(write[protocol](t)))
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// mapped returns write(v) for all v for which write returns a value.
func mapped[T any](all []T, write func(*T) any) []any {
	out := []any{}
	for i := range all {
		if value := write(&all[i]); value != nil {
			out = append(out, value)
		}
	}
	return out
}

func (t *talk) messages() members {
	var block func(p *part) any
	block = func(p *part) any {
		switch p.kind {
		case "image":
			source := fields("type", "base64", "media_type", p.media, "data", p.data)
			if p.url != "" {
				source = fields("type", "url", "url", p.url)
			}
			return fields("type", "image", "source", source)
		case "thought":
			return fields("type", "thinking", "thinking", p.text, "signature", p.signature)
		case "call":
			return fields("type", "tool_use", "id", p.id, "name", p.name, "input", raw(p.input))
		case "result":
			return fields("type", "tool_result", "tool_use_id", p.id, "content", mapped(p.inside, block))
		}
		return fields("type", "text", "text", p.text)
	}
	choice := fields("type", t.choice)
	if !strings.Contains(" auto none any ", " "+t.choice+" ") {
		choice = fields("type", "tool", "name", t.choice)
	}
	output := fields().withIf(t.effort != "", "effort", t.effort).withIf(t.format != "", "format",
		fields("type", "json_schema", "schema", raw(t.format)))
	return fields("model", t.model, "messages", mapped(t.turns, func(one *turn) any {
		return fields("role", one.role, "content", mapped(one.parts, block))
	})).
		withIf(t.limit != nil, "max_tokens", t.limit).withIf(t.system != "", "system", t.system).
		withIf(t.tools != nil, "tools", mapped(t.tools, func(one *tool) any {
			return fields("name", one.name, "input_schema", raw(one.schema)).withIf(one.strict, "strict", true)
		})).
		withIf(t.choice != "", "tool_choice", choice).
		withIf(t.temperature != nil, "temperature", t.temperature).withIf(t.topP != nil, "top_p", t.topP).
		withIf(t.stops != nil, "stop_sequences", t.stops).
		withIf(t.effort != "", "thinking", fields("type", "adaptive")).
		withIf(output != nil, "output_config", output).
		withIf(t.user != "", "metadata", fields("user_id", t.user))
}

func (t *talk) chat() members {
	var out []any
	if t.system != "" {
		out = append(out, fields("role", "system", "content", t.system))
	}
	for _, one := range t.turns {
		var calls []any
		thought := ""
		content := mapped(one.parts, func(p *part) any {
			switch p.kind {
			case "text":
				return fields("type", "text", "text", p.text)
			case "image":
				url := p.url
				if url == "" {
					url = "data:" + p.media + ";base64," + p.data
				}
				return fields("type", "image_url", "image_url", fields("url", url))
			case "thought":
				thought = p.text
			case "call":
				calls = append(calls, fields("id", p.id, "type", "function", "function",
					fields("name", p.name, "arguments", p.input)))
			case "result":
				inside := mapped(p.inside, func(p *part) any {
					return fields("type", "text", "text", p.text)
				})
				out = append(out, fields("role", "tool", "tool_call_id", p.id, "content", inside))
			}
			return nil
		})
		if len(content)+len(calls) > 0 || len(one.parts) == 0 {
			out = append(out, fields("role", one.role, "content", content).
				withIf(len(content) == 0 && len(calls) > 0, "content", nil).
				withIf(thought != "", "reasoning_content", thought).
				withIf(len(calls) > 0, "tool_calls", calls))
		}
	}
	var choice any = t.choice
	switch t.choice {
	case "any":
		choice = "required"
	case "", "auto", "none":
	default:
		choice = fields("type", "function", "function", fields("name", t.choice))
	}
	return fields("model", t.model, "messages", out).
		withIf(t.limit != nil, "max_completion_tokens", t.limit).
		withIf(t.tools != nil, "tools", mapped(t.tools, func(one *tool) any {
			return fields("type", "function", "function", fields("name", one.name, "parameters",
				raw(one.schema)).withIf(one.strict, "strict", true))
		})).
		withIf(t.choice != "", "tool_choice", choice).
		withIf(t.temperature != nil, "temperature", t.temperature).withIf(t.topP != nil, "top_p", t.topP).
		withIf(t.penalty != nil, "presence_penalty", t.penalty).withIf(t.logprobs, "logprobs", true).
		withIf(t.stops != nil, "stop", t.stops).withIf(t.effort != "", "reasoning_effort", t.effort).
		withIf(t.format != "", "response_format", fields("type", "json_schema", "json_schema",
			fields("name", "n", "schema", raw(t.format), "strict", true))).
		withIf(t.user != "", "user", t.user).withIf(t.metadata != nil, "metadata", t.metadata)
}

func (t *talk) responses() members {
	var input []any
	content := func(role string, p *part) any {
		switch {
		case p.kind == "image" && p.url != "":
			return fields("type", "input_image", "image_url", p.url)
		case p.kind == "image":
			return fields("type", "input_image", "image_url", "data:"+p.media+";base64,"+p.data)
		case role == "assistant":
			return fields("type", "output_text", "text", p.text)
		}
		return fields("type", "input_text", "text", p.text)
	}
	for _, one := range t.turns {
		var message []any
		flush := func() {
			if len(message) > 0 || len(one.parts) == 0 {
				input = append(input, fields("type", "message", "role", one.role, "content", list(message...)))
			}
			message = nil
		}
		for _, p := range one.parts {
			switch p.kind {
			case "text", "image":
				message = append(message, content(one.role, &p))
				continue
			}
			if len(message) > 0 {
				flush()
			}
			switch p.kind {
			case "thought":
				input = append(input, fields("type", "reasoning", "id", "rs_1", "summary",
					list[any](fields("type", "summary_text", "text", p.text)),
					"encrypted_content", p.signature))
			case "call":
				input = append(input, fields("type", "function_call", "call_id", p.id, "name", p.name,
					"arguments", p.input))
			case "result":
				input = append(input, fields("type", "function_call_output", "call_id", p.id, "output",
					mapped(p.inside, func(p *part) any { return content("user", p) })))
			}
		}
		if len(message) > 0 || len(one.parts) == 0 {
			flush()
		}
	}
	var choice any = t.choice
	switch t.choice {
	case "any":
		choice = "required"
	case "", "auto", "none":
	default:
		choice = fields("type", "function", "name", t.choice)
	}
	return fields("model", t.model, "store", false, "input", input).
		withIf(t.system != "", "instructions", t.system).
		withIf(t.limit != nil, "max_output_tokens", t.limit).
		withIf(t.tools != nil, "tools", mapped(t.tools, func(one *tool) any {
			return fields("type", "function", "name", one.name, "parameters", raw(one.schema), "strict",
				one.strict)
		})).
		withIf(t.choice != "", "tool_choice", choice).
		withIf(t.temperature != nil, "temperature", t.temperature).withIf(t.topP != nil, "top_p", t.topP).
		withIf(t.effort != "", "reasoning", fields("effort", t.effort)).
		withIf(t.format != "", "text", fields("format", fields("type", "json_schema", "name", "n", "schema",
			raw(t.format), "strict", true))).
		withIf(t.user != "", "user", t.user).withIf(t.metadata != nil, "metadata", t.metadata)
}

func (t *talk) gemini() members {
	write := func(p *part) any {
		switch {
		case p.kind == "image" && p.url != "":
			return fields("fileData", fields("mimeType", "image/png", "fileUri", p.url))
		case p.kind == "image":
			return fields("inlineData", fields("mimeType", p.media, "data", p.data))
		case p.kind == "thought":
			return fields("text", p.text, "thought", true, "thoughtSignature", p.signature)
		case p.kind == "call":
			return fields("functionCall", fields("id", p.id, "name", p.name, "args", raw(p.input)),
				"thoughtSignature", "skip_thought_signature_validator")
		case p.kind == "result":
			output := ""
			for _, one := range p.inside {
				output += one.text
			}
			return fields("functionResponse", fields("id", p.id, "name", p.name, "response",
				fields("output", output)))
		}
		return fields("text", p.text)
	}
	roles := map[string]string{"assistant": "model"}
	config := fields().
		withIf(t.limit != nil, "maxOutputTokens", t.limit).
		withIf(t.temperature != nil, "temperature", t.temperature).withIf(t.topP != nil, "topP", t.topP).
		withIf(t.penalty != nil, "presencePenalty", t.penalty).
		withIf(t.logprobs, "responseLogprobs", true).
		withIf(t.stops != nil, "stopSequences", t.stops).
		withIf(t.effort != "", "thinkingConfig", fields("thinkingLevel", strings.ToUpper(t.effort))).
		withIf(t.format != "", "responseMimeType", "application/json").
		withIf(t.format != "", "responseJsonSchema", raw(t.format))
	choice := fields("mode", strings.ToUpper(t.choice))
	if !strings.Contains(" auto none any ", " "+t.choice+" ") {
		choice = fields("mode", "ANY", "allowedFunctionNames", []string{t.choice})
	}
	return fields("contents", mapped(t.turns, func(one *turn) any {
		role := roles[one.role]
		if role == "" {
			role = one.role
		}
		return fields("role", role, "parts", mapped(one.parts, write))
	})).
		withIf(t.system != "", "systemInstruction", fields("parts", list[any](fields("text", t.system)))).
		withIf(t.tools != nil, "tools", list[any](fields("functionDeclarations",
			mapped(t.tools, func(one *tool) any {
				return fields("name", one.name, "parametersJsonSchema", raw(one.schema))
			})))).
		withIf(t.choice != "", "toolConfig", fields("functionCallingConfig", choice)).
		withIf(config != nil, "generationConfig", config)
}

func (t *talk) interactions() members {
	var input []any
	for _, one := range t.turns {
		var content []any
		kind := map[string]string{"user": "user_input", "assistant": "model_output"}[one.role]
		if kind == "" {
			kind = one.role
		}
		flush := func() {
			if len(content) > 0 {
				input = append(input, fields("type", kind, "content", content))
			}
			content = nil
		}
		thought := false
		for _, p := range one.parts {
			switch p.kind {
			case "text":
				content = append(content, fields("type", "text", "text", p.text))
			case "image":
				content = append(content, fields("type", "image", "mime_type", p.media, "data", p.data))
			case "call":
				flush()
				if !thought {
					input = append(input, fields("type", "thought", "signature", "c2ln"))
				}
				thought = true
				input = append(input, fields("type", "function_call", "id", p.id, "name", p.name,
					"arguments", raw(p.input)))
			case "result":
				flush()
				result := ""
				for _, one := range p.inside {
					result += one.text
				}
				input = append(input, fields("type", "function_result", "call_id", p.id, "name", p.name,
					"result", result))
			}
		}
		flush()
	}
	var choice any = t.choice
	if !strings.Contains(" auto none any ", " "+t.choice+" ") {
		choice = fields("allowed_tools", fields("mode", "any", "tools", []string{t.choice}))
	}
	config := fields().withIf(t.limit != nil, "max_output_tokens", t.limit).
		withIf(t.choice != "", "tool_choice", choice)
	return fields("model", t.model, "store", false, "input", input).
		withIf(t.system != "", "system_instruction", t.system).
		withIf(t.tools != nil, "tools", mapped(t.tools, func(one *tool) any {
			return fields("type", "function", "name", one.name, "parameters", raw(one.schema))
		})).
		withIf(config != nil, "generation_config", config)
}
