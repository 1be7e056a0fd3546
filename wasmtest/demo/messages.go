package demo

import (
	"encoding/json"
	"errors"
	"net/http"
)

// readMessages reads a Messages request.
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
	t := &turn{model: r.Model, stream: r.Stream, forcedTool: r.ToolChoice.Name}
	t.forced = r.ToolChoice.Type == "any" || r.ToolChoice.Type == "tool"
	for _, m := range r.Messages {
		if err := t.takeMessage(m.Role, m.Content); err != nil {
			return nil, err
		}
	}
	if r.ToolChoice.Type == "none" {
		return t, nil
	}
	for _, offered := range r.Tools {
		// the server runs a tool without a schema, and the model does not see a tool with
		// defer_loading yet
		if offered.InputSchema != nil && !offered.Deferred {
			t.tools = append(t.tools, tool{offered.Name, offered.InputSchema})
		}
	}
	return t, nil
}

// takeMessage adds the content of a message to the turn. A user's message can have texts and tool
// results.
func (t *turn) takeMessage(role string, raw json.RawMessage) error {
	var words content
	if err := json.Unmarshal(raw, &words); err != nil {
		return err
	}
	if role == "system" { // a system message may come after a result, and does not end the result
		return nil
	}
	var blocks []struct {
		Type    string
		ID      string
		CallID  string `json:"tool_use_id"`
		Content content
	}
	if json.Unmarshal(raw, &blocks) != nil {
		blocks = nil // the content is a string
	}
	t.answered = false
	if role == "user" && words != "" {
		t.takeWords(string(words))
	}
	for _, block := range blocks {
		switch block.Type {
		case "tool_use":
			t.takeCall(block.ID)
		case "tool_result":
			if err := t.takeResult(block.CallID, string(block.Content)); err != nil {
				return err
			}
		}
	}
	return nil
}

// messageBlocks returns the content blocks of a reply: whole, or in their form for
// content_block_start.
func messageBlocks(r *reply, whole bool) (blocks []any, reason string) {
	if len(r.calls) == 0 {
		block := object{"type": "text", "text": ""}
		if whole {
			block["text"] = r.text
		}
		return []any{block}, "end_turn"
	}
	for _, c := range r.calls {
		block := object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.tool, "input": object{}}
		if whole {
			block["input"] = json.RawMessage(c.arguments)
		}
		blocks = append(blocks, block)
	}
	return blocks, "tool_use"
}

func plainMessages(t *turn, r *reply) any {
	blocks, reason := messageBlocks(r, true)
	return object{
		"id": "msg_" + t.id, "type": "message", "role": "assistant", "model": t.model, "content": blocks,
		"stop_reason": reason, "stop_sequence": nil,
		"usage": object{"input_tokens": t.inputTokens, "output_tokens": r.outputTokens()},
	}
}

func streamMessages(e *events, t *turn, r *reply) {
	send := func(kind string, data object) {
		data["type"] = kind
		e.send(kind, data)
	}
	blocks, reason := messageBlocks(r, false)
	send("message_start", object{"message": object{
		"id": "msg_" + t.id, "type": "message", "role": "assistant", "model": t.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": t.inputTokens,
			"output_tokens": 1},
	}})
	for i, block := range blocks {
		send("content_block_start", object{"index": i, "content_block": block})
		if i == 0 {
			send("ping", object{})
		}
		if len(r.calls) > 0 {
			for _, piece := range pieces(r.calls[i].arguments, 6) {
				send("content_block_delta", object{"index": i, "delta": object{"type": "input_json_delta",
					"partial_json": piece}})
			}
		}
		for _, piece := range pieces(r.text, 12) {
			send("content_block_delta", object{"index": i, "delta": object{"type": "text_delta",
				"text": piece}})
		}
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", object{
		"delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": r.outputTokens()},
	})
	send("message_stop", object{})
}

func breakMessages(e *events, t *turn, message string) {
	e.send("error", messagesFailure(http.StatusInternalServerError, message))
}

var messagesKinds = map[failure]string{
	unauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	notFound:                   "not_found_error",
	http.StatusTooManyRequests: "rate_limit_error", http.StatusServiceUnavailable: "overloaded_error",
	529: "overloaded_error",
}

func messagesFailure(kind failure, message string) any {
	name, known := messagesKinds[kind]
	switch {
	case !known && kind < http.StatusInternalServerError:
		name = "invalid_request_error"
	case !known:
		name = "api_error"
	}
	return object{"type": "error", "error": object{"type": name, "message": message}}
}
