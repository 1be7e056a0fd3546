package serve

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// record is what the steps of a request note, for the head of the answer, the host's log, and the endpoint's account.
type record struct {
	ask

	header     http.Header  // of the answer
	id         string       // of the request: the client's own, or what identify chooses when the head goes out; "": none yet
	upstreamID string       // the id that the upstream gave its response, "" for none
	status     int          // 0: the head has not gone out
	failed     ir.ErrorKind // the kind of the error that the client got in place of an answer; 0: it got none
	words      string       // of the error that the client got; "": none
	times      times
	pumped     bool   // the answer is a stream, which the bridge's pump carries
	unstored   bool   // the answer was whole, but can't be stored, so that its stream has failed
	looped     string // the tool that the model calls over and over, "" for none

	endpoint   string         // the name of a personal endpoint, whose key the client has presented
	accounted  *usage.Request // the request as the endpoint's object has it; nil: it holds no place there, and is not counted
	counted    bool           // it asks for a model, and counts in the endpoint's usage
	overBudget bool           // a budget is spent that sends it to the next upstream
	spent      usage.Cost     // what it has cost, once its account is closed

	asked      string // the client's name of the model
	attempts   attempts
	sent       string               // the model's name at the upstream that was tried last
	to         *endpoint.Upstream   // that upstream; nil: none was tried
	exchange   *translator.Exchange // the translation for that upstream; nil: the body passes, or there is none
	passed     *endpoint.Choice     // the upstream to which the client's body passes; nil: there is a translation, or none was tried
	body       []byte               // that body; nil: there is none
	tap        *translator.Tap      // what reads an answer that passes and is counted; nil: there is none
	taken      bool                 // the upstream may bill the request: it has got it, and has not refused it
	cached     string               // whether a gateway has answered from its cache: see upstream.Cached
	compaction compaction           // what the request has to do with summaries of its conversation
}

// reportLoop names in the head and in the log the tool that the model calls over and over, if there is one.
func (h *record) reportLoop(r *ir.Request) {
	if h.looped = policy.Loop(r); h.looped != "" {
		h.header.Set(headerLoop, h.looped)
	}
}

// sentTo notes the upstream that is tried, and the translation for it.
func (h *record) sentTo(c *endpoint.Choice, x *translator.Exchange) {
	h.to, h.sent, h.exchange, h.passed = c.Upstream, c.Model, x, nil
}

// outcome returns the tokens that the upstream has counted, nil where the answer was not read, and the kind of the failure in the answer's
// body, 0 for none.
func (h *record) outcome() (u *ir.Usage, failed ir.ErrorKind) {
	switch {
	case h.tap != nil:
		return h.tap.Usage(), h.tap.Failed()
	case h.exchange != nil:
		return &h.exchange.Usage, h.exchange.Failed
	}
	return nil, 0
}
