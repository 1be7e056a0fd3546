package smoke

import (
	"strings"

	"edgelingua/wasmtest/conform"
)

var messagesStops = map[string]stop{
	"end_turn": stopEnd, "tool_use": stopCalls, "max_tokens": stopLength, "stop_sequence": stopOther,
	"pause_turn": stopOther,
	"refusal":    stopOther, "model_context_window_exceeded": stopOther,
}

// stopOf reads a stop_reason.
func stopOf(n node) stop {
	s, ok := messagesStops[n.text()]
	if !ok {
		fail(n.at+" that Anthropic has", n.v)
	}
	return s
}

// messageHead checks the members common to all messages.
func messageHead(m node) {
	m.get("id").name()
	m.get("type").is("message")
	m.get("role").is("assistant")
	m.get("model").name()
	m.get("stop_sequence")
	m.get("usage").get("input_tokens").count()
	m.get("usage").get("output_tokens").count()
}

func plainMessages(q *question, m node) *said {
	messageHead(m)
	s := &said{stop: stopOf(m.get("stop_reason"))}
	for _, block := range m.get("content").list() {
		switch block.get("type").oneOf("text", "tool_use", "thinking", "redacted_thinking") {
		case "text":
			s.text += block.get("text").text()
		case "tool_use":
			block.get("input").object()
			s.calls = append(s.calls, conform.Call{ID: block.get("id").name(), Name: block.get("name").name(),
				Arguments: encode(block.get("input").v)})
		}
	}
	usage := m.get("usage")
	s.input, s.output = usage.get("input_tokens").count(), usage.get("output_tokens").count()
	return s
}

// messagesDeltas has the allowed types of deltas for each type of block.
var messagesDeltas = map[string][]string{
	"text": {"text_delta", "citations_delta"}, "tool_use": {"input_json_delta"},
	"thinking": {"thinking_delta", "signature_delta"}, "redacted_thinking": {},
}

// messagesReader reads a stream of Messages.
type messagesReader struct {
	said
	blocks  int          // how many blocks have begun
	open    string       // the type of the open block; "" for none
	call    conform.Call // the call of the open block
	stopped bool         // a stop_reason has come
	ended   bool         // message_stop has come
}

func streamMessages(q *question, events []event) *said {
	var r messagesReader
	for i, e := range events {
		n := e.node()
		n.get("type").is(e.name)
		if (i == 0) != (e.name == "message_start") {
			fail("message_start as the first event, and only there", e.name)
		}
		if r.ended {
			fail("nothing behind message_stop", e.name)
		}
		r.take(e.name, n)
	}
	if !r.ended {
		fail("message_stop at the end", last(events))
	}
	return &r.said
}

func (r *messagesReader) take(name string, n node) {
	switch name {
	case "message_start":
		m := n.get("message")
		messageHead(m)
		m.get("content").empty()
		m.get("stop_reason").is(nil)
		r.usage(m.get("usage"))
	case "content_block_start":
		r.start(n)
	case "content_block_delta":
		r.index(n, "delta")
		r.delta(n.get("delta"))
	case "content_block_stop":
		r.index(n, "stop")
		r.stopBlock()
	case "message_delta":
		if r.open != "" {
			fail("content_block_stop before message_delta", n.v)
		}
		n.get("delta").get("stop_sequence")
		if reason := n.get("delta").get("stop_reason"); !reason.null() {
			r.stop, r.stopped = stopOf(reason), true
		}
		n.get("usage").get("output_tokens").count()
		r.usage(n.get("usage"))
	case "message_stop":
		if r.ended = true; !r.stopped {
			fail("message_delta with a stop_reason before message_stop", n.v)
		}
	case "ping":
	default:
		fail("an event of the Messages API", name)
	}
}

// usage reads a usage object. The fields of a later usage object replace the earlier values.
func (r *messagesReader) usage(u node) {
	if u.has("input_tokens") {
		r.input = u.get("input_tokens").count()
	}
	r.output = u.get("output_tokens").count()
}

// index demands that an event belongs to the open block.
func (r *messagesReader) index(n node, what string) {
	if r.open == "" {
		fail("an open block before content_block_"+what, n.v)
	}
	n.get("index").is(r.blocks - 1)
}

func (r *messagesReader) start(n node) {
	if r.open != "" {
		fail("content_block_stop before the next content_block_start", n.v)
	}
	if r.stopped {
		fail("no block behind the stop_reason", n.v)
	}
	n.get("index").is(r.blocks)
	r.blocks++
	block := n.get("content_block")
	r.open = block.get("type").oneOf("text", "tool_use", "thinking", "redacted_thinking")
	switch r.open {
	case "text":
		block.get("text").is("")
	case "thinking":
		block.get("thinking").is("")
	case "tool_use":
		block.get("input").is(object{})
		r.call = conform.Call{ID: block.get("id").name(), Name: block.get("name").name()}
	}
}

func (r *messagesReader) delta(d node) {
	switch d.get("type").oneOf(messagesDeltas[r.open]...) {
	case "text_delta":
		r.text += d.get("text").text()
	case "input_json_delta":
		r.call.Arguments += d.get("partial_json").text()
	}
}

func (r *messagesReader) stopBlock() {
	if r.open == "tool_use" {
		if r.call.Arguments == "" {
			r.call.Arguments = "{}" // Anthropic's calls without arguments only have an empty delta: FAULTS 25
		}
		r.calls = append(r.calls, r.call)
	}
	r.open = ""
}

func messagesEndBadly(events []event) string {
	if len(events) == 0 || events[0].name != "message_start" {
		fail("message_start as the first event", last(events[:min(1, len(events))]))
	}
	e := events[len(events)-1]
	if e.name != "error" {
		fail("the event error at the end", last(events))
	}
	for _, e := range events[:len(events)-1] {
		if strings.HasPrefix(e.name, "message_") && e.name != "message_start" || e.name == "error" {
			fail("a stream that ends with the event error only", e.name+" "+e.data)
		}
	}
	return messagesError(e.node())
}

// messagesErrors has the error types of Messages by HTTP status.
var messagesErrors = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error",
	405: "invalid_request_error",
	429: "rate_limit_error", 500: "api_error", 502: "api_error", 529: "overloaded_error",
}

func messagesFailure(body node, status int) string {
	message := messagesError(body)
	if status != 0 {
		body.get("error").get("type").is(messagesErrors[status])
	}
	return message
}

func messagesError(n node) string {
	n.get("type").is("error")
	n.get("error").get("type").name()
	return n.get("error").get("message").name()
}
