//go:build js && wasm && faults

package main

import (
	"net/http"
	"time"

	"edgelingua/worker/bridge"
)

// fault makes the program trap where the header x-test-panic asks for it: before the first await, after it, in an export, at
// the end of a stream, or in a timer. Only the build of the tests holds it.
func fault(r *http.Request, at string) {
	where := r.Header.Get("x-test-panic")
	if where == at {
		panic("a fault " + at + " the first await, as asked")
	}
	if at != "after" {
		return
	}
	switch where {
	case "export":
		bridge.PushesToFault = 2
	case "end":
		bridge.FaultAtEnd = true
	case "timer":
		go func() {
			time.Sleep(time.Millisecond)
			panic("a fault in a timer, as asked")
		}()
	}
}
