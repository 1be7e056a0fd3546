//go:build js && wasm

package main

import (
	"strconv"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/upstream"
)

// timing says in the answer's head how long it has taken so far, and how long the upstream took to its own, where that is there.
func (a *answer) timing() {
	var text []byte
	if a.headAt != 0 {
		text = strconv.AppendInt(append(text, "upstream;dur="...), a.headAt-a.askedAt, 10)
		text = append(text, ", "...)
	}
	text = strconv.AppendInt(append(text, "total;dur="...), milliseconds()-a.began, 10)
	a.w.Header().Set("server-timing", string(text))
}

// fetch sends a request upstream, waits for the head of the answer, and notes when that came.
func (a *answer) fetch(call bridge.Call) (bridge.Head, error) {
	a.askedAt, a.headAt = milliseconds(), 0
	head, failed := bridge.Fetch(call)
	if head.Status != 0 {
		a.headAt = milliseconds()
	}
	return head, failed
}

// reach is fetch with the error that a client gets.
func (a *answer) reach(call bridge.Call) (bridge.Head, *ir.Error) {
	head, failed := a.fetch(call)
	if failed != nil {
		return head, upstream.Unreached(failed.Error())
	}
	return head, nil
}

// milliseconds is the time since the Unix epoch. On workerd it stands still between one input or output and the next.
func milliseconds() int64 { return time.Now().UnixMilli() }
