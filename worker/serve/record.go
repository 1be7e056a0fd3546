package serve

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// record is what the steps of a request record for the head of the answer, the host's log and the
// endpoint's account.
type record struct {
	ask

	header http.Header // of the answer
	// of the request: the client's own, or the choice of identify when the head goes out; "": none
	// yet
	id         string
	upstreamID string       // the upstream's id of its response; "": none
	status     int          // 0: the head has not gone out
	failed     ir.ErrorKind // the kind of the error that the client got instead of an answer; 0: none
	words      string       // the message of the client's error; "": none
	times      times
	pumped     bool   // the answer is a stream of the bridge's pump
	unstored   bool   // the answer was complete but can't be stored, so its stream failed
	looped     string // the tool that the model calls repeatedly; "": none

	endpoint string // the name of the personal endpoint whose key the client presented
	// the request in the endpoint's object; nil: it has no slot there and is not counted
	accounted  *usage.Request
	counted    bool       // the request is to a model and counts in the endpoint's usage
	overBudget bool       // a budget is spent, so the request falls back to the next upstream
	spent      usage.Cost // the request's cost, once its account is closed

	asked    string // the client's name of the model
	attempts attempts
	sent     string             // the model's name at the last upstream tried
	to       *endpoint.Upstream // the last upstream tried; nil: none
	// the translation for that upstream; nil: the body passes, or there is none
	exchange *translator.Exchange
	// the upstream to which the body passes; nil: the body is translated, or none was tried
	passed *endpoint.Choice
	body   []byte          // the body that passes; nil: none
	tap    *translator.Tap // reads a passthrough answer that counts; nil: none
	// the last upstream received the request and did not refuse it, so it may bill it
	taken      bool
	cached     string     // a gateway's cache status: see upstream.Cached
	compaction compaction // the summary of the conversation
}

// reportLoop records a tool that the model calls repeatedly, for the head and the log, if there is
// such a tool.
func (h *record) reportLoop(r *ir.Request) {
	if h.looped = policy.Loop(r); h.looped != "" {
		h.header.Set(headerLoop, h.looped)
	}
}

// sentTo records the upstream that is tried next and the translation for it.
func (h *record) sentTo(c *endpoint.Choice, x *translator.Exchange) {
	h.to, h.sent, h.exchange, h.passed = c.Upstream, c.Model, x, nil
}

// outcome returns the upstream's token counts, nil if the answer was not read, and the kind of a
// failure inside of the answer's body, 0 for none.
func (h *record) outcome() (u *ir.Usage, failed ir.ErrorKind) {
	switch {
	case h.tap != nil:
		return h.tap.Usage(), h.tap.Failed()
	case h.exchange != nil:
		return &h.exchange.Usage, h.exchange.Failed
	}
	return nil, 0
}
