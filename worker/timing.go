//go:build js && wasm

package main

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// times are the times at which the steps of a request happened, in milliseconds since the Unix epoch.
type times struct {
	began  int64 // the request came
	called int64 // the last upstream was called
	headAt int64 // that upstream's head came; 0: not yet
}

// report writes server-timing into the head of an answer: the milliseconds of the request so far as total and, if the upstream's head has
// come, those from the upstream's call to that as upstream.
func (t *times) report(h http.Header) {
	var text []byte
	if t.headAt != 0 {
		text = strconv.AppendInt(append(text, "upstream;dur="...), t.headAt-t.called, 10)
		text = append(text, ", "...)
	}
	text = strconv.AppendInt(append(text, "total;dur="...), milliseconds()-t.began, 10)
	h.Set("server-timing", string(text))
}

// fetch is bridge.Fetch for an upstream, whose secrets the text of the error does not hold. It notes the times of the call and of the head,
// and whether the upstream has taken the request.
func (r *response) fetch(u *endpoint.Upstream, call bridge.Call) (bridge.Head, error) {
	r.times.called, r.times.headAt = milliseconds(), 0
	head, failed := bridge.Fetch(call)
	r.taken = upstream.Takes(head.Status, failed)
	if head.Status != 0 {
		r.times.headAt = milliseconds()
	}
	if failed != nil {
		failed = errors.New(translator.Redact(failed.Error(), u.Secrets()))
	}
	return head, failed
}

// reach is fetch, with the error that the client gets where the upstream can't be reached.
func (r *response) reach(u *endpoint.Upstream, call bridge.Call) (bridge.Head, *ir.Error) {
	head, failed := r.fetch(u, call)
	if failed != nil {
		return head, upstream.Unreached(failed.Error())
	}
	return head, nil
}

// milliseconds returns the time since the Unix epoch. On workerd the clock stands still while the program computes, and goes on with each
// input or output (Cloudflare's documentation: "Performance and timers").
func milliseconds() int64 { return time.Now().UnixMilli() }

// now returns the seconds since the Unix epoch, by the same clock.
func now() int64 { return time.Now().Unix() }
