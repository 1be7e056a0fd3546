package smoke

import "edgelingua/wasmtest/conform"

var chatStops = map[string]stop{"stop": stopEnd, "tool_calls": stopCalls, "length": stopLength,
	"content_filter": stopOther}

// finishOf reads a finish_reason.
func finishOf(n node) stop {
	s, ok := chatStops[n.text()]
	if !ok {
		fail(n.at+" that OpenAI has", n.v)
	}
	return s
}

// chatUsage reads a usage object into s.
func (s *said) chatUsage(q *question, u node) {
	s.input, s.output = u.get("prompt_tokens").count(), u.get("completion_tokens").count()
	if total := u.get("total_tokens"); q.strict {
		total.is(s.input + s.output)
	}
}

func plainChat(q *question, n node) *said {
	n.get("id").name()
	n.get("object").is("chat.completion")
	n.get("created").count()
	n.get("model").name()
	choices := n.get("choices").list()
	if len(choices) != 1 {
		fail("one choice", n.get("choices").v)
	}
	choices[0].get("index").is(0)
	s := &said{stop: finishOf(choices[0].get("finish_reason"))}
	m := choices[0].get("message")
	m.get("role").is("assistant")
	if content := m.get("content"); !content.null() {
		s.text = content.text()
	}
	if calls := m.opt("tool_calls"); !calls.null() {
		for _, c := range calls.list() {
			c.get("type").is("function")
			f := c.get("function")
			s.calls = append(s.calls, conform.Call{ID: c.get("id").name(), Name: f.get("name").name(),
				Arguments: f.get("arguments").text()})
		}
	}
	s.chatUsage(q, n.get("usage"))
	return s
}

// chatReader reads a stream of Chat Completions.
type chatReader struct {
	said
	q        *question
	first    node // the first chunk
	started  bool // the first delta has come
	finished bool // finish_reason has come
	counted  bool // usage has come
}

func streamChat(q *question, events []event) *said {
	r := chatReader{q: q}
	if len(events) == 0 || events[len(events)-1].data != "[DONE]" {
		fail("[DONE] at the end", last(events))
	}
	for i, e := range events[:len(events)-1] {
		if e.name != "" {
			fail("events without a name", e.name)
		}
		n := e.node()
		if i == 0 {
			r.first = n
		}
		r.chunk(n)
	}
	if !r.finished {
		fail("a finish_reason", last(events))
	}
	if r.counted == q.NoUsage && (!q.NoUsage || q.strict) {
		fail(map[bool]string{true: "usage, as stream_options ask for it",
			false: "no usage, since nothing asks for it"}[!q.NoUsage],
			map[bool]string{true: "usage", false: "none"}[r.counted])
	}
	return &r.said
}

func (r *chatReader) chunk(n node) {
	n.get("id").name()
	n.get("id").same(r.first.get("id"))
	n.get("object").is("chat.completion.chunk")
	n.get("created").count()
	n.get("model").name()
	choices := n.get("choices").list()
	if usage := n.opt("usage"); !usage.null() {
		if r.counted = true; !r.finished && len(choices) == 0 {
			fail("usage behind the finish_reason", n.v)
		}
		r.chatUsage(r.q, usage)
	} else if len(choices) == 0 {
		fail("usage in a chunk without choices", n.v)
	}
	for _, choice := range choices {
		choice.get("index").is(0)
		if r.finished {
			fail("no choice behind the finish_reason", choice.v)
		}
		r.delta(choice.get("delta"))
		if reason := choice.get("finish_reason"); !reason.null() {
			r.stop, r.finished = finishOf(reason), true
		}
	}
}

func (r *chatReader) delta(d node) {
	if !r.started {
		d.get("role").is("assistant")
		r.started = true
	}
	if content := d.opt("content"); !content.null() {
		r.text += content.text()
	}
	if calls := d.opt("tool_calls"); !calls.null() {
		for _, c := range calls.list() {
			r.fragment(c)
		}
	}
}

// fragment reads a fragment of a call. The first fragment has the call's id and name, the following
// ones only arguments.
func (r *chatReader) fragment(c node) {
	index, f := c.get("index").count(), c.get("function")
	if index > len(r.calls) {
		fail("indexes of calls from 0 without a gap", c.v)
	}
	if index == len(r.calls) {
		c.get("type").is("function")
		r.calls = append(r.calls, conform.Call{ID: c.get("id").name(), Name: f.get("name").name()})
	} else if f.has("name") || c.has("id") && c.get("id").v != r.calls[index].ID {
		fail("id and name in the first piece of a call only", c.v)
	}
	r.calls[index].Arguments += f.get("arguments").text()
}

func chatEndsBadly(events []event) string {
	if len(events) == 0 {
		fail("an error at the end", last(events))
	}
	for _, e := range events[:len(events)-1] {
		if e.data == "[DONE]" {
			fail("no [DONE] behind an error", last(events))
		}
		for _, choice := range e.node().get("choices").list() {
			choice.get("finish_reason").is(nil)
		}
	}
	if e := events[len(events)-1]; e.data == "[DONE]" || !e.node().has("error") {
		fail("an error at the end", last(events))
	}
	return openAIFailure(events[len(events)-1].node(), 500)
}

// openAIErrors has the type and code of OpenAI's errors by HTTP status. A nil code allows any code,
// since the code may be the upstream's. The other codes are those on which clients act.
var openAIErrors = map[int][2]any{
	400: {"invalid_request_error", nil}, 401: {"invalid_request_error", nil}, 404: {"invalid_request_error",
		nil},
	405: {"invalid_request_error", nil}, 429: {"rate_limit_error", "rate_limit_exceeded"},
	500: {"server_error", nil},
	502: {"server_error", nil}, 503: {"server_error", "server_is_overloaded"}, 529: {"server_error",
		"server_is_overloaded"},
}

// openAIFailure reads the body of an error of Chat Completions or Responses, and returns the
// message.
func openAIFailure(body node, status int) string {
	e := body.get("error")
	message := e.get("message").name()
	if status == 0 {
		return message
	}
	want := openAIErrors[status]
	e.get("type").is(want[0])
	e.get("param")
	if code := e.get("code"); want[1] != nil {
		code.is(want[1])
	}
	return message
}
