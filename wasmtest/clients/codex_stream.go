package clients

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/vendors/shape"
)

// doneItem has the members of completed items, calledItem the members of calls by tool name.
var (
	doneItem   = shape.Members{"id": shape.Filled, "status": shape.OneOf("completed")}
	calledItem = shape.Members{"call_id": shape.Filled, "name": shape.Filled, "namespace?": shape.Filled}
)

// codexItems is the shape of an item that Codex reads.
var codexItems = shape.Tagged("type", shape.Members{
	"message": shape.Exact(shape.Members{
		"id": shape.Filled, "status": shape.OneOf("completed", "incomplete"), "type": shape.Text,
		"role":   shape.OneOf("assistant"),
		"phase?": shape.OneOf("commentary", "final_answer"),
		"content": shape.Some(shape.Tagged("type", shape.Members{
			"output_text": shape.Exact(shape.Members{
				"type": shape.Text, "text": shape.Text, "annotations": shape.ListOf(shape.AnyObject),
				"logprobs?": shape.ListOf(shape.AnyObject),
			}),
			"refusal": shape.Exact(shape.Members{"type": shape.Text, "refusal": shape.Filled}),
		})),
	}),
	"reasoning": shape.Exact(shape.Members{
		"id": shape.Filled, "status?": shape.OneOf("completed"), "type": shape.Text,
		"content?": shape.ListOf(shape.AnyObject),
		"summary": shape.ListOf(
			shape.Exact(shape.Members{"type": shape.OneOf("summary_text"), "text": shape.Filled}),
		),
		"encrypted_content?": shape.Nullable(shape.Filled),
	}),
	"function_call": shape.Exact(doneItem, calledItem,
		shape.Members{"type": shape.Text, "arguments": shape.Filled}),
	"custom_tool_call": shape.Exact(doneItem, calledItem,
		shape.Members{"type": shape.Text, "input": shape.Text}),
	"tool_search_call": shape.Exact(doneItem, shape.Members{
		"type": shape.Text, "call_id": shape.Filled, "execution": shape.OneOf("client"),
		"arguments": shape.AnyObject,
	}),
	"local_shell_call": shape.Exact(doneItem, shape.Members{
		"type": shape.Text, "call_id": shape.Filled,
		"action": shape.Exact(shape.Members{
			"type": shape.OneOf(
				"exec",
			), "command": shape.Some(shape.Text), "env": shape.AnyObject, "timeout_ms?": shape.From(1),
			"working_directory?": shape.Filled, "user?": shape.Filled,
		}),
	}),
	"web_search_call": shape.Exact(doneItem, shape.Members{"type": shape.Text, "action": shape.AnyObject}),
	"compaction": shape.Exact(
		shape.Members{"id": shape.Filled, "type": shape.Text, "encrypted_content": shape.Filled},
	),
})

// codexUsage is the shape of the usage that Codex requires in a completed response.
var codexUsage = shape.Exact(shape.Members{
	"input_tokens": shape.From(0),
	"input_tokens_details": shape.Exact(
		shape.Members{"cached_tokens": shape.From(0), "cache_write_tokens?": shape.From(0)},
	),
	"output_tokens":         shape.From(0),
	"output_tokens_details": shape.Exact(shape.Members{"reasoning_tokens": shape.From(0)}),
	"total_tokens":          shape.From(0),
})

// wholeOf returns the text in a completed item that must equal the concatenated deltas of an event.
// ok is false if the event is not a delta.
func wholeOf(event, item object) (whole any, ok bool) {
	part := func(name, index, member string) any {
		parts, i := objects(item[name]), number(event[index])
		if i >= len(parts) {
			return nil
		}
		return parts[i][member]
	}
	switch event["type"] {
	case "response.output_text.delta":
		return part("content", "content_index", "text"), true
	case "response.refusal.delta":
		return part("content", "content_index", "refusal"), true
	case "response.reasoning_summary_text.delta":
		return part("summary", "summary_index", "text"), true
	case "response.function_call_arguments.delta":
		return item["arguments"], true
	case "response.custom_tool_call_input.delta":
		return item["input"], true
	}
	return nil, false
}

// codexReader reads a stream as Codex does: an item counts once done, a response once completed.
// Content that Codex would ignore as unknown is an error.
type codexReader struct {
	created object
	items   []object
	pieces  map[string]*piece // the texts of the open item
	end     object            // the last event; nil before it arrives
}

// piece is a text assembled from deltas.
type piece struct {
	event object // the first delta
	text  string
}

