//go:build faults

// Package faults is what the tests' build of the module does where a request's headers ask for it:
// panics, other times, and calls of the host by themselves. In any other build, which is without
// the tag faults, it does nothing.
package faults

import (
	"net/http"
	"strconv"
	"time"

	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// Trap makes the program panic where the header x-test-panic says: "before" or "after" the program
// first waits for the host, which at names, or later: at the second push of a stream ("export"),
// before a stream's end is stored ("end"), or in a timer ("timer").
func Trap(host bridge.Host, r *http.Request, at string) {
	where := r.Header.Get("x-test-panic")
	if where == at {
		panic("a fault " + at + " the first await, as asked")
	}
	if at != "after" {
		return
	}
	switch where {
	case "export":
		host.FaultAtPush(2)
	case "end":
		host.FaultAtEnd()
	case "timer":
		go func() {
			time.Sleep(time.Millisecond)
			panic("a fault in a timer, as asked")
		}()
	}
}

// Clock returns the time in the header x-test-clock, in seconds of the Unix epoch, which counts in
// place of the object's.
func Clock(r *http.Request) usage.Clock {
	seconds, _ := strconv.Atoi(r.Header.Get("x-test-clock"))
	return usage.Clock(seconds)
}

// RenewEvery is how often leases are renewed, in milliseconds: what the header x-test-renewal says,
// or as in every other build.
func RenewEvery(r *http.Request) int {
	if every, err := strconv.Atoi(r.Header.Get("x-test-renewal")); err == nil {
		return every
	}
	return usage.RenewEvery
}

// Lifetime is how long a WebSocket may last, in milliseconds: what the header x-test-lifetime says,
// or as in every other build.
func Lifetime(r *http.Request) int {
	if most, err := strconv.Atoi(r.Header.Get("x-test-lifetime")); err == nil {
		return most
	}
	return lifetime
}

// Overtake makes, once, a change of the record in an endpoint's object where the header
// x-test-overtake is there: as if somebody else did, between the program's reading of the record
// and its writing.
func Overtake(host bridge.Host, r *http.Request, object string) {
	if r.Header.Get("x-test-overtake") != "" {
		r.Header.Del("x-test-overtake")
		host.Batch(object,
			new(bridge.Statements).SQL("UPDATE endpoint_record SET rev = rev + 1, record = "+
				"json_set(record, '$.rev', rev + 1)"))
	}
}
