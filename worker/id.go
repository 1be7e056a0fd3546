//go:build js && wasm

package main

import "edgelingua/worker/bridge"

// randomID is how much of bridge.Random an id has: 132 bits.
const randomID = 22

func newID() string { return "req_" + bridge.Random()[:randomID] }

// identify gives the answer the id of its request, which then stands in a.id: the client's own, else the upstream's, else a
// random one. Where that is not the upstream's, the upstream's is there as well.
func (a *answer) identify() {
	if a.id == "" && bridge.IsID(a.upstreamID) {
		a.id = a.upstreamID
	}
	if a.id == "" {
		a.id = newID()
	}
	h := a.w.Header()
	h.Set("x-request-id", a.id)
	h.Set("request-id", a.id) // read by Anthropic's SDKs
	if a.upstreamID != "" && a.upstreamID != a.id {
		h.Set("x-upstream-request-id", a.upstreamID)
	}
}
