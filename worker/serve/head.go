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

// syncWait makes the header retry-after and Wait of an error agree: some APIs have the wait in the
// header, others in the body. A header of copyHeaders, from the upstream, decides, and then the
// result is a copy of err. Without a header, syncWait sets the header from err.
func (h *record) syncWait(err *ir.Error) *ir.Error {
	const name = "retry-after"
	value := h.header.Get(name)
	if seconds := upstream.Seconds(value); seconds > 0 {
		copied := *err
		copied.Wait = seconds
		return &copied
	}
	if err.Wait > 0 && value == "" {
		h.header.Set(name, strconv.FormatInt(err.Wait, 10))
	}
	return err
}

// reportLosses lists the losses of the translation in the head.
func (h *record) reportLosses(x *translator.Exchange) {
	if value := x.LostHeader(); value != "" {
		h.header.Set(headerLost, value)
	}
}

// copyHeaders copies the upstream's headers for clients (upstream.Answer), and records the
// upstream's id.
func (h *record) copyHeaders(lines string, u *endpoint.Upstream) {
	a := upstream.AnswerOf(lines, u)
	h.ids.upstream = a.ID()
	a.Each(h.header.Set)
}

// randomID is the number of characters of bridge.Host.Random in an id: 22, each of about 6 bits.
const randomID = 22

func (h *record) newID() string { return "req_" + h.host.Random()[:randomID] }

// identify writes the id of the request into the response's head and h.ids. The client's own id has
// priority, then the upstream's, then a random id. An id for a gateway, or for a refusal by a limit,
// is needed before the upstream's is known, so there the random id comes first. An unused id of the
// upstream goes into x-upstream-request-id.
func (h *record) identify() {
	// A client that sets an id follows requests through several systems, with our log among them.
	// Any other client needs the upstream's id for the upstream's support. The client's id is not
	// sent on, since upstreams set their own; x-client-request-id passes.
	if h.ids.request == "" && bridge.IsID(h.ids.upstream) {
		h.ids.request = h.ids.upstream
	}
	if h.ids.request == "" {
		h.ids.request = h.newID()
	}
	h.header.Set("x-request-id", h.ids.request)
	h.header.Set("request-id", h.ids.request) // read by Anthropic's SDKs
	if h.ids.upstream != "" && h.ids.upstream != h.ids.request {
		h.header.Set("x-upstream-request-id", h.ids.upstream)
	}
}
