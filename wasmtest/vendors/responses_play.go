package vendors

import (
	"cmp"
	"fmt"
	"unicode/utf16"

	"edgelingua/wasmtest/vendors/shape"
)

// playResponses returns the answer of OpenAI's Responses API with a turn.
func playResponses(v *Vendor, r *parsed, turn *Turn) *Answer {
	number := 1 // unique for each turn of a conversation
	if input := get[[]any](r.body, "input"); input != nil {
		number = len(input)
	}
	p := responsesPlayer{turn: turn, body: r.body, number: number, status: "completed"}
	if turn.Stop == "length" {
		p.status = "incomplete"
	}
	items := p.items()
	for _, item := range items {
		stored, err := shape.Decode([]byte(encode(item)))
		if err != nil {
			panic(err)
		}
		v.issued.items[item.get("id").(string)] = stored
	}
	whole := p.response(p.status, items, p.usage())
	if turn.Stop == "length" {
		whole = whole.with("incomplete_details", fields("reason", "max_output_tokens"))
	}
	if !get[bool](r.body, "stream") {
		return Plain(200, whole)
	}
	var s itemStream
	begun := p.response("in_progress", list[members](), nil)
	s.send("response.created", "response", begun)
	s.send("response.in_progress", "response", begun)
	for i, item := range items {
		s.item(item, i)
	}
	s.send(turn.end("response."+p.status), "response", whole)
	return Stream(s.events...)
}

// responsesPlayer builds the answer with one turn.
type responsesPlayer struct {
	turn   *Turn
	body   object
	number int
	status string // of the response
}

func (p *responsesPlayer) usage() members {
	u := p.turn.Usage
	return fields("input_tokens", u.prompt(), "input_tokens_details", fields("cached_tokens", u.Cached),
		"output_tokens", u.Output, "output_tokens_details", fields("reasoning_tokens", 0),
		"total_tokens", u.total())
}

func (p *responsesPlayer) response(status string, output []members, usage any) members {
	var completed any
	tier := openAITier(p.body)
	switch status {
	case "completed":
		completed = 2
	case "in_progress":
		tier = "auto"
	}
	return fields("id", fmt.Sprintf("resp_e2e_%d", p.number), "object", "response", "created_at", 1,
		"completed_at", completed, "model", upstreamModel, "status", status, "background", false,
		"error", nil, "frequency_penalty", 0,
		"incomplete_details", nil, "instructions", nil, "max_output_tokens", nil,
		"max_tool_calls", nil, "metadata", fields(), "output", output, "parallel_tool_calls", true,
		"presence_penalty", 0, "previous_response_id", nil, "prompt_cache_key", nil,
		"reasoning", fields("effort", nil, "summary", nil), "safety_identifier", nil,
		"service_tier", cmp.Or(p.turn.Tier, tier), "store", false, "temperature", 1,
		"text", fields("format", fields("type", "text")),
		"tool_choice", "auto", "tools", list[any](), "top_logprobs", 0, "top_p", 1,
		"truncation", "disabled", "usage", usage)
}

