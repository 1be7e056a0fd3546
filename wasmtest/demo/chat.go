package demo

import (
	"errors"
	"net/http"
)

// created is the date of every answer, in seconds since 1970.
const created = 1750000000

// readChat reads a Chat Completions request.
func readChat(body []byte) (*turn, error) {
	var r struct {
		Model   string
		Stream  bool
		Options struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct {
			Role    string
			Content content
			Calls   []struct{ ID string } `json:"tool_calls"`
			CallID  string                `json:"tool_call_id"`
		}
		Tools []struct {
			Type     string
			Function struct {
				Name       string
				Parameters any
			}
		}
		ToolChoice any `json:"tool_choice"`
	}
	if err := decode(body, &r); err != nil {
		return nil, err
	}
	if r.Model == "" || len(r.Messages) == 0 {
		return nil, errors.New("model and messages are required")
	}
	t := &turn{model: r.Model, stream: r.Stream, usage: r.Options.IncludeUsage}
	for _, m := range r.Messages {
		switch m.Role {
		case "tool":
			if err := t.takeResult(m.CallID, string(m.Content)); err != nil {
				return nil, err
			}
		case "user":
			t.takeWords(string(m.Content))
		case "assistant":
			t.answered = false
			for _, call := range m.Calls {
				t.takeCall(call.ID)
			}
		}
	}
	if r.ToolChoice == "none" {
		return t, nil
	}
	t.forced = r.ToolChoice == "required"
	if choice, ok := r.ToolChoice.(object); ok {
		function, _ := choice["function"].(object)
		t.forcedTool, t.forced = function["name"].(string)
	}
	for _, offered := range r.Tools {
		if offered.Type == "function" {
			t.tools = append(t.tools, tool{offered.Function.Name, offered.Function.Parameters})
		}
	}
	return t, nil
}

func plainChat(t *turn, r *reply) any {
	message, reason := object{"role": "assistant", "content": r.text, "refusal": nil}, "stop"
	if len(r.calls) > 0 {
		reason = "tool_calls"
		calls := []any{}
		for _, c := range r.calls {
			calls = append(calls, object{
				"id": "call_" + c.id, "type": "function", "function": object{"name": c.tool,
					"arguments": c.arguments},
			})
		}
		message["content"], message["tool_calls"] = nil, calls
	}
	return object{
		"id": "chatcmpl-" + t.id, "object": "chat.completion", "created": created, "model": t.model,
		"choices": []any{object{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason}},
		"usage":   chatUsage(t, r),
	}
}

func chatUsage(t *turn, r *reply) any {
	return object{
		"prompt_tokens": t.inputTokens, "completion_tokens": r.outputTokens(),
		"total_tokens": t.inputTokens + r.outputTokens(),
	}
}

func streamChat(e *events, t *turn, r *reply) {
	chunk := func(choices []any, usage any) {
		data := object{
			"id": "chatcmpl-" + t.id, "object": "chat.completion.chunk", "created": created, "model": t.model,
			"choices": choices,
		}
		if t.usage {
			data["usage"] = usage
		}
		e.send("", data)
	}
	delta := func(delta object, reason any) {
		chunk([]any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}}, nil)
	}
	reason := "stop"
	if len(r.calls) > 0 {
		reason = "tool_calls"
		delta(object{"role": "assistant", "content": nil}, nil)
		for i, c := range r.calls {
			delta(object{"tool_calls": []any{object{
				"index": i, "id": "call_" + c.id, "type": "function", "function": object{"name": c.tool,
					"arguments": ""},
			}}}, nil)
			for _, piece := range pieces(c.arguments, 6) {
				delta(object{"tool_calls": []any{object{"index": i,
					"function": object{"arguments": piece}}}}, nil)
			}
		}
	} else {
		delta(object{"role": "assistant", "content": ""}, nil)
		for _, piece := range pieces(r.text, 12) {
			delta(object{"content": piece}, nil)
		}
	}
	delta(object{}, reason)
	if t.usage {
		chunk([]any{}, chatUsage(t, r))
	}
	e.sendRaw("", "[DONE]")
}

func breakChat(e *events, t *turn, message string) {
	e.send("", openAIFailure(http.StatusInternalServerError, message))
}
