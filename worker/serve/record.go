package serve

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/worker/alert"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/usage"
)

// record is a request while it is served: the client's request with its host, the head of the answer,
// and what the steps have noted for that head, for the host's log and for the endpoint's account.
// Its methods are the steps that every kind of request may need.
type record struct {
	clientRequest

	header      http.Header // of the answer
	ids         ids
	endpoint    string // the name of the personal endpoint of the client's key
	clientModel string // the client's name of the model
	loop        string // the name of the repeatedly called tool; "": none
	unpriced    string // the names of the upstreams left out because the model has no price there
	attempts    attempts
	last        lastAttempt
	passthrough passthrough
	compaction  compaction
	advisor     advisor
	embedding   *embedding // nil: the request is for something else
	account     account
	result      result
	timing      timing
}

// newRecord returns the record of a request. header is the answer's.
func newRecord(host bridge.Host, header http.Header) *record {
	return &record{clientRequest: clientRequest{host: host}, header: header, timing: timing{host: host}}
}

// ids are the ids in the head of the answer.
type ids struct {
	// of the request: the client's own, or the choice of identify when the head goes out; "": none
	// yet
	request  string
	upstream string // the upstream's id of its response; "": none
}

// lastAttempt is the request to the last upstream so far.
type lastAttempt struct {
	upstream *endpoint.Upstream // nil: none was tried
	model    string             // the upstream's name of the model
	// the translation for the upstream; nil: the body passes, or there is none
	exchange *translator.Exchange
	billable bool   // the upstream received and did not refuse the request, so it may bill the request
	unknown  bool   // ir.Target.UnknownModel of the translation
	cache    string // a gateway's cache status: see upstream.Cached
}

// noteTarget records for the logs whether the upstream's model is unknown.
func (h *record) noteTarget(t *ir.Target) {
	h.last.unknown = t.UnknownModel
	h.attempts.noteUnknown(t.UnknownModel)
}

// inner returns the translation, which must not be nil, with the methods for the worker.
func (l *lastAttempt) inner() translator.WorkerExchange { return translator.ForWorker(l.exchange) }

// passthrough is a body that passes to the last upstream, and its answer.
type passthrough struct {
	choice *endpoint.Choice // the upstream; nil: the body is translated, or none was tried
	body   []byte           // nil: none
	tap    *translator.Tap  // reads a counted answer; nil: none
}

// account is the request in the endpoint's object: its slots and its usage.
type account struct {
	request    *usage.Request     // nil: the request has no slot and is not counted
	endpoint   *endpoint.Endpoint // of request
	alerts     *alert.Source      // raises alerts at the end of the request; nil: there is no webhook
	counts     bool               // the request is to a model and counts in the endpoint's usage
	sends      bool               // the endpoint's sums go to package totals
	overBudget int64              // the budget is spent for so many seconds; the request falls back
	refused    bool               // the budget is spent, and there is no next upstream
	cost       usage.Cost         // the request's cost, once the account is closed
}

// result is the client's answer.
type result struct {
	status   int          // 0: the head has not gone out
	failure  ir.ErrorKind // the kind of the error instead of an answer; 0: none
	message  string       // the error's message; "": none
	pumped   bool         // the answer is a stream of the bridge's pump
	unstored bool         // the answer was complete but can't be stored, so its stream failed
}

// noteLoop records the tool that the model calls repeatedly, if any, for the head and the log.
func (h *record) noteLoop(r *ir.Request) {
	if h.loop = policy.Loop(r); h.loop != "" {
		h.header.Set(headerLoop, h.loop)
	}
}

// setLast records the next upstream and its translation.
func (h *record) setLast(c *endpoint.Choice, x *translator.Exchange) {
	h.last.upstream, h.last.model, h.last.exchange = c.Upstream, c.Model, x
	h.passthrough.choice = nil
}

// lost returns the losses of the translation, in the form of x-edgelingua-lost.
func (h *record) lost() string {
	switch {
	case h.last.exchange != nil:
		return h.last.exchange.LostHeader()
	case h.embedding != nil && h.embedding.x != nil:
		return h.embedding.x.Lost.Header()
	}
	return ""
}

// upstreamUsage returns the upstream's token counts, nil if the answer was not read, and the kind
// of a failure inside of the answer's body, 0 for none.
func (h *record) upstreamUsage() (u *ir.Usage, failed ir.ErrorKind) {
	switch {
	case h.embedding != nil:
		return &h.embedding.usage, h.embedding.failed
	case h.passthrough.tap != nil:
		return h.passthrough.tap.Usage(), h.passthrough.tap.Failed()
	case h.last.exchange != nil:
		return &h.last.exchange.Usage, h.last.exchange.Failed
	}
	return nil, 0
}
