package demo

import (
	"encoding/json"
	"errors"
)

// readMessages reads a request of Anthropic Messages.
func readMessages(body []byte) (*turn, error) {
	var r struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Stream    bool
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Name        string
			InputSchema any  `json:"input_schema"`
			Deferred    bool `json:"defer_loading"`
		}
		ToolChoice struct{ Type, Name string } `json:"tool_choice"`
	}
	if err := decode(body, &r); err != nil {
		return nil, err
	}
	if r.Model == "" || r.MaxTokens < 1 || len(r.Messages) == 0 {
		return nil, errors.New("model, max_tokens and messages are required")
	}
	t := &turn{model: r.Model, stream: r.Stream, named: r.ToolChoice.Name}
	t.must = r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool"
	for _, m := range r.Messages {
		if err := t.takeMessage(m.Role, m.Content); err != nil {
			return nil, err
		}
	}
	if r.ToolChoice.Type == "none" {
		return t, nil
	}
	for _, offered := range r.Tools {
		if offered.InputSchema != nil && !offered.Deferred { // what has none runs on the server
			t.tools = append(t.tools, tool{offered.Name, offered.InputSchema})
		}
	}
	return t, nil
}

// takeMessage notes what a message says. A user's message can hold texts and tool results.
func (t *turn) takeMessage(role string, raw json.RawMessage) error {
	var words content
	if err := json.Unmarshal(raw, &words); err != nil {
		return err
	}
	if role == "system" { // it may stand behind a result
		return nil
	}
	t.answered = false
	if role != "user" {
		return nil
	}
	if words != "" {
		t.words = string(words)
	}
	var blocks []struct {
		Type    string
		Content content
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return nil // a string
	}
	for _, block := range blocks {
		if block.Type == "tool_result" {
			t.answered, t.result = true, string(block.Content)
		}
	}
	return nil
}

// messageBlock is the content block of a reply, with or without what its deltas bring.
func messageBlock(t *turn, r *reply, whole bool) (block object, reason string) {
	if r.tool == "" {
		block = object{"type": "text", "text": ""}
		if whole {
			block["text"] = r.text
		}
		return block, "end_turn"
	}
	block = object{"type": "tool_use", "id": "toolu_" + t.id, "name": r.tool, "input": object{}}
	if whole {
		block["input"] = json.RawMessage(r.arguments)
	}
	return block, "tool_use"
}

func plainMessages(t *turn, r *reply) any {
	block, reason := messageBlock(t, r, true)
	return object{
		"id": "msg_" + t.id, "type": "message", "role": "assistant", "model": t.model, "content": []any{block},
		"stop_reason": reason, "stop_sequence": nil,
		"usage": object{"input_tokens": t.inputTokens, "output_tokens": r.outputTokens()},
	}
}

func streamMessages(e *events, t *turn, r *reply) {
	send := func(kind string, data object) {
		data["type"] = kind
		e.send(kind, data)
	}
	block, reason := messageBlock(t, r, false)
	send("message_start", object{"message": object{
		"id": "msg_" + t.id, "type": "message", "role": "assistant", "model": t.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": t.inputTokens, "output_tokens": 1},
	}})
	send("content_block_start", object{"index": 0, "content_block": block})
	send("ping", object{})
	for _, piece := range pieces(r.arguments, 6) {
		send("content_block_delta", object{"index": 0, "delta": object{"type": "input_json_delta", "partial_json": piece}})
	}
	for _, piece := range pieces(r.text, 12) {
		send("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": piece}})
	}
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{
		"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": r.outputTokens()},
	})
	send("message_stop", object{})
}

var messagesKinds = map[failure]string{
	invalid: "invalid_request_error", unauthorized: "authentication_error", notFound: "not_found_error",
	notAllowed: "invalid_request_error",
}

func messagesFailure(kind failure, message string) any {
	return object{"type": "error", "error": object{"type": messagesKinds[kind], "message": message}}
}
