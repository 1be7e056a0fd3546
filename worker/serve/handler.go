package serve

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/worker/stored"
	"edgelingua/worker/usage"
)

// handler serves the one request of this instance: its methods are what routes lead to. Each part of it knows one thing.
type handler struct {
	response                  // what the client gets
	entry                     // what the host's log says
	hostname   string         // of this deployment, as the request names it; it may have a port
	path       string         // of the request, with its query: see ir.Client
	said       []byte         // the client's body, or the part of it that passing.Single returns: what it asks for
	turn       stored.Turn    // what the request has to do with stored responses, and with what its connection remembers
	prepares   bool           // the request is one of a connection's that no model is asked for
	accounted  *usage.Request // the request as the endpoint's object has it; nil: it holds no place there, and is not counted
	overBudget bool           // a budget is spent that sends it to the next upstream
	spent      usage.Cost     // what it has cost, once its account is closed
	counted    bool           // it asks for a model, and counts in the endpoint's usage
	compaction compaction     // what it has to do with summaries of its conversation
}

// reportLoop names in the head and in the log the tool that the model calls over and over, if there is one.
func (h *handler) reportLoop(r *ir.Request) {
	if h.looped = policy.Loop(r); h.looped != "" {
		h.header.Set(headerLoop, h.looped)
	}
}
