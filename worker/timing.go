//go:build js && wasm

package main

import (
	"net/http"
	"strconv"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/upstream"
)

// times are when a request has got how far, in milliseconds of the Unix epoch.
type times struct {
	began  int64 // the request came
	called int64 // the last upstream was called
	headAt int64 // its head came; 0: not yet
}

// report says in the head of an answer how long it has taken so far and, where the upstream's head has come, how long that took.
func (t *times) report(h http.Header) {
	var text []byte
	if t.headAt != 0 {
		text = strconv.AppendInt(append(text, "upstream;dur="...), t.headAt-t.called, 10)
		text = append(text, ", "...)
	}
	text = strconv.AppendInt(append(text, "total;dur="...), milliseconds()-t.began, 10)
	h.Set("server-timing", string(text))
}

// fetch is bridge.Fetch, and notes the times.
func (r *response) fetch(call bridge.Call) (bridge.Head, error) {
	r.times.called, r.times.headAt = milliseconds(), 0
	head, failed := bridge.Fetch(call)
	if head.Status != 0 {
		r.times.headAt = milliseconds()
	}
	return head, failed
}

// reach is fetch with the error that a client gets.
func (r *response) reach(call bridge.Call) (bridge.Head, *ir.Error) {
	head, failed := r.fetch(call)
	if failed != nil {
		return head, upstream.Unreached(failed.Error())
	}
	return head, nil
}

// milliseconds returns the time since the Unix epoch. On workerd that stands still while the program computes: it goes on with each
// input or output (Cloudflare's documentation: "Performance and timers").
func milliseconds() int64 { return time.Now().UnixMilli() }
