//go:build js && wasm

package main

import (
	"net/http"
	"strings"
	"syscall/js"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/worker/bridge"
	"edgelingua/worker/stored"
	"edgelingua/worker/usage"
)

const (
	typeJSON = "application/json"
	typeSSE  = "text/event-stream; charset=utf-8"

	headerLost = "x-edgelingua-lost"
)

// answer is the response to one client.
type answer struct {
	w          http.ResponseWriter
	id         string               // of the request; "" before send, where the client gives none
	upstreamID string               // the upstream's
	client     string               // its protocol
	upstream   string               // the upstream's
	endpoint   string               // the name of a personal endpoint
	asked      string               // the client's name of the model, and
	sent       string               // the upstream's
	exchange   *translator.Exchange // of a body that is translated
	turn       stored.Turn          // what the request has to do with stored responses
	looped     string               // the tool that is called over and over
	tap        *translator.Tap      // of a body that passes and is counted
	request    *usage.Request       // where the endpoint keeps usage
	status     int                  // what the client was told
	failed     ir.ErrorKind         // what the client was told, by status
	began      int64                // milliseconds of the Unix epoch: when the request came,
	askedAt    int64                // when the last upstream was asked,
	headAt     int64                // and when its head came; 0: not yet
}

// send answers with status and body, bytes or a stream. Bodies never go through ResponseWriter.Write: that runs a chain of
// promises and goroutines per write, and closing its pipe ends the program.
func (a *answer) send(status int, contentType string, body js.Value) {
	if contentType != "" {
		a.w.Header().Set("content-type", contentType)
	}
	a.identify()
	a.timing()
	a.status = status
	a.w.WriteHeader(status)
	a.w.(interface{ WriteRawJSBody(js.Value) }).WriteRawJSBody(body)
}

// fail answers with an error in the client's dialect.
func (a *answer) fail(err *ir.Error) {
	a.failed = err.Kind
	a.send(translator.HTTPStatus(a.client, err), typeJSON, bridge.Bytes(translator.AppendError(nil, a.client, err)))
}

// lost reports what could not be carried over.
func (a *answer) lost(l *ir.Lost) {
	if value := l.Header(); value != "" {
		a.w.Header().Set(headerLost, value)
	}
}

// loop reports that the model makes the same call over and over.
func (a *answer) loop(r *ir.Request) {
	if a.looped = policy.Loop(r); a.looped != "" {
		a.w.Header().Set("x-edgelingua-loop", a.looped)
	}
}

// keep passes on the headers of the upstream that a client acts on or reports: request ids, limits, retry advice, and what
// Codex keeps from one request to the next. Not those that name the owner's account.
func (a *answer) keep(lines string) {
	for lines != "" {
		line, rest, _ := strings.Cut(lines, "\n")
		lines = rest
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "request-id", name == "x-request-id":
			a.upstreamID = value
		case name == "retry-after", name == "retry-after-ms", name == "x-should-retry",
			name == "openai-processing-ms", name == "openai-version", name == "openai-model",
			strings.HasPrefix(name, "x-ratelimit-"), strings.HasPrefix(name, "anthropic-ratelimit-"),
			strings.HasPrefix(name, "x-codex-"):
			a.w.Header().Set(name, value)
		}
	}
}
