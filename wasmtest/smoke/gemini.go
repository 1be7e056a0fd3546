package smoke

import (
	"net/http"

	"edgelingua/wasmtest/conform"
)

var geminiStops = map[string]stop{"STOP": stopEnd, "MAX_TOKENS": stopLength, "SAFETY": stopOther}

// geminiChunk reads an answer or a chunk of an answer into s. It reports whether the answer has
// ended.
func (s *said) geminiChunk(q *question, n node) (ended bool) {
	n.get("modelVersion").name()
	n.get("responseId").name()
	candidates := n.get("candidates").list()
	if len(candidates) != 1 {
		fail("one candidate", n.v)
	}
	c := candidates[0]
	c.get("index").is(0)
	content := c.get("content")
	content.get("role").is("model")
	for _, p := range content.get("parts").list() {
		if call := p.opt("functionCall"); !call.null() {
			s.geminiCall(call)
		} else {
			s.text += p.get("text").text()
		}
	}
	reason := c.opt("finishReason")
	// A chunk before the last may have counts that are not known yet.
	usage := n.opt("usageMetadata")
	if !usage.null() && (!reason.null() || !usage.opt("promptTokenCount").null()) {
		s.input, s.output = usage.get("promptTokenCount").count(), usage.get("candidatesTokenCount").count()
		if total := usage.get("totalTokenCount"); q.strict {
			total.is(s.input + s.output)
		}
	}
	if reason.null() {
		return false
	}
	why, ok := geminiStops[reason.text()]
	if !ok {
		fail(reason.at+" that Google has", reason.v)
	}
	if s.stop = why; why == stopEnd && len(s.calls) > 0 {
		s.stop = stopCalls // the API has no finishReason for calls
	}
	return true
}

// geminiCall takes a functionCall. Google's own have ids since Gemini 3.
func (s *said) geminiCall(n node) {
	c := conform.Call{Name: n.get("name").name(), Arguments: encode(n.get("args").object())}
	if c.ID = "by its name: " + c.Name; n.has("id") {
		c.ID = n.get("id").name()
	}
	s.calls = append(s.calls, c)
}

func plainGemini(q *question, n node) *said {
	s := &said{}
	if !s.geminiChunk(q, n) {
		fail("a finishReason", n.v)
	}
	return s
}

func streamGemini(q *question, events []event) *said {
	s := &said{}
	for i, e := range events {
		if e.name != "" {
			fail("events without a name", e.name)
		}
		if ended := s.geminiChunk(q, e.node()); ended != (i == len(events)-1) {
			fail("a finishReason at the end alone", last(events))
		}
	}
	if len(events) == 0 {
		fail("a finishReason", last(events))
	}
	return s
}

// geminiEndsBadly reads a stream that must end with an error. The error is repeated at the end of
// the stream without "data: ".
func geminiEndsBadly(events []event) string {
	for _, e := range events {
		if e.node().has("error") {
			return geminiFailure(e.node(), 0)
		}
		for _, c := range e.node().get("candidates").list() {
			c.opt("finishReason").is(nil)
		}
	}
	fail("an error at the end", last(events))
	return ""
}

// geminiErrors are Google's words for HTTP statuses (google.rpc.Code).
var geminiErrors = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED",
	http.StatusNotFound:         "NOT_FOUND",
	http.StatusMethodNotAllowed: "UNIMPLEMENTED", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
	http.StatusInternalServerError: "INTERNAL",
	http.StatusServiceUnavailable:  "UNAVAILABLE",
}

// geminiFailure reads the body of an error (google.rpc.Status), and returns the message.
func geminiFailure(body node, status int) string {
	e := body.get("error")
	if message := e.get("message").name(); status == 0 {
		return message
	}
	e.get("code").is(status)
	if word := geminiErrors[status]; word != "" {
		e.get("status").is(word)
	}
	return e.get("message").name()
}
