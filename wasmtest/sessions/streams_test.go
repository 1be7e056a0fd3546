package sessions_test

import (
	"fmt"
	"slices"

	"edgelingua/wasmtest/vendors"
)

// named and unnamed return a server-sent event, with and without an event line.
func named(name string, value object) string {
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, encode(with(value, "type", name)))
}

func unnamed(value object) string { return fmt.Sprintf("data: %s\n\n", encode(value)) }

func with(o object, name string, value any) object {
	out := object{name: value}
	for key, value := range o {
		out[key] = value
	}
	return out
}

// interaction is the answer's description in events of Google's Interactions. If the answer is not
// stored, the id is empty.
func interaction(status string) object {
	return object{"id": "", "status": status, "object": "interaction", "model": "upstream-model"}
}

func interactionsEvent(name string, value object) string {
	return fmt.Sprintf("event: %s\ndata: %s\n\n", name, encode(with(value, "event_type", name)))
}

func chatDelta(delta object, finish any) string {
	return unnamed(object{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
		"choices": list{object{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

func geminiChunk(finish string, parts ...any) string {
	candidate := object{"content": object{"role": "model", "parts": append(list{}, parts...)}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return unnamed(
		object{"candidates": list{candidate}, "modelVersion": "upstream-model", "responseId": "gem-1"},
	)
}

func responsesHead(status string, more object) object {
	head := object{
		"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": status,
		"output": list{}, "tools": list{},
	}
	for name, value := range more {
		head[name] = value
	}
	return head
}

// messageStart is the first event of a Messages stream.
var messageStart = named("message_start", object{"message": object{
	"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": list{},
	"stop_reason": nil, "stop_sequence": nil,
	"usage": object{"input_tokens": 1, "output_tokens": 1},
}})

// interactionsStart has the first events of an Interactions stream.
var interactionsStart = []string{
	interactionsEvent("interaction.created", object{"interaction": interaction("in_progress")}),
	interactionsEvent("interaction.status_update", object{"interaction_id": "", "status": "in_progress"}),
}

// half is the start of a stream, up to half of its first block. For Responses, it has only the
// first event.
func half(protocol string) []string {
	switch protocol {
	case "anthropic":
		return []string{
			messageStart,
			named("content_block_start",
				object{"index": 0, "content_block": object{"type": "text", "text": ""}}),
			named("content_block_delta",
				object{"index": 0, "delta": object{"type": "text_delta", "text": "Half"}}),
		}
	case "chat":
		return []string{
			chatDelta(object{"role": "assistant", "content": ""}, nil),
			chatDelta(object{"content": "Half"}, nil),
		}
	case "gemini":
		return []string{geminiChunk("", object{"text": "Half"})}
	case "interactions":
		return append(
			slices.Clone(interactionsStart),
			interactionsEvent("step.start", object{"index": 0, "step": object{"type": "model_output"}}),
			interactionsEvent("step.delta",
				object{"index": 0, "delta": object{"type": "text", "text": "Half"}}),
		)
	}
	return []string{
		named("response.created",
			object{"sequence_number": 0, "response": responsesHead("in_progress", nil)}),
	}
}

// failure is an error body. The word is a type in Messages and Responses, a code in Interactions,
// and a status in Gemini.
func failure(protocol string, status int, word, message string) object {
	switch protocol {
	case "anthropic":
		return object{"type": "error", "error": object{"type": word, "message": message}}
	case "gemini":
		return object{"error": object{"code": status, "message": message, "status": word}}
	case "interactions":
		return object{"error": object{"message": message, "code": word}}
	}
	return object{"error": object{"message": message, "type": word, "param": nil, "code": nil}}
}

// withCode is OpenAI's error body with a code, as Codex reads it.
func withCode(code, message string) object {
	return object{
		"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": code},
	}
}

// broken is a vendor's answer with a stream that breaks off with an error.
func broken(protocol, message string) *vendors.Turn {
	last := ""
	switch protocol {
	case "anthropic":
		last = named("error", failure(protocol, 0, "overloaded_error", message))
	case "gemini":
		last = unnamed(failure(protocol, 503, "UNAVAILABLE", message))
	case "interactions":
		last = interactionsEvent("error", failure(protocol, 0, "service_unavailable", message))
	case "responses":
		last = named("error",
			object{"sequence_number": 1, "code": "server_error", "message": message, "param": nil})
	default:
		last = unnamed(failure(protocol, 0, "server_error", message))
	}
	return answering(vendors.Stream(append(half(protocol), last)...))
}
