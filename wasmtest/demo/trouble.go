package demo

import (
	"net/http"
	"strconv"
	"strings"
)

// parallel is the name of the model that calls every offered tool in one answer.
const parallel = "demo-parallel"

// trouble is the prefix of the names of failing models; the rest of the name is the kind of
// failure.
const trouble = "demo-error-"

// retryAfter is the header retry-after of a 429, in seconds.
const retryAfter = "7"

// page is nginx's error body for an upstream that is down.
const page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

// eventsBeforeFailure is the number of events in a stream before the failure. In each protocol they
// include text.
const eventsBeforeFailure = 5

// misbehave answers with a failure if the turn's model is a failing one, and reports whether it
// did.
func (h handler) misbehave(w http.ResponseWriter, a api, t *turn) bool {
	how, ok := strings.CutPrefix(t.model, trouble)
	if !ok {
		return false
	}
	t.tools = nil
	switch {
	case how == "html":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		w.Write([]byte(page))
	case how == "stream" && t.stream:
		e := a.begin(w, t)
		e.limit = 0
		a.broken(e, t, "demo upstream: The model failed, as asked.")
	case how == "cut" && t.stream:
		a.begin(w, t)
		panic(http.ErrAbortHandler)
	case how == "cut":
		body := encode(a.plain(t, t.reply()))
		w.Header().Set("Content-Type", "application/json")
		w.Write(body[:len(body)/2])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		h.failWith(w, a, how)
	}
	return true
}

// begin writes the headers of a stream and returns the writer of its events.
func (a api) begin(w http.ResponseWriter, t *turn) *events {
	e := newEvents(w)
	e.limit = eventsBeforeFailure
	a.stream(e, t, t.reply())
	return e
}

// failWith answers with the status in the model's name, or with 500 if the name has no status of an
// error.
func (h handler) failWith(w http.ResponseWriter, a api, status string) {
	code, err := strconv.Atoi(status)
	if err != nil || code < 400 || code > 599 {
		code = http.StatusInternalServerError
	}
	message := "This is a " + strconv.Itoa(code) + ", as asked."
	switch failure(code) {
	case unauthorized: // LiteLLM's proxy repeats a key without the prefix "sk-" (cline/cline#1766)
		message = "Incorrect API key provided: " + h.key
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", retryAfter)
	}
	fail(w, a, failure(code), message)
}
