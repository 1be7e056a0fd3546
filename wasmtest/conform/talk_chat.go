package conform

var chatAPI = &api{
	name: "chat", double: "chat", paths: []string{"/v1/chat/completions", "/chat/completions"},
	path: func(prefix, _ string, _ bool) string { return prefix + "/chat/completions" },
	head: bearer,
	user: func(parts ...part) any {
		var content []any
		for _, p := range parts {
			switch {
			case p.image != "":
				content = append(content, object{"type": "image_url",
					"image_url": object{"url": "data:image/png;base64," + p.image}})
			case p.document != "":
				content = append(content, object{"type": "file", "file": object{"filename": "a.pdf",
					"file_data": "data:application/pdf;base64," + p.document}})
			default:
				content = append(content, object{"type": "text", "text": p.text})
			}
		}
		return object{"role": "user", "content": content}
	},
	results: func(calls []Call, outputs []string) (all []any) {
		for i, c := range calls {
			all = append(all, object{"role": "tool", "tool_call_id": c.ID, "content": outputs[i]})
		}
		return all
	},
	calls: chatCalls,
	back:  func(r *Reply) []any { return r.items },
	body:  chatBody,
	read:  readChat,
	error: openAIError,
}

func openAIError(v value) string {
	e := v.get("error")
	e.get("type")
	return e.get("message").name()
}

func chatBody(q *question) object {
	history := q.history
	if q.system != "" {
		history = append([]any{object{"role": "system", "content": q.system}}, history...)
	}
	body := object{"model": q.model, "max_tokens": q.maxTokens, "messages": history}
	var tools []any
	for _, t := range q.tools {
		tools = append(tools, object{"type": "function", "function": object{"name": t.Name,
			"description": t.Description, "parameters": t.Schema}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	switch {
	case q.forced != "":
		body["tool_choice"] = object{"type": "function", "function": object{"name": q.forced}}
	case q.any:
		body["tool_choice"] = "required"
	case q.serial:
		body["parallel_tool_calls"] = false
	}
	if q.stream {
		body["stream"] = true
		if !q.noUsage {
			body["stream_options"] = object{"include_usage": true}
		}
	}
	if q.schema != nil {
		body["response_format"] = object{"type": "json_schema", "json_schema": object{"name": "city",
			"strict": true, "schema": q.schema}}
	}
	if q.thinking {
		body["reasoning_effort"] = "medium"
	}
	if q.cacheKey != "" {
		body["prompt_cache_key"] = q.cacheKey
	}
	if q.stop != "" {
		body["stop"] = []any{q.stop}
	}
	if q.sampling {
		body["temperature"] = 0.5
	}
	return body
}

func readChat(r *Reply) {
	message := object{"role": "assistant", "content": nil}
	if !r.Stream {
		r.chatUsage(member[object](r.JSON, "usage"))
		for _, choice := range elements(r.JSON, "choices") {
			r.Stop = member[string](choice, "finish_reason")
			if m := member[object](choice, "message"); m != nil {
				message = m
			}
		}
	}
	for _, e := range r.Events {
		r.chatUsage(member[object](e.JSON, "usage"))
		for _, choice := range elements(e.JSON, "choices") {
			if word := member[string](choice, "finish_reason"); word != "" {
				r.Stop = word
			}
			chatDelta(message, member[object](choice, "delta"))
		}
	}
	settle(message)
	for _, call := range elements(message, "tool_calls") {
		settle(member[object](call, "function"))
	}
	r.Text = member[string](message, "content")
	r.Refusal = member[string](message, "refusal")
	r.Thinking = member[string](message, "reasoning_content")
	if r.Thinking == "" {
		r.Thinking = member[string](message, "reasoning")
	}
	for _, call := range elements(message, "tool_calls") {
		f := member[object](call, "function")
		r.Calls = append(r.Calls, Call{ID: member[string](call, "id"), Name: member[string](f, "name"),
			Arguments: member[string](f, "arguments")})
	}
	r.items = []any{message}
}

// chatDelta adds a delta to a message.
func chatDelta(message, delta object) {
	for name, v := range delta {
		more, isText := v.(string)
		switch {
		case name == "tool_calls":
			for _, piece := range elements(delta, name) {
				chatCall(message, piece)
			}
		case name == "role":
		case isText:
			grow(message, name, more)
		case v != nil:
			if list, ok := v.([]any); ok {
				message[name] = append(member[[]any](message, name), list...)
			}
		}
	}
}

func chatCall(message, piece object) {
	calls := member[[]any](message, "tool_calls")
	index := number(piece, "index")
	if index < 0 || index > len(calls) {
		return // a case of its own
	}
	if index == len(calls) {
		calls = append(calls, object{"type": "function", "function": object{"name": "", "arguments": ""}})
		message["tool_calls"] = calls
	}
	call := calls[index].(object)
	if id := member[string](piece, "id"); id != "" {
		call["id"] = id
	}
	whole, f := member[object](call, "function"), member[object](piece, "function")
	for _, name := range []string{"name", "arguments"} {
		grow(whole, name, member[string](f, name))
	}
}

func (r *Reply) chatUsage(u object) {
	if u == nil {
		return
	}
	details := member[object](u, "prompt_tokens_details")
	r.Usage = Usage{Input: number(u, "prompt_tokens"), Cached: number(details, "cached_tokens"),
		Written: number(details, "cache_write_tokens"), Output: number(u, "completion_tokens"),
		Total: number(u, "total_tokens")}
	r.Counted = true
}
