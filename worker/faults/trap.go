//go:build faults

// Package faults injects faults into the tests' build of the module when the headers of a request
// ask for them: panics, changed times, and single calls of the host. Without the build tag faults
// it does nothing.
package faults

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// Trap makes the program panic if the header x-test-panic names the position at: "before" or
// "after" the program's first wait for the host. "memory" is "after", by an allocation that finds
// no memory. After the first wait Trap also prepares later panics: at the second push of a stream
// ("export") or at the push number N ("exportN"), just before the end of a stream is stored ("end"),
// or in a timer ("timer").
func Trap(host bridge.Host, r *http.Request, at string) {
	where := r.Header.Get("x-test-panic")
	if where == at {
		panic("a fault " + at + " the first await, as asked")
	}
	if at != "after" {
		return
	}
	if number, found := strings.CutPrefix(where, "export"); found {
		n, err := strconv.Atoi(number)
		if err != nil {
			n = 2
		}
		host.FaultAtPush(n)
	}
	switch where {
	case "memory":
		host.FaultOfMemory()
	case "end":
		host.FaultAtEnd()
	case "timer":
		go func() {
			time.Sleep(time.Millisecond)
			panic("a fault in a timer, as asked")
		}()
	}
}

// Clock returns the time in the header x-test-clock, in seconds of the Unix epoch. If not 0, it
// overrides the object's time.
func Clock(r *http.Request) usage.Clock {
	seconds, _ := strconv.Atoi(r.Header.Get("x-test-clock"))
	return usage.Clock(seconds)
}

// RenewEvery returns how often leases are renewed, in milliseconds. The header x-test-renewal
// overrides usage.RenewEvery.
func RenewEvery(r *http.Request) int {
	if every, err := strconv.Atoi(r.Header.Get("x-test-renewal")); err == nil {
		return every
	}
	return usage.RenewEvery
}

// Lifetime returns how long a WebSocket may last, in milliseconds. The header x-test-lifetime
// overrides the normal lifetime.
func Lifetime(r *http.Request) int {
	if most, err := strconv.Atoi(r.Header.Get("x-test-lifetime")); err == nil {
		return most
	}
	return lifetime
}

// Overtake changes the record in an endpoint's object, once, if the request has the header
// x-test-overtake. This imitates a concurrent change between the program's read and write of the
// record.
func Overtake(host bridge.Host, r *http.Request, object string) {
	if r.Header.Get("x-test-overtake") != "" {
		r.Header.Del("x-test-overtake")
		host.Batch(object,
			new(bridge.Statements).SQL("UPDATE endpoint_record SET rev = rev + 1, record = "+
				"json_set(record, '$.rev', rev + 1)"))
	}
}
