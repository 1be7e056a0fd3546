package serve

import (
	"strconv"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

const (
	typeJSON = "application/json"
	typeSSE  = "text/event-stream; charset=utf-8"

	headerLost = "x-edgelingua-lost"
	headerLoop = "x-edgelingua-loop"
	headerCost = "x-edgelingua-cost"
)

// waits returns an error with the time in the header retry-after, where that has one, and sets the header where only the error has one: some APIs say it
// in the header, others in the body.
func (h *record) waits(err *ir.Error) *ir.Error {
	const name = "retry-after"
	seconds, bad := strconv.ParseInt(h.header.Get(name), 10, 64)
	switch {
	case bad == nil && seconds > 0:
		told := *err
		told.Wait = seconds
		return &told
	case err.Wait > 0 && h.header.Get(name) == "":
		h.header.Set(name, strconv.FormatInt(err.Wait, 10))
	}
	return err
}

// lost names in the head what could not be carried over.
func (h *record) lost(x *translator.Exchange) {
	if value := x.LostHeader(); value != "" {
		h.header.Set(headerLost, value)
	}
}

// copyHeaders copies from the lines of the upstream's head what a client acts on or reports (upstream.Answer), and notes the upstream's id.
func (h *record) copyHeaders(lines string, u *endpoint.Upstream) {
	a := upstream.AnswerOf(lines, u)
	h.upstreamID = a.ID()
	a.Each(h.header.Set)
}

// randomID is how many characters of bridge.Services.Random an id has: 22 of 6 bits each.
const randomID = 22

func (h *record) newID() string { return "req_" + h.host.Random()[:randomID] }

// identify puts the id of the request into the response's head and into h.id: the client's own, else the upstream's, else a random one.
// An upstream's id that is not chosen goes into a header of its own.
func (h *record) identify() {
	if h.id == "" && bridge.IsID(h.upstreamID) {
		h.id = h.upstreamID
	}
	if h.id == "" {
		h.id = h.newID()
	}
	h.header.Set("x-request-id", h.id)
	h.header.Set("request-id", h.id) // read by Anthropic's SDKs
	if h.upstreamID != "" && h.upstreamID != h.id {
		h.header.Set("x-upstream-request-id", h.upstreamID)
	}
}
