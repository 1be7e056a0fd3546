package demo

import (
	"net/http"
	"strconv"
	"strings"
)

// parallel is the name of the model that calls every tool it is offered, in one answer.
const parallel = "demo-parallel"

// trouble is what the names of models that fail begin with; the rest says how.
const trouble = "demo-error-"

// retryAfter are the seconds that a client is told to wait behind a 429.
const retryAfter = "7"

// page is what a proxy says in place of the upstream behind it.
const page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

// sound is how many events of a stream come before it fails. There is text among them in each of the protocols.
const sound = 5

// misbehave answers a turn with a failure, if that is what its model does.
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
		e.most = 0
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

// begin writes the beginning of a stream.
func (a api) begin(w http.ResponseWriter, t *turn) *events {
	e := newEvents(w)
	e.most = sound
	a.stream(e, t, t.reply())
	return e
}

// failWith answers with a status, 500 where it is none of an error.
func (h handler) failWith(w http.ResponseWriter, a api, status string) {
	code, err := strconv.Atoi(status)
	if err != nil || code < 400 || code > 599 {
		code = http.StatusInternalServerError
	}
	message := "This is a " + strconv.Itoa(code) + ", as asked."
	switch failure(code) {
	case unauthorized: // as some upstreams say it
		message = "Incorrect API key provided: " + h.key
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", retryAfter)
	}
	fail(w, a, failure(code), message)
}