// items returns the output items of the turn.
func (p *responsesPlayer) items() []members {
	items, turn, tools := list[members](), p.turn, offeredResponses(p.body)
	for _, thought := range turn.Reasoning {
		summary := list[members]()
		if thought.Text != "" {
			summary = list(fields("type", "summary_text", "text", thought.Text))
		}
		items = append(items, fields("type", "reasoning", "id", thought.ID, "summary", summary,
			"encrypted_content", thought.Blob, "status", "completed"))
	}
	cited := list[members]()
	if search := turn.Search; search != nil {
		if tools["web_search"] == "" {
			shape.Refuse("", "there is no search to run")
		}
		action := fields("type", "search", "query", search.Query, "queries", list(search.Query),
			"sources", list(fields("type", "url", "url", search.URL)))
		items = append(items, fields("type", "web_search_call", "id", fmt.Sprintf("ws_%d", p.number),
			"status", "completed", "action", action))
		length := len(utf16.Encode([]rune(turn.Text)))
		cited = list(fields("type", "url_citation", "start_index", 0, "end_index", length,
			"title", search.Title, "url", search.URL))
	}
	if turn.Compaction != "" {
		items = append(items, fields("type", "compaction", "id", fmt.Sprintf("cmp_%d", p.number),
			"encrypted_content", turn.Compaction))
	}
	phase := p.phase()
	if turn.Text != "" {
		items = append(items, p.message(outputText(turn.Text, cited), p.status, phase))
	}
	if turn.Refusal != "" {
		if phase != "" {
			phase = "final_answer"
		}
		items = append(items,
			p.message(fields("type", "refusal", "refusal", turn.Refusal), "completed", phase))
	}
	for _, call := range turn.Calls {
		items = append(items, callItem(tools.form(call)))
	}
	return items
}

// phase returns the phase of the turn's text, or "" if the model has no phases or the turn
// is incomplete.
func (p *responsesPlayer) phase() string {
	switch {
	case !phasedModel.MatchString(text(p.body, "model")) || p.status != "completed":
		return ""
	case len(p.turn.Calls) > 0 || p.turn.Text != "" && p.turn.Refusal != "":
		return "commentary"
	}
	return "final_answer"
}

func (p *responsesPlayer) message(part members, status, phase string) members {
	id := fmt.Sprintf("msg_e2e_%d", p.number)
	message := fields("type", "message", "id", id, "role", "assistant", "status", status,
		"content", list(part))
	return message.withIf(phase != "", "phase", phase)
}

func outputText(text string, annotations []members) members {
	return fields("type", "output_text", "text", text, "annotations", annotations)
}

// callItem returns the output item of a call.
func callItem(call Call) members {
	item := func(kind, prefix string, pairs ...any) members {
		item := append(fields("type", kind, "id", prefix+call.ID, "call_id", call.ID), fields(pairs...)...)
		return item.with("status", "completed")
	}
	tool := fields().withIf(call.Namespace != "", "namespace", call.Namespace).with("name", call.Name)
	named := func(kind, prefix, member string, input any) members {
		item := append(fields("type", kind, "id", prefix+call.ID, "call_id", call.ID), tool...)
		return append(item, fields(member, input, "status", "completed")...)
	}
	switch call.Kind {
	case "custom":
		return named("custom_tool_call", "ctc_", "input", call.Input)
	case "search":
		return item("tool_search_call", "tsc_", "execution", "client", "arguments", call.Input)
	case "shell":
		action := fields("type", "exec", "command", call.Input, "env", fields())
		return item("local_shell_call", "lsh_", "action", action)
	}
	return named("function_call", "fc_", "arguments", encode(call.Input))
}

// offeredResponses returns the tools that the model can see, including tools in input items. A tool
// with defer_loading is visible only in a tool_search_output.
func offeredResponses(body object) offers {
	seen := offers{}
	own := map[string]string{"tool_search": "search", "local_shell": "shell"}
	var see func(tool object, found bool, namespace string)
	see = func(tool object, found bool, namespace string) {
		kind, name := text(tool, "type"), text(tool, "name")
		if kind == "namespace" {
			for _, inner := range objects(tool, "tools") {
				see(inner, found, name)
			}
			return
		}
		if get[bool](tool, "defer_loading") && !found {
			return
		}
		switch {
		case namespace != "":
			name = namespace + "/" + name
		case name == "":
			name = kind
		}
		if own[kind] != "" {
			kind = own[kind]
		}
		seen[name] = kind
	}
	for _, tool := range objects(body, "tools") {
		see(tool, false, "")
	}
	for _, item := range objects(body, "input") {
		for _, tool := range objects(item, "tools") {
			see(tool, text(item, "type") == "tool_search_output", "")
		}
	}
	return seen
}
