package demo

import (
	"encoding/json"
	"errors"
)

// readResponses reads a Responses request.
func readResponses(body []byte) (*turn, error) {
	var r struct {
		Model  string
		Stream bool
		Input  json.RawMessage
		Tools  []struct {
			Type, Name string
			Parameters any
		}
		ToolChoice any    `json:"tool_choice"`
		Previous   string `json:"previous_response_id"`
	}
	if err := decode(body, &r); err != nil {
		return nil, err
	}
	if r.Model == "" || len(r.Input) == 0 {
		return nil, errors.New("model and input are required")
	}
	if r.Previous != "" {
		return nil, errors.New("Previous response with id '" + r.Previous + "' not found.")
	}
	t := &turn{model: r.Model, stream: r.Stream}
	if err := t.takeInput(r.Input); err != nil {
		return nil, err
	}
	if r.ToolChoice == "none" {
		return t, nil
	}
	t.forced = r.ToolChoice == "required"
	if choice, ok := r.ToolChoice.(object); ok {
		t.forcedTool, t.forced = choice["name"].(string)
	}
	for _, offered := range r.Tools {
		if offered.Type == "function" {
			t.tools = append(t.tools, tool{offered.Name, offered.Parameters})
		}
	}
	return t, nil
}

// takeInput adds the input, a string or a list of items, to the turn.
func (t *turn) takeInput(input json.RawMessage) error {
	if json.Unmarshal(input, &t.words) == nil {
		return nil
	}
	var items []struct {
		Type, Role string
		Content    content
		Output     content
		CallID     string `json:"call_id"`
	}
	if err := json.Unmarshal(input, &items); err != nil || len(items) == 0 {
		return errors.New("input is neither a string nor a list of items")
	}
	for _, item := range items {
		switch {
		case item.Type == "function_call_output":
			if err := t.takeResult(item.CallID, string(item.Output)); err != nil {
				return err
			}
		case item.Role == "user":
			t.takeWords(string(item.Content))
		case item.Type == "function_call":
			t.answered = false
			t.takeCall(item.CallID)
		case item.Role == "assistant":
			t.answered = false
		}
	}
	return nil
}

// responseItems returns the output items of a reply at a status: complete for "completed",
// otherwise empty.
func responseItems(t *turn, r *reply, status string) (items []object) {
	whole := status == "completed"
	if len(r.calls) == 0 {
		content := []any{}
		if whole {
			content = append(content, responsePart(r.text))
		}
		return []object{{"type": "message", "id": "msg_" + t.id, "role": "assistant", "status": status,
			"content": content}}
	}
	for _, c := range r.calls {
		arguments := ""
		if whole {
			arguments = c.arguments
		}
		items = append(items, object{
			"type": "function_call", "id": "fc_" + c.id, "call_id": "call_" + c.id, "name": c.tool,
			"arguments": arguments,
			"status":    status,
		})
	}
	return items
}

func responsePart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}}
}

// response returns the response object at a status.
func response(t *turn, r *reply, status string) object {
	o := object{
		"id": "resp_" + t.id, "object": "response", "created_at": created, "model": t.model, "status": status,
		"error": nil, "incomplete_details": nil, "output": []any{}, "usage": nil, "parallel_tool_calls": true,
		"tool_choice": "auto", "tools": []any{}, "instructions": nil, "metadata": object{}, "temperature": 1,
		"top_p": 1,
	}
	if status == "completed" {
		o["output"] = responseItems(t, r, status)
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
	send := func(kind string, data object) {
		data["type"], data["sequence_number"] = kind, e.sent
		e.send(kind, data)
	}
	send("response.created", object{"response": response(t, r, "in_progress")})
	send("response.in_progress", object{"response": response(t, r, "in_progress")})
	done := responseItems(t, r, "completed")
	for i, item := range responseItems(t, r, "in_progress") {
		send("response.output_item.added", object{"output_index": i, "item": item})
		if len(r.calls) > 0 {
			of := func(key, v string) object {
				return object{"item_id": item["id"], "output_index": i,
					key: v}
			}
			for _, piece := range pieces(r.calls[i].arguments, 6) {
				send("response.function_call_arguments.delta", of("delta", piece))
			}
			send("response.function_call_arguments.done", of("arguments", r.calls[i].arguments))
		} else {
			of := func(key string, v any) object {
				return object{"item_id": item["id"], "output_index": i, "content_index": 0, key: v}
			}
			send("response.content_part.added", of("part", responsePart("")))
			for _, piece := range pieces(r.text, 12) {
				send("response.output_text.delta", of("delta", piece))
			}
			send("response.output_text.done", of("text", r.text))
			send("response.content_part.done", of("part", responsePart(r.text)))
		}
		send("response.output_item.done", object{"output_index": i, "item": done[i]})
	}
	send("response.completed", object{"response": response(t, r, "completed")})
}

func breakResponses(e *events, t *turn, message string) {
	e.send("error", object{
		"type": "error", "sequence_number": e.sent, "code": "server_error", "message": message, "param": nil,
	})
	failed := response(t, &reply{}, "failed")
	failed["error"] = object{"code": "server_error", "message": message}
	e.send("response.failed", object{"type": "response.failed", "sequence_number": e.sent,
		"response": failed})
}
