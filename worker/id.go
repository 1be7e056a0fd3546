//go:build js && wasm

package main

import "edgelingua/worker/bridge"

// randomID is how many characters of bridge.Random an id has: they are 132 bits.
const randomID = 22

func newID() string { return "req_" + bridge.Random()[:randomID] }

// identify puts the id of the request into the head, and into id: the client's own, else the upstream's, else a random one. An
// upstream's id that is not chosen has a header of its own.
func (a *response) identify() {
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
