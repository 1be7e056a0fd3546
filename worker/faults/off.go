//go:build !faults

// Package faults is what the tests' build of the module does where a request's headers ask for it:
// panics, other times, and calls of the host by themselves. In any other build, which is without
// the tag faults, it does nothing.
package faults

import (
	"net/http"

	"edgelingua/worker/bridge"
	"edgelingua/worker/usage"
)

// Trap does nothing.
func Trap(bridge.Host, *http.Request, string) {}

// Asks returns false.
func Asks(*http.Request) bool { return false }

// State does nothing: it is not called.
func State(bridge.Host, *http.Request, http.Header) (status int, out []byte) { return 0, nil }

// Clock returns 0: the object's own time counts.
func Clock(*http.Request) usage.Clock { return 0 }

// RenewEvery is how often leases are renewed, in milliseconds.
func RenewEvery(*http.Request) int { return usage.RenewEvery }

// Lifetime is how long a WebSocket may last, in milliseconds.
func Lifetime(*http.Request) int { return lifetime }

// Overtake does nothing.
func Overtake(bridge.Host, *http.Request, string) {}
