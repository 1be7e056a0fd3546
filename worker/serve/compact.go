package serve

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// compaction is the state of a request's compaction: the summary of its conversation.
type compaction struct {
	summary  *translator.Exchange // the request for the summary; nil: none was made, or it failed
	choice   *endpoint.Choice     // the upstream that made the summary
	prices   usage.Prices         // of that upstream's model
	text     string               // the summary
	envelope ir.Escaped           // its envelope
	fallback bool                 // the upstream of the summary can't answer now, so another may be tried
}

// compact opens the summary in the client's request x, and asks the upstream for a new summary if
// the client asks for a compaction. If several upstreams are tried in turn, the first one that can
// answer makes the only summary. size is the size of the client's body in bytes.
func (p *plan) compact(r *http.Request, c *endpoint.Choice, x *translator.Exchange, target *ir.Target,
	size int) error {
	if err := openSummary(p.host, c.Endpoint, x.Request); err != nil {
		return p.conversation.Relocate(err)
	}
	inner := translator.ForWorker(x)
	if !inner.Compacts(target) {
		return nil
	}
	promptSize := inner.PromptSize()
	bridge.Reserve(promptSize)
	y, err := inner.Summarize()
	if err != nil {
		return err
	}
	if c.Endpoint.Policy.LoopGuard { // the loop is only visible before the summary replaces the conversation
		p.noteLoop(x.Request)
	}
	if p.compaction.summary == nil {
		if err := p.summarize(r, c, y, target, max(size, promptSize)); err != nil {
			return err
		}
		p.compaction.summary, p.compaction.choice, p.compaction.prices = y, c, p.attempts.prices
	}
	inner.SetSummary(p.compaction.summary, p.compaction.text, p.compaction.envelope)
	if inner.IsAnswered() {
		p.conversation.RelocateLost(&x.Lost)
		y.Lost = x.Lost // the log shows the losses of y
	}
	return nil
}

// summarize sends the exchange y to an upstream for the summary, and seals the summary. The body
// has about size bytes.
//
//go:noinline
func (p *plan) summarize(r *http.Request, c *endpoint.Choice, y *translator.Exchange, target *ir.Target,
	size int) error {
	// If the client has the head of its stream, the pump waits for a fallback, and no other fetch
	// is possible.
	if p.result.status != 0 {
		return &ir.Error{Kind: ir.Unavailable,
			Message: "The upstream did not answer in time, and the next one has to be asked for a summary " +
				"first. Send the request again."}
	}
	room := size + size/4 + 8<<10
	bridge.Reserve(room)
	body, err := y.AppendRequest(make([]byte, 0, room), target)
	if err != nil {
		return p.conversation.Relocate(err)
	}
	path := c.Path(true)
	lines := ""
	if p.client == c.API {
		lines = upstream.PassedHeaders(r, c.Upstream, false)
	} else {
		lines = upstream.NeededHeaders(y.Headers(), c.Upstream)
	}
	p.setLast(c, y)
	call := upstream.Call(p.host, c.Upstream, path, lines, body)
	head, failed := p.fetch(c.Upstream, call)
	if p.compaction.fallback = upstream.Fails(head.Status, failed); failed != nil {
		return unsummarized(upstream.Unreached(failed.Error()))
	}
	err = upstream.Unread(head.Status, head.Lines)
	var text string
	if err == nil {
		answer, failed := p.readBody(head.Status)
		err = (&upstreamRequest{y, c.Upstream, call.URL}).refusal(head.Status, answer, failed)
		if err == nil {
			text, err = translator.ForWorker(y).ReadSummary(answer, beginsLikeSSE(answer))
		}
	}
	p.copyHeaders(head.Lines, c.Upstream)
	if err != nil {
		return unsummarized(err)
	}
	p.compaction.text = text
	p.compaction.envelope, err = sealSummary(p.host, c.Endpoint, text)
	return err
}

// unsummarized returns the client's error for a summary that could not be made.
func unsummarized(err error) error {
	copied := *ir.AsError(err)
	copied.Message = "The conversation could not be compacted, since the upstream has given no " +
		"summary of it. " + copied.Message
	if copied.Kind == ir.ContextOverflow {
		copied.Message += " The conversation is longer than the model takes, so compact earlier, ask a " +
			"model that takes more, or begin a new session."
	}
	return &copied
}

// summaryReply answers with the summary only.
//
//go:noinline
func (p *plan) summaryReply(x *translator.Exchange) (*reply, error) {
	p.reportLosses(x)
	out, err := translator.ForWorker(x).AppendSummary(nil)
	if err == nil {
		err = p.storeAnswer()
	}
	if err != nil {
		return nil, err
	}
	return p.wholeReply(x, out)
}

// extraSummary returns the request for a summary that was made in addition to the request for the
// answer; nil: there was none.
func (h *record) extraSummary() *translator.Exchange {
	if h.compaction.summary == h.last.exchange {
		return nil
	}
	return h.compaction.summary
}

// summaryContext returns the context of a sealed summary. Another endpoint can't open the summary,
// nor a later one of the same name. Neither name nor id contains a slash.
func summaryContext(e *endpoint.Endpoint) string {
	if e.ID == "" { // the endpoint is from before ids, and its summaries still open
		return "summary/" + e.Name
	}
	return "summary/" + e.Name + "/" + e.ID
}

// sealSummary returns the envelope of a summary. It is sealed if the deployment has a SEAL_KEY,
// else readable.
func sealSummary(host bridge.Host, e *endpoint.Endpoint, text string) (ir.Escaped, error) {
	sealed, failed := host.Seal(summaryContext(e), text)
	switch {
	case failed == nil:
		return ir.SealedSummary(sealed), nil
	case bridge.NoSealKey(failed):
		return ir.ReadableSummary(jsonw.Escape(text)), nil
	}
	return "", endpoint.NotSetUp(failed.Error())
}

// openSummary opens the summaries in a client's request. A readable summary is accepted only if
// there is no SEAL_KEY. Otherwise a passthrough upstream, or anyone with write access to the
// client's transcripts, could forge a summary.
func openSummary(host bridge.Host, e *endpoint.Endpoint, r *ir.Request) error {
	for c := r.Enveloped(); c != nil; c = r.Enveloped() {
		why := "it was made without a SEAL_KEY, which this server has now"
		if c.Signature == ir.Unsealed {
			_, failed := host.Seal(summaryContext(e), "")
			if failed != nil && !bridge.NoSealKey(failed) {
				return endpoint.NotSetUp(failed.Error())
			}
			if failed != nil {
				c.Signature = ""
				continue
			}
		} else {
			text, ok, _, failed := host.Open(summaryContext(e), jsonw.Unescape(c.Signature))
			if ok {
				c.SetSummary(jsonw.Escape(text))
				continue
			}
			if failed != nil && !bridge.NoSealKey(failed) {
				return endpoint.NotSetUp(failed.Error())
			}
			why = "it was changed, or made at another endpoint, or the key that it was sealed with " +
				"(SEAL_KEY) is gone"
		}
		return &ir.Error{Kind: ir.InvalidRequest, Path: c.At.String(), Code: "invalid_compaction",
			Message: "This compaction can't be opened: " + why +
				". Leave it out and send the conversation itself, or begin a new session."}
	}
	return nil
}
