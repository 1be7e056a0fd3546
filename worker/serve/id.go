package serve

import "edgelingua/worker/bridge"

// randomID is how many characters of bridge.Services.Random an id has: 22 of 6 bits each.
const randomID = 22

func (r *response) newID() string { return "req_" + r.host.Random()[:randomID] }

// identify puts the id of the request into the response's head and into r.id: the client's own, else the upstream's, else a random one.
// An upstream's id that is not chosen goes into a header of its own.
func (r *response) identify() {
	if r.id == "" && bridge.IsID(r.upstreamID) {
		r.id = r.upstreamID
	}
	if r.id == "" {
		r.id = r.newID()
	}
	r.header.Set("x-request-id", r.id)
	r.header.Set("request-id", r.id) // read by Anthropic's SDKs
	if r.upstreamID != "" && r.upstreamID != r.id {
		r.header.Set("x-upstream-request-id", r.upstreamID)
	}
}
