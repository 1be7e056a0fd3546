package demo

import (
	"encoding/json"
	"errors"
)

// readResponses reads a request of OpenAI Responses.
func readResponses(body []byte) (*turn, error) {
	var r struct {
		Model  string
		Stream bool
		Input  json.RawMessage
		Tools  []struct {
			Type, Name string
			Parameters any
		}
		ToolChoice any `json:"tool_choice"`
	}
	if err := decode(body, &r); err != nil {
		return nil, err
	}
	if r.Model == "" || len(r.Input) == 0 {
		return nil, errors.New("model and input are required")
	}
	t := &turn{model: r.Model, stream: r.Stream}
	if err := t.takeInput(r.Input); err != nil {
		return nil, err
	}
	if r.ToolChoice == "none" {
		return t, nil
	}
	t.must = r.ToolChoice == "required"
	if choice, ok := r.ToolChoice.(object); ok {
		t.named, t.must = choice["name"].(string)
	}
	for _, offered := range r.Tools {
		if offered.Type == "function" {
			t.tools = append(t.tools, tool{offered.Name, offered.Parameters})
		}
	}
	return t, nil
}

// takeInput notes what the input says: a string, or a list of items.
func (t *turn) takeInput(input json.RawMessage) error {
	if json.Unmarshal(input, &t.words) == nil {
		return nil
	}
	var items []struct {
		Type, Role string
		Content    content
		Output     content
	}
	if err := json.Unmarshal(input, &items); err != nil || len(items) == 0 {
		return errors.New("input is neither a string nor a list of items")
	}
	for _, item := range items {
		switch {
		case item.Type == "function_call_output":
			t.answered, t.result = true, string(item.Output)
		case item.Role == "user":
			t.answered, t.words = false, string(item.Content)
		case item.Role == "assistant", item.Type == "function_call":
			t.answered = false
		}
	}
	return nil
}

// responseItem is the output item of a reply, as it is at a status.
func responseItem(t *turn, r *reply, status string) object {
	whole := status == "completed"
	if r.tool == "" {
		content := []any{}
		if whole {
			content = append(content, responsePart(r.text))
		}
		return object{"type": "message", "id": "msg_" + t.id, "role": "assistant", "status": status, "content": content}
	}
	arguments := ""
	if whole {
		arguments = r.arguments
	}
	return object{
		"type": "function_call", "id": "fc_" + t.id, "call_id": "call_" + t.id, "name": r.tool, "arguments": arguments,
		"status": status,
	}
}

func responsePart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}}
}

// response is the response object, as it is at a status.
func response(t *turn, r *reply, status string) object {
	o := object{
		"id": "resp_" + t.id, "object": "response", "created_at": created, "model": t.model, "status": status,
		"error": nil, "incomplete_details": nil, "output": []any{}, "usage": nil, "parallel_tool_calls": true,
		"tool_choice": "auto", "tools": []any{},
	}
	if status == "completed" {
		o["output"] = []any{responseItem(t, r, status)}
		o["usage"] = object{
			"input_tokens": t.inputTokens, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": r.outputTokens(), "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": t.inputTokens + r.outputTokens(),
		}
	}
	return o
}

func plainResponses(t *turn, r *reply) any { return response(t, r, "completed") }

func streamResponses(e *events, t *turn, r *reply) {
	sequence := 0
	send := func(kind string, data object) {
		data["type"], data["sequence_number"] = kind, sequence
		sequence++
		e.send(kind, data)
	}
	send("response.created", object{"response": response(t, r, "in_progress")})
	send("response.in_progress", object{"response": response(t, r, "in_progress")})
	send("response.output_item.added", object{"output_index": 0, "item": responseItem(t, r, "in_progress")})
	if r.tool != "" {
		of := func(key, v string) object { return object{"item_id": "fc_" + t.id, "output_index": 0, key: v} }
		for _, piece := range pieces(r.arguments, 6) {
			send("response.function_call_arguments.delta", of("delta", piece))
		}
		send("response.function_call_arguments.done", of("arguments", r.arguments))
	} else {
		of := func(key string, v any) object {
			return object{"item_id": "msg_" + t.id, "output_index": 0, "content_index": 0, key: v}
		}
		send("response.content_part.added", of("part", responsePart("")))
		for _, piece := range pieces(r.text, 12) {
			send("response.output_text.delta", of("delta", piece))
		}
		send("response.output_text.done", of("text", r.text))
		send("response.content_part.done", of("part", responsePart(r.text)))
	}
	send("response.output_item.done", object{"output_index": 0, "item": responseItem(t, r, "completed")})
	send("response.completed", object{"response": response(t, r, "completed")})
}