// ReadCodex returns the items of a complete stream. The error is a *Failed if the response failed,
// was incomplete or broke off. Otherwise it is the first mistake in the stream. If there is an
// error, items has the items completed before the error.
func ReadCodex(stream []byte) (items []map[string]any, err error) {
	r := codexReader{pieces: map[string]*piece{}}
	err = attempt(func() {
		for i, f := range answers.Frames(strict{}, stream) {
			event := must(shape.Decode([]byte(f.Data))).(object)
			demand(event["type"] == f.Name, "event: line and data.type differ: %s", f.Data)
			demand(number(event["sequence_number"]) == i, "sequence_number: %s", f.Data)
			demand(r.end == nil, "%s after the end", f.Name)
			r.take(event)
		}
		r.finish()
	})
	return r.items, err
}

func (r *codexReader) take(event object) {
	if _, isDelta := wholeOf(event, nil); isDelta {
		demand(number(event["output_index"]) == len(r.items), "a delta of another item: %v", event)
		key := fmt.Sprint(event["type"], event["item_id"], event["content_index"], event["summary_index"])
		if r.pieces[key] == nil {
			r.pieces[key] = &piece{event: event}
		}
		r.pieces[key].text += text(event, "delta")
	}
	switch event["type"] {
	case "response.created":
		r.created, _ = event["response"].(object)
		demand(text(r.created, "id") != "", "response.created without an id")
	case "response.output_item.done":
		r.done(event)
	case "response.completed", "response.incomplete", "response.failed":
		r.end = event
		response := event["response"].(object)
		demand(text(response, "id") != "" && response["id"] == r.created["id"], "the end has another id: %v",
			response["id"])
		demand(event["type"] == "response."+text(response, "status"), "the end has the status %v",
			response["status"])
	}
}

// done checks and adds a completed item.
func (r *codexReader) done(event object) {
	demand(number(event["output_index"]) == len(r.items), "an item at another place: %v", event)
	item := event["item"].(object)
	fits(codexItems, item, text(item, "type"))
	for _, p := range r.pieces {
		whole, _ := wholeOf(p.event, item)
		demand(whole == p.text, "the item is not what its pieces were: %v, %q", item, p.text)
	}
	clear(r.pieces)
	r.items = append(r.items, item)
}

// finish checks the end of the stream.
func (r *codexReader) finish() {
	if r.end == nil {
		panic(&Failed{"cut", "stream disconnected before completion"})
	}
	response := r.end["response"].(object)
	output := objects(response["output"])
	if r.end["type"] != "response.completed" {
		r.cut(response, output)
	}
	demand(reflect.DeepEqual(output, r.items) || len(output)+len(r.items) == 0,
		"the output is not what the items were: %v", output)
	for _, item := range r.items {
		demand(item["status"] == nil || item["status"] == "completed", "an item that is not completed: %v",
			item)
	}
	r.phases()
	fits(codexUsage, response["usage"], "usage")
	usage := response["usage"].(object)
	demand(number(usage["total_tokens"]) == number(usage["input_tokens"])+number(usage["output_tokens"]),
		"total_tokens: %v", usage)
}

// cut ends the turn for a failed or incomplete response. The last item of the output must not be
// completed.
func (r *codexReader) cut(response object, output []object) {
	demand(len(output) >= len(r.items), "the output lacks items: %v", output)
	for i, item := range r.items {
		demand(reflect.DeepEqual(output[i], item), "the output is not what the items were: %v", output)
	}
	if n := len(output); n > 0 {
		demand(output[n-1]["status"] != "completed", "what was cut is not complete: %v", output)
	}
	for _, item := range output[len(r.items):] {
		demand(
			strings.HasSuffix(text(item, "type"), "_call") &&
				(item["status"] == "incomplete" || item["status"] == "in_progress"),
			"what is in the output alone is no call that was cut: %v",
			item,
		)
	}
	if r.end["type"] == "response.failed" {
		failure := response["error"].(object)
		panic(&Failed{text(failure, "code"), text(failure, "message")})
	}
	reason := text(response["incomplete_details"].(object), "reason")
	panic(&Failed{"incomplete", "Incomplete response returned, reason: " + reason})
}

// phases checks the phase of each message: final_answer if the message ends the turn, otherwise
// commentary. Codex sends the phase back, and OpenAI's models expect it.
func (r *codexReader) phases() {
	wanted := "final_answer"
	for _, item := range r.items {
		if item["call_id"] != nil {
			wanted = "commentary"
		}
	}
	for i := len(r.items) - 1; i >= 0; i-- {
		if item := r.items[i]; item["type"] == "message" {
			demand(item["phase"] == wanted, "the phase of item %d is %v", i, item["phase"])
			wanted = "commentary"
		}
	}
}

// fits ends the turn unless a value has the given shape.
func fits(of shape.Shape, value any, path string) { must(0, shape.Check(func() { of(value, path) })) }

// demand ends the turn unless a condition holds.
func demand(holds bool, format string, args ...any) {
	if !holds {
		strict{}.Errorf(format, args...)
	}
}

// number returns a JSON integer, or -1 for any other value.
func number(value any) int {
	n, ok := value.(json.Number)
	if i, err := n.Int64(); ok && err == nil {
		return int(i)
	}
	return -1
}
