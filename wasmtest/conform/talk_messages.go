package conform

import (
	"encoding/json"
	"strings"
)

var messagesAPI = &api{
	name: "messages", double: "anthropic", paths: []string{"/v1/messages", "/messages"},
	path: func(prefix, _ string, _ bool) string { return prefix + "/messages" },
	head: func(key string) map[string]string {
		head := map[string]string{"anthropic-version": "2023-06-01"}
		if key != "" {
			head["x-api-key"] = key
		}
		return head
	},
	user: func(parts ...part) any {
		var content []any
		for _, p := range parts {
			switch {
			case p.image != "":
				content = append(content, object{"type": "image", "source": object{"type": "base64",
					"media_type": "image/png", "data": p.image}})
			case p.document != "":
				content = append(content, object{"type": "document", "source": object{"type": "base64",
					"media_type": "application/pdf", "data": p.document}})
			default:
				content = append(content, object{"type": "text", "text": p.text})
			}
		}
		return object{"role": "user", "content": content}
	},
	results: func(calls []Call, outputs []string) []any {
		var content []any
		for i, c := range calls {
			content = append(content, object{"type": "tool_result", "tool_use_id": c.ID,
				"content": outputs[i]})
		}
		return []any{object{"role": "user", "content": content}}
	},
	calls: messagesCalls,
	back:  func(r *Reply) []any { return []any{object{"role": "assistant", "content": r.items}} },
	body:  messagesBody,
	read:  readMessages,
	error: func(v value) string {
		v.get("type").is("error")
		v.get("error").get("type").oneOf("invalid_request_error", "authentication_error", "billing_error",
			"permission_error", "not_found_error", "request_too_large", "rate_limit_error", "timeout_error",
			"overloaded_error", "api_error")
		return v.get("error").get("message").name()
	},
}

func messagesBody(q *question) object {
	body := object{"model": q.model, "max_tokens": q.maxTokens, "messages": q.history}
	mark := object{"type": "ephemeral"}
	if q.system != "" {
		block := object{"type": "text", "text": q.system}
		if q.marks {
			block["cache_control"] = mark
		}
		body["system"] = []any{block}
	}
	if q.marks {
		body["messages"] = marked(q.history, mark)
	}
	var tools []any
	for i, t := range q.tools {
		tool := object{"name": t.Name, "description": t.Description, "input_schema": t.Schema}
		if q.marks && i == len(q.tools)-1 {
			tool["cache_control"] = mark
		}
		tools = append(tools, tool)
	}
	if tools != nil {
		body["tools"] = tools
	}
	switch {
	case q.forced != "":
		body["tool_choice"] = object{"type": "tool", "name": q.forced}
	case q.any:
		body["tool_choice"] = object{"type": "any"}
	case q.serial:
		body["tool_choice"] = object{"type": "auto", "disable_parallel_tool_use": true}
	}
	if q.stream {
		body["stream"] = true
	}
	if q.schema != nil {
		body["output_config"] = object{"format": object{"type": "json_schema", "schema": q.schema}}
	}
	if q.thinking {
		body["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
	}
	if q.cacheKey != "" {
		body["metadata"] = object{"user_id": q.cacheKey}
	}
	if q.stop != "" {
		body["stop_sequences"] = []any{q.stop}
	}
	if q.sampling {
		body["temperature"] = 0.5
	}
	return body
}

// marked returns a history with a breakpoint on the last block, as clients of Messages move it with
// each turn.
func marked(history []any, mark object) []any {
	text := encode(history)
	var copied []any
	_ = json.Unmarshal([]byte(text), &copied)
	content := member[[]any](copied[len(copied)-1], "content")
	if n := len(content); n > 0 {
		if last, ok := content[n-1].(object); ok {
			last["cache_control"] = mark
		}
	}
	return copied
}

func readMessages(r *Reply) {
	if !r.Stream {
		r.messagesUsage(member[object](r.JSON, "usage"))
		r.Stop = member[string](r.JSON, "stop_reason")
		for _, block := range elements(r.JSON, "content") {
			r.messagesBlock(block)
		}
		return
	}
	var block object
	var input strings.Builder
	for _, e := range r.Events {
		delta := member[object](e.JSON, "delta")
		switch member[string](e.JSON, "type") {
		case "message_start":
			r.messagesUsage(member[object](member[object](e.JSON, "message"), "usage"))
		case "content_block_start":
			block = object{}
			input.Reset()
			for name, v := range member[object](e.JSON, "content_block") {
				block[name] = v
			}
		case "content_block_delta":
			for _, name := range []string{"text", "thinking", "signature"} {
				if more := member[string](delta, name); more != "" && block != nil {
					grow(block, name, more)
				}
			}
			input.WriteString(member[string](delta, "partial_json"))
		case "content_block_stop":
			if block == nil {
				continue
			}
			settle(block)
			if member[string](block, "type") == "tool_use" && input.Len() > 0 {
				var arguments any
				_ = json.Unmarshal([]byte(input.String()), &arguments)
				block["input"] = arguments
			}
			r.messagesBlock(block)
			block = nil
		case "message_delta":
			if word := member[string](delta, "stop_reason"); word != "" {
				r.Stop = word
			}
			r.messagesUsage(member[object](e.JSON, "usage"))
		}
	}
}

func (r *Reply) messagesUsage(u object) {
	for name, count := range map[string]*int{"input_tokens": &r.Usage.Input, "output_tokens": &r.Usage.Output,
		"cache_read_input_tokens":     &r.Usage.Cached,
		"cache_creation_input_tokens": &r.Usage.Written} {
		if _, ok := u[name].(float64); ok {
			*count = number(u, name)
			r.Counted = true
		}
	}
	r.Usage.Total = r.Usage.Input + r.Usage.Cached + r.Usage.Written + r.Usage.Output
}

func (r *Reply) messagesBlock(block object) {
	r.items = append(r.items, block)
	switch member[string](block, "type") {
	case "text":
		r.text.WriteString(member[string](block, "text"))
	case "thinking":
		r.thinking.WriteString(member[string](block, "thinking"))
	case "tool_use":
		r.Calls = append(r.Calls, Call{ID: member[string](block, "id"), Name: member[string](block, "name"),
			Arguments: encode(block["input"])})
	}
}
