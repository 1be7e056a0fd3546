package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// eventsOf returns a plain answer as the stream that its vendor sends, with one delta for a text.
func eventsOf(protocol string, body object) string {
	var b strings.Builder
	send := func(name string, event object) {
		if name != "" {
			fmt.Fprintf(&b, "event: %s\n", name)
		}
		fmt.Fprintf(&b, "data: %s\n\n", encode(event))
	}
	switch protocol {
	case "gemini":
		for _, candidate := range objects(body["candidates"]) {
			if candidate["finishReason"] == nil {
				candidate["finishReason"] = "STOP" // a stream without an end is not complete
			}
		}
		send("", body)
	case "chat":
		chatEvents(body, send)
	case "anthropic":
		messagesEvents(body, send)
	case "responses":
		responsesEvents(body, send)
	case "interactions":
		interactionsEvents(body, send)
	}
	return b.String()
}

// sending sends an event.
type sending func(name string, event object)

// without returns a copy of an object without some members.
func without(o object, names ...string) object {
	o = maps.Clone(o)
	for _, name := range names {
		delete(o, name)
	}
	return o
}

// objects returns the objects of a list.
func objects(v any) (all []object) {
	elements, _ := v.(list)
	for _, element := range elements {
		if o, ok := element.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

func chatEvents(body object, send sending) {
	chunk := func(choices list) object {
		o := without(body, "choices", "usage")
		o["object"], o["choices"] = "chat.completion.chunk", choices
		return o
	}
	var first, last list
	for _, choice := range objects(body["choices"]) {
		delta, _ := choice["message"].(object)
		delta = maps.Clone(delta)
		calls := objects(delta["tool_calls"])
		for i, call := range calls {
			call["index"] = i
		}
		start := without(choice, "message", "finish_reason")
		start["delta"], start["finish_reason"] = delta, nil
		first = append(first, start)
		last = append(last, object{"index": choice["index"], "delta": object{},
			"finish_reason": choice["finish_reason"]})
	}
	send("", chunk(first))
	send("", chunk(last))
	if usage, ok := body["usage"]; ok {
		end := chunk(list{})
		end["usage"] = usage
		send("", end)
	}
}

func messagesEvents(body object, send sending) {
	start := without(body, "stop_details", "context_management", "container")
	start["content"], start["stop_reason"], start["stop_sequence"] = list{}, nil, nil
	send("message_start", object{"type": "message_start", "message": start})
	for i, block := range objects(body["content"]) {
		delta := func(kind, name string, v any) {
			send("content_block_delta", object{"type": "content_block_delta", "index": i,
				"delta": object{"type": kind, name: v}})
		}
		begun := without(block, "citations")
		switch block["type"] {
		case "text":
			begun["text"] = ""
		case "thinking":
			begun["thinking"], begun["signature"] = "", ""
		case "tool_use", "server_tool_use", "mcp_tool_use":
			begun["input"] = object{}
		case "compaction":
			begun["content"] = nil
			delete(begun, "encrypted_content")
		}
		send("content_block_start", object{"type": "content_block_start", "index": i, "content_block": begun})
		switch block["type"] {
		case "text":
			for _, citation := range objects(block["citations"]) {
				delta("citations_delta", "citation", citation)
			}
			delta("text_delta", "text", block["text"])
		case "thinking":
			delta("thinking_delta", "thinking", block["thinking"])
			delta("signature_delta", "signature", block["signature"])
		case "tool_use", "server_tool_use", "mcp_tool_use":
			delta("input_json_delta", "partial_json", encode(block["input"]))
		case "compaction":
			send("content_block_delta", object{"type": "content_block_delta", "index": i,
				"delta": object{"type": "compaction_delta", "content": block["content"],
					"encrypted_content": block["encrypted_content"]}})
		}
		send("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	end := object{"type": "message_delta", "usage": body["usage"], "delta": object{}}
	for _, name := range []string{"stop_reason", "stop_sequence", "stop_details", "container"} {
		if v, ok := body[name]; ok {
			end["delta"].(object)[name] = v
		}
	}
	if v, ok := body["context_management"]; ok {
		end["context_management"] = v
	}
	send("message_delta", end)
	send("message_stop", object{"type": "message_stop"})
}

func responsesEvents(body object, send sending) {
	n := 0
	event := func(kind string, pairs object) {
		pairs["type"], pairs["sequence_number"] = kind, n
		n++
		send(kind, pairs)
	}
	start := without(body, "usage", "incomplete_details", "completed_at")
	start["output"], start["status"] = list{}, "in_progress"
	event("response.created", object{"response": start})
	for i, item := range objects(body["output"]) {
		id := item["id"]
		begun := maps.Clone(item)
		switch item["type"] {
		case "message":
			begun["content"] = list{}
		case "reasoning":
			begun["summary"] = list{}
			delete(begun, "content")
		case "function_call", "mcp_call":
			begun["arguments"] = ""
		case "custom_tool_call":
			begun["input"] = ""
		}
		event("response.output_item.added", object{"output_index": i, "item": begun})
		for part, content := range objects(item["content"]) {
			of := func(pairs object) object {
				pairs["item_id"], pairs["output_index"], pairs["content_index"] = id, i, part
				return pairs
			}
			if content["type"] == "output_text" {
				event("response.content_part.added", of(object{"part": object{"type": "output_text", "text": "",
					"annotations": list{}}}))
				event("response.output_text.delta", of(object{"delta": content["text"],
					"logprobs": content["logprobs"]}))
				for a, annotation := range objects(content["annotations"]) {
					event("response.output_text.annotation.added", of(object{"annotation": annotation,
						"annotation_index": a}))
				}
				event("response.output_text.done", of(object{"text": content["text"],
					"logprobs": content["logprobs"]}))
				event("response.content_part.done", of(object{"part": content}))
			}
			if content["type"] == "refusal" {
				event("response.content_part.added", of(object{"part": object{"type": "refusal", "refusal": ""}}))
				event("response.refusal.delta", of(object{"delta": content["refusal"]}))
				event("response.refusal.done", of(object{"refusal": content["refusal"]}))
				event("response.content_part.done", of(object{"part": content}))
			}
			if content["type"] == "reasoning_text" {
				event("response.reasoning_text.delta", of(object{"delta": content["text"]}))
				event("response.reasoning_text.done", of(object{"text": content["text"]}))
			}
		}
		for part, summary := range objects(item["summary"]) {
			of := func(pairs object) object {
				pairs["item_id"], pairs["output_index"], pairs["summary_index"] = id, i, part
				return pairs
			}
			event("response.reasoning_summary_part.added", of(object{"part": object{"type": "summary_text",
				"text": ""}}))
			event("response.reasoning_summary_text.delta", of(object{"delta": summary["text"]}))
			event("response.reasoning_summary_text.done", of(object{"text": summary["text"]}))
			event("response.reasoning_summary_part.done", of(object{"part": summary}))
		}
		for kind, name := range map[string]string{"function_call": "arguments", "custom_tool_call": "input",
			"mcp_call": "arguments"} {
			if item["type"] != kind {
				continue
			}
			lead := map[string]string{"function_call": "response.function_call_arguments",
				"custom_tool_call": "response.custom_tool_call_input",
				"mcp_call":         "response.mcp_call_arguments"}[kind]
			event(lead+".delta", object{"item_id": id, "output_index": i, "delta": item[name]})
			event(lead+".done", object{"item_id": id, "output_index": i, name: item[name]})
		}
		event("response.output_item.done", object{"output_index": i, "item": item})
	}
	end := "response.completed"
	if status, _ := body["status"].(string); slices.Contains([]string{"failed", "incomplete"}, status) {
		end = "response." + status
	}
	event(end, object{"response": body})
}

func interactionsEvents(body object, send sending) {
	event := func(name string, pairs object) {
		pairs["event_type"] = name
		send(name, pairs)
	}
	start := without(body, "usage", "steps")
	start["status"] = "in_progress"
	event("interaction.created", object{"interaction": start})
	for i, step := range objects(body["steps"]) {
		delta := func(d object) { event("step.delta", object{"index": i, "delta": d}) }
		begun := maps.Clone(step)
		switch step["type"] {
		case "model_output":
			delete(begun, "content")
		case "thought":
			begun = without(begun, "summary", "signature")
		case "function_call":
			begun["arguments"] = object{}
		case "google_search_call":
			begun = without(begun, "arguments")
		case "google_search_result":
			begun = without(begun, "result")
		}
		event("step.start", object{"index": i, "step": begun})
		for _, content := range objects(step["content"]) {
			if step["type"] != "model_output" {
				break
			}
			delta(without(content, "annotations"))
			if annotations := content["annotations"]; annotations != nil {
				delta(object{"type": "text_annotation_delta", "annotations": annotations})
			}
		}
		switch step["type"] {
		case "thought":
			for _, summary := range objects(step["summary"]) {
				delta(object{"type": "thought_summary", "content": summary})
			}
			if signature := step["signature"]; signature != nil {
				delta(object{"type": "thought_signature", "signature": signature})
			}
		case "function_call":
			delta(object{"type": "arguments_delta", "arguments": encode(step["arguments"])})
		case "google_search_call":
			delta(object{"type": "google_search_call", "arguments": step["arguments"]})
		case "google_search_result":
			delta(object{"type": "google_search_result", "result": step["result"], "is_error": step["is_error"]})
		}
		event("step.stop", object{"index": i})
	}
	event("interaction.completed", object{"interaction": without(body, "steps")})
}
