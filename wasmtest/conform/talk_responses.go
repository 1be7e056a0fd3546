package conform

var responsesAPI = &api{
	name: "responses", double: "responses", paths: []string{"/v1/responses", "/responses"},
	path: func(prefix, _ string, _ bool) string { return prefix + "/responses" },
	head: bearer,
	user: func(parts ...part) any {
		var content []any
		for _, p := range parts {
			switch {
			case p.image != "":
				content = append(content, object{"type": "input_image", "detail": "auto",
					"image_url": "data:image/png;base64," + p.image})
			case p.document != "":
				content = append(content, object{"type": "input_file", "filename": "a.pdf",
					"file_data": "data:application/pdf;base64," + p.document})
			default:
				content = append(content, object{"type": "input_text", "text": p.text})
			}
		}
		return object{"type": "message", "role": "user", "content": content}
	},
	results: func(calls []Call, outputs []string) (all []any) {
		for i, c := range calls {
			all = append(all, object{"type": "function_call_output", "call_id": c.ID, "output": outputs[i]})
		}
		return all
	},
	calls: responsesCalls,
	back:  func(r *Reply) []any { return r.items },
	body:  responsesBody,
	read:  readResponses,
	error: openAIError,
}

func responsesBody(q *question) object {
	body := object{"model": q.model, "max_output_tokens": q.maxTokens, "store": false, "input": q.history}
	if q.system != "" {
		body["instructions"] = q.system
	}
	var tools []any
	for _, t := range q.tools {
		tools = append(tools, object{"type": "function", "name": t.Name, "description": t.Description,
			"parameters": t.Schema, "strict": false})
	}
	if tools != nil {
		body["tools"] = tools
	}
	switch {
	case q.forced != "":
		body["tool_choice"] = object{"type": "function", "name": q.forced}
	case q.any:
		body["tool_choice"] = "required"
	case q.serial:
		body["parallel_tool_calls"] = false
	}
	if q.stream {
		body["stream"] = true
	}
	if q.schema != nil {
		body["text"] = object{"format": object{"type": "json_schema", "name": "city", "strict": true,
			"schema": q.schema}}
	}
	if q.thinking {
		body["include"] = []any{"reasoning.encrypted_content"}
		body["reasoning"] = object{"effort": "medium", "summary": "auto"}
	}
	if q.cacheKey != "" {
		body["prompt_cache_key"] = q.cacheKey
	}
	return body
}

func readResponses(r *Reply) {
	whole := r.JSON
	var items []any
	for _, e := range r.Events {
		switch member[string](e.JSON, "type") {
		case "response.output_item.done":
			items = append(items, e.JSON["item"])
		case "response.completed", "response.incomplete", "response.failed":
			whole = member[object](e.JSON, "response")
		}
	}
	if items == nil {
		items = member[[]any](whole, "output")
	}
	r.Stop = member[string](whole, "status")
	if why := member[string](member[object](whole, "incomplete_details"), "reason"); why != "" {
		r.Stop = why
	}
	if u := member[object](whole, "usage"); u != nil {
		input := member[object](u, "input_tokens_details")
		r.Usage = Usage{Input: number(u, "input_tokens"), Cached: number(input, "cached_tokens"),
			Written: number(input, "cache_write_tokens"), Output: number(u, "output_tokens"),
			Total: number(u, "total_tokens")}
		r.Counted = true
	}
	r.items = items
	for _, v := range items {
		switch member[string](v, "type") {
		case "message":
			for _, p := range elements(v, "content") {
				r.text.WriteString(member[string](p, "text"))
				r.refusal.WriteString(member[string](p, "refusal"))
			}
		case "reasoning":
			for _, p := range elements(v, "summary") {
				r.thinking.WriteString(member[string](p, "text"))
			}
		case "function_call":
			r.Calls = append(r.Calls, Call{ID: member[string](v, "call_id"), Name: member[string](v, "name"),
				Arguments: member[string](v, "arguments")})
		}
	}
}
