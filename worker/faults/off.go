//go:build !faults

// Package faults injects faults into the tests' build of the module when the headers of a request
// ask for them: panics, changed times, and single calls of the host. Without the build tag faults
// it does nothing.
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

// State does nothing and is never called.
func State(bridge.Host, *http.Request, http.Header) (status int, out []byte) { return 0, nil }

// Clock returns 0: the object's own time counts.
func Clock(*http.Request) usage.Clock { return 0 }

// RenewEvery is how often leases are renewed, in milliseconds.
func RenewEvery(*http.Request) int { return usage.RenewEvery }

// Lifetime is how long a WebSocket may last, in milliseconds.
func Lifetime(*http.Request) int { return lifetime }

// Overtake does nothing.
func Overtake(bridge.Host, *http.Request, string) {}
