package vendors

import "fmt"

// playChat returns the answer of a Chat Completions API with a turn.
func playChat(v *Vendor, r *parsed, turn *Turn) *Answer {
	tools := offers{}
	for _, tool := range objects(r.body, "tools") {
		tools[text(toolOf(tool), "name")] = text(tool, "type")
	}
	p := chatPlayer{id: fmt.Sprintf("chatcmpl-e2e-%d", len(objects(r.body, "messages"))), turn: turn,
		tier: turn.Tier, groq: v.options.Groq}
	if v.options.OpenAI && p.tier == "" {
		p.tier = openAITier(r.body)
	}
	for _, call := range turn.Calls {
		p.calls = append(p.calls, tools.form(call))
	}
	if !get[bool](r.body, "stream") {
		return Plain(200, p.plain())
	}
	return Stream(p.stream(get[bool](get[object](r.body, "stream_options"), "include_usage"))...)
}

// chatPlayer builds the answer with one turn.
type chatPlayer struct {
	id    string // unique for each turn of a conversation
	turn  *Turn
	tier  string // "": the server names none
	calls []Call // in the form in which the request offers the tools
	groq  bool
}

func (p *chatPlayer) usage() members {
	u := p.turn.Usage
	return fields("prompt_tokens", u.prompt(), "completion_tokens", u.Output, "total_tokens", u.total(),
		"prompt_tokens_details", fields("cached_tokens", u.Cached))
}

func (p *chatPlayer) finish() string {
	switch {
	case p.turn.Stop == "length":
		return "length"
	case len(p.calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// inputOf returns the input of a call and the name of the member for the input.
func inputOf(call Call) (member, input string) {
	if call.Kind == "custom" {
		return "input", call.Input.(string)
	}
	return "arguments", encode(call.Input)
}

func (p *chatPlayer) plain() members {
	message := fields("role", "assistant", "content", nil, "refusal", nil).
		withIf(p.turn.Text != "", "content", p.turn.Text)
	details := list[members]()
	for i, thought := range p.turn.Reasoning {
		whole, _ := chatThought(thought, i)
		for _, one := range whole {
			message = message.with(one.name, one.value)
		}
		if detail, ok := whole.get("reasoning_details").([]members); ok {
			details = append(details, detail...)
		}
	}
	message = message.withIf(len(details) > 0, "reasoning_details", details).
		withIf(p.turn.Refusal != "", "refusal", p.turn.Refusal)
	calls := list[members]()
	for _, call := range p.calls {
		member, input := inputOf(call)
		made := fields("name", call.Name, member, input)
		calls = append(calls, fields("id", call.ID, "type", call.Kind, call.Kind, made))
	}
	message = message.withIf(len(calls) > 0, "tool_calls", calls)
	choice := fields("index", 0, "message", message, "logprobs", nil, "finish_reason", p.turn.end(p.finish()))
	return fields("id", p.id, "object", "chat.completion", "created", 1, "model", upstreamModel,
		"choices", list(choice), "usage", p.usage()).withIf(p.tier != "", "service_tier", p.tier)
}

// chunk returns the event of a chunk. more are further members, as alternating names and values.
func (p *chatPlayer) chunk(choices []members, usage any, more ...any) string {
	chunk := fields("id", p.id, "object", "chat.completion.chunk", "created", 1, "model", upstreamModel,
		"choices", choices).withIf(p.tier != "", "service_tier", p.tier)
	return dataEvent(append(chunk.withIf(usage != nil, "usage", usage), fields(more...)...))
}

// stream returns the events of the turn, with a chunk of token counts if usage is true.
func (p *chatPlayer) stream(usage bool) (events []string) {
	send := func(delta members, finish any) {
		events = append(events,
			p.chunk(list(fields("index", 0, "delta", delta, "finish_reason", finish)), nil))
	}
	send(fields("role", "assistant", "content", ""), nil)
	for i, thought := range p.turn.Reasoning {
		_, pieces := chatThought(thought, i)
		for _, piece := range pieces {
			send(piece, nil)
		}
	}
	say := func(name, said string) {
		if said == "" {
			return
		}
		for _, half := range halves(said) {
			send(fields(name, half), nil)
		}
	}
	say("content", p.turn.Text)
	say("refusal", p.turn.Refusal)
	for i, call := range p.calls {
		member, input := inputOf(call)
		piece := func(pairs ...any) {
			send(fields("tool_calls", list(append(fields("index", i), fields(pairs...)...))), nil)
		}
		piece("id", call.ID, "type", call.Kind, call.Kind, fields("name", call.Name, member, ""))
		for _, half := range halves(input) {
			piece(call.Kind, fields(member, half))
		}
	}
	end := p.turn.end(p.finish())
	if p.groq {
		last := list(fields("index", 0, "delta", fields(), "finish_reason", end))
		return append(events, p.chunk(last, nil, "x_groq", fields("id", "req_1", "usage", p.usage())),
			"data: [DONE]\n\n")
	}
	send(fields(), end)
	if usage {
		events = append(events, p.chunk(list[members](), p.usage()))
	}
	return append(events, "data: [DONE]\n\n")
}

// chatThought returns a block of reasoning twice: whole, and as the deltas of a stream. The form is
// DeepSeek's if there is only a text, and OpenRouter's if the reasoning is signed or encrypted.
func chatThought(r Reasoning, index int) (whole members, pieces []members) {
	detail := func(pairs ...any) []members {
		return list(append(fields(pairs...), fields("format", "anthropic-claude-v1", "index", index)...))
	}
	if r.Redacted {
		whole = fields("reasoning_details", detail("type", "reasoning.encrypted", "data", r.Blob))
		return whole, list(whole)
	}
	if r.Blob == "" {
		for _, half := range halves(r.Text) {
			pieces = append(pieces, fields("reasoning_content", half))
		}
		return fields("reasoning_content", r.Text), pieces
	}
	for _, half := range halves(r.Text) {
		said := detail("type", "reasoning.text", "text", half)
		pieces = append(pieces, fields("reasoning", half, "reasoning_details", said))
	}
	signature := detail("type", "reasoning.text", "signature", r.Blob)
	signed := detail("type", "reasoning.text", "text", r.Text, "signature", r.Blob)
	pieces = append(pieces, fields("reasoning_details", signature))
	return fields("reasoning", r.Text, "reasoning_details", signed), pieces
}
