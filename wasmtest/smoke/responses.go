package smoke

import "edgelingua/wasmtest/conform"

// responseHead checks the members common to all responses.
func responseHead(n node) {
	n.get("id").name()
	n.get("object").is("response")
	n.get("created_at").count()
	n.get("model").name()
	n.get("error")
	n.get("incomplete_details")
}

func plainResponses(q *question, n node) *said {
	responseHead(n)
	n.get("error").is(nil)
	s := &said{stop: stopEnd}
	for _, item := range n.get("output").list() {
		s.item(item)
	}
	switch n.get("status").oneOf("completed", "incomplete") {
	case "incomplete":
		s.stop = stopOther
		if n.get("incomplete_details").get("reason").name() == "max_output_tokens" {
			s.stop = stopLength
		}
	case "completed":
		if len(s.calls) > 0 {
			s.stop = stopCalls
		}
	}
	u := n.get("usage")
	s.input, s.output = u.get("input_tokens").count(), u.get("output_tokens").count()
	u.get("input_tokens_details").get("cached_tokens").count()
	u.get("output_tokens_details").get("reasoning_tokens").count()
	if total := u.get("total_tokens"); q.strict {
		total.is(s.input + s.output)
	}
	return s
}

// item reads a whole output item.
func (s *said) item(item node) {
	item.get("id").name()
	switch itemType(item) {
	case "message":
		item.get("role").is("assistant")
		item.get("status").oneOf("completed", "incomplete")
		for _, part := range item.get("content").list() {
			if part.get("type").oneOf("output_text", "refusal") == "output_text" {
				s.text += part.get("text").text()
				part.get("annotations").list()
			}
		}
	case "function_call":
		item.get("status").oneOf("completed", "incomplete")
		s.calls = append(s.calls, conform.Call{ID: item.get("call_id").name(), Name: item.get("name").name(),
			Arguments: item.get("arguments").text()})
	case "reasoning":
		item.get("summary").list()
	}
}

func itemType(item node) string {
	return item.get("type").oneOf("message", "function_call", "reasoning")
}

func responsesEndBadly(events []event) string {
	n := len(events)
	if n < 3 || events[0].name != "response.created" {
		fail("response.created as the first event", last(events[:min(1, n)]))
	}
	if events[n-2].name != "error" || events[n-1].name != "response.failed" {
		fail("the events error and response.failed at the end", last(events))
	}
	for _, key := range []string{"code", "param"} {
		events[n-2].node().get(key)
	}
	message := events[n-2].node().get("message").name()
	failed := events[n-1].node().get("response")
	responseHead(failed)
	failed.get("id").same(events[0].node().get("response").get("id"))
	failed.get("status").is("failed")
	failed.get("error").get("code").name()
	failed.get("error").get("message").is(message)
	for i, e := range events {
		e.node().get("type").is(e.name)
		e.node().get("sequence_number").is(i)
	}
	return message
}
