// Package demo is an upstream for trying things out: a small scripted model with the four APIs,
// streamed and plain.
//
// The model calls one of the client's tools, with arguments made from the tool's schema and the
// user's words. It repeats a tool's result. Without tools it answers with a sentence. The same
// request always gets the same answer, including ids. A result with the id of no call is rejected,
// as the vendors' services do.
//
// The model may have any name. Some names cause behaviour that is hard to get from a real model:
//
//   - demo-parallel calls every offered tool, in one answer
//   - demo-paced streams at the pace of a real model, for people who watch
//   - demo-error-NNN fails with that HTTP status, 400 to 599: a 429 has retry-after, and a 401
//     repeats the key
//   - demo-error-html is a 502 with an HTML page, as from a proxy
//   - demo-error-stream fails in the middle of a stream; a plain answer is a 500 instead
//   - demo-error-cut breaks the connection in the middle of an answer
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strings"
)

// maxBody bounds a request's body, in bytes.
const maxBody = 64 << 20

// api is one of the four protocols.
type api struct {
	path string // the end of the path of requests
	// read reads a request. The error says where the request does not have the API's shape.
	read func(path string, body []byte) (*turn, error)
	// plain returns the body of a plain answer, to be encoded as JSON; stream writes the answer
	// event by event.
	plain  func(t *turn, r *reply) any
	stream func(e *events, t *turn, r *reply)
	// failure returns the body of an error, to be encoded as JSON. broken writes an error into a
	// stream that has started.
	failure func(kind failure, message string) any
	broken  func(e *events, t *turn, message string)
}

var apis = []api{
	{"/chat/completions", bodyOnly(readChat), plainChat, streamChat, openAIFailure, breakChat},
	{"/messages", bodyOnly(readMessages), plainMessages, streamMessages, messagesFailure, breakMessages},
	{"/responses", bodyOnly(readResponses), plainResponses, streamResponses, openAIFailure, breakResponses},
	{generate, readGemini, plainGemini, streamGemini, geminiFailure, breakGemini},
	{streamGenerate, readGemini, plainGemini, streamGemini, geminiFailure, breakGemini},
}

// bodyOnly returns a read function for an API whose paths do not depend on the request.
func bodyOnly(read func(body []byte) (*turn, error)) func(string, []byte) (*turn, error) {
	return func(_ string, body []byte) (*turn, error) { return read(body) }
}

// failure is a kind of error; the value is the HTTP status.
type failure int

const (
	invalid      failure = http.StatusBadRequest
	unauthorized failure = http.StatusUnauthorized
	notFound     failure = http.StatusNotFound
	notAllowed   failure = http.StatusMethodNotAllowed
)

// New returns the upstream. A request must have the header `Authorization: Bearer KEY`, `x-api-key:
// KEY` or `x-goog-api-key: KEY`.
func New(key string) http.Handler { return handler{key} }

type handler struct{ key string }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, found := route(r.URL.Path)
	lists := strings.HasSuffix(r.URL.Path, "/models") || strings.HasSuffix(r.URL.Path, "/models/"+model)
	method := http.MethodPost
	if lists {
		method = http.MethodGet
		a = listing(r)
	}
	switch {
	case !found && !lists:
		fail(w, a, notFound, "There is nothing at "+r.URL.Path+".")
		return
	case r.Method != method:
		w.Header().Set("Allow", method)
		fail(w, a, notAllowed, "Use "+method+".")
		return
	case r.Header.Get("Authorization") != "Bearer "+h.key && r.Header.Get("X-Api-Key") != h.key &&
		r.Header.Get("X-Goog-Api-Key") != h.key:
		fail(w, a, unauthorized, "The key is wrong.")
		return
	case lists:
		writeJSON(w, http.StatusOK, listModels(r))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		fail(w, a, invalid, "The body could not be read: "+err.Error())
		return
	}
	t, err := a.read(r.URL.Path, body)
	if err != nil {
		fail(w, a, invalid, err.Error())
		return
	}
	t.id, t.inputTokens = identify(body), 1+len(body)/4
	if h.misbehave(w, a, t) {
		return
	}
	answer := t.reply()
	if !t.stream {
		writeJSON(w, http.StatusOK, a.plain(t, answer))
		return
	}
	e := newEvents(w)
	if t.model == paced {
		e.ctx = r.Context()
	}
	a.stream(e, t, answer)
}

// route returns the API of a path. If found is false, a is Chat Completions, for the form of the
// error.
func route(path string) (a api, found bool) {
	for _, a := range apis {
		if strings.HasSuffix(path, a.path) {
			return a, true
		}
	}
	return apis[0], false
}

// identify returns an id for the answer, derived from the request's body.
func identify(body []byte) string {
	h := fnv.New64a()
	h.Write(body)
	return fmt.Sprintf("demo%016x", h.Sum64())
}

func fail(w http.ResponseWriter, a api, kind failure, message string) {
	writeJSON(w, int(kind), a.failure(kind, "demo upstream: "+message))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(v))
}

// encode returns the JSON of a value built by this package. Encoding such a value can't fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// decode unmarshals a request. The error is for the client.
func decode(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		return fmt.Errorf("%s: a %s is not what belongs here", mismatch.Field, mismatch.Value)
	}
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	return nil
}

// events writes a stream of server-sent events and flushes each one.
type events struct {
	w     http.ResponseWriter
	sent  int
	limit int // maximum number of events to send, further ones are dropped; 0: no limit
	// the request's context if the stream is paced: an event that ctx interrupts is dropped; nil:
	// events are sent at once
	ctx context.Context
}

func newEvents(w http.ResponseWriter) *events {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return &events{w: w}
}

// send writes one event, with data as JSON. Without a name the event has no event line.
func (e *events) send(name string, data any) { e.sendRaw(name, string(encode(data))) }

func (e *events) sendRaw(name, data string) {
	if e.limit > 0 && e.sent == e.limit || e.ctx != nil && !e.pause() {
		return
	}
	e.sent++
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", data)
	http.NewResponseController(e.w).Flush()
}

// openAIFailure returns the error body of Chat Completions and Responses.
func openAIFailure(kind failure, message string) any {
	name, code := "invalid_request_error", any(nil)
	switch kind {
	case unauthorized:
		code = "invalid_api_key"
	case http.StatusTooManyRequests:
		name, code = "rate_limit_error", "rate_limit_exceeded"
	case http.StatusServiceUnavailable, 529:
		code = "server_is_overloaded"
	}
	if kind >= http.StatusInternalServerError {
		name = "server_error"
	}
	return object{"error": object{"message": message, "type": name, "param": nil, "code": code}}
}

// object is a JSON object.
type object = map[string]any
