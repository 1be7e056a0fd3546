//go:build js && wasm && faults

package main

import (
	"net/http"
	"strconv"
	"time"

	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// fault makes the program trap where the header x-test-panic asks for it: before the first await, after it, in an export, or
// in a timer. Only the build of the tests holds it.
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
	case "timer":
		go func() {
			time.Sleep(time.Millisecond)
			panic("a fault in a timer, as asked")
		}()
	}
}

// clock is the time in the header x-test-clock, in place of the object's.
func clock(r *http.Request) usage.Clock {
	seconds, _ := strconv.Atoi(r.Header.Get("x-test-clock"))
	return usage.Clock(seconds)
}

// renewEvery is how often leases are renewed, in milliseconds: as often as the header x-test-renewal says.
func renewEvery(r *http.Request) int {
	if every, err := strconv.Atoi(r.Header.Get("x-test-renewal")); err == nil {
		return every
	}
	return usage.RenewEvery
}
