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

// compaction is what a request has to do with summaries of its conversation.
type compaction struct {
	summary *translator.Exchange // the call for the summary; nil: there was none, or it has failed
	by      *endpoint.Choice     // the upstream that has made it
	prices  usage.Prices         // of that upstream's model
	text    string               // the summary
	sealed  ir.Escaped           // its envelope
	next    bool                 // the upstream that was asked for the summary can't answer now, so that another may
}

// compact opens the summary that the request x gives back, and asks the upstream for a new one where the client has asked for
// that. Of several upstreams that are tried one after the other only the first that can answer is asked. size is that of the
// client's body, in bytes.
func (h *plan) compact(r *http.Request, c *endpoint.Choice, x *translator.Exchange, target *ir.Target, size int) error {
	if err := openSummary(h.host, c.Endpoint, x.Request); err != nil {
		return h.turn.Relocate(err)
	}
	if !x.Compacts(target) {
		return nil
	}
	told := x.ToldSize()
	bridge.Reserve(told)
	y, err := x.Summarize()
	if err != nil {
		return err
	}
	if c.Endpoint.Policy.LoopGuard { // what repeats itself is not there any more in what goes to the upstream
		h.reportLoop(x.Request)
	}
	if h.compaction.summary == nil {
		y.AskUsage = h.counted
		if err := h.summarize(r, c, y, target, max(size, told)); err != nil {
			return err
		}
		h.compaction.summary, h.compaction.by, h.compaction.prices = y, c, h.attempts.prices
	}
	x.SetSummary(h.compaction.summary, h.compaction.text, h.compaction.sealed)
	if x.IsAnswered() {
		h.turn.RelocateLost(&x.Lost)
		y.Lost = x.Lost // the log says what came of y
	}
	return nil
}

// summarize asks an upstream for the summary, by the exchange y, and seals it. The question has size bytes, about.
//
//go:noinline
func (h *plan) summarize(r *http.Request, c *endpoint.Choice, y *translator.Exchange, target *ir.Target, size int) error {
	if h.status != 0 { // the client has the head of its stream, and the pump waits for another upstream: nothing else can be fetched
		return &ir.Error{Kind: ir.Unavailable, Message: "The upstream did not answer in time, and the next one has to be asked for a summary first. Send the request again."}
	}
	room := size + size/4 + 8<<10
	bridge.Reserve(room)
	body, err := y.AppendRequest(make([]byte, 0, room), target)
	if err != nil {
		return h.turn.Relocate(err)
	}
	path := c.Path(true)
	lines := ""
	if h.client == c.API {
		lines = upstream.PassedHeaders(r, c.Upstream, false)
	} else {
		lines = upstream.NeededHeaders(y.Headers(), c.Upstream)
	}
	h.sentTo(c, y)
	call := upstream.Call(h.host, c.Upstream, path, lines, body)
	head, failed := h.fetch(c.Upstream, call)
	if h.compaction.next = upstream.Fails(head.Status, failed); failed != nil {
		return unsummarized(upstream.Unreached(failed.Error()))
	}
	err = upstream.Unread(head.Status, head.Lines)
	var text string
	if err == nil {
		answer, failed := h.readBody(head.Status)
		if err = (&asked{y, c.Upstream, call.URL}).refusal(head.Status, answer, failed); err == nil {
			text, err = y.Summary(answer, beginsLikeSSE(answer))
		}
	}
	h.copyHeaders(head.Lines, c.Upstream)
	if err != nil {
		return unsummarized(err)
	}
	h.compaction.text = text
	h.compaction.sealed, err = sealSummary(h.host, c.Endpoint, text)
	return err
}

// unsummarized returns the error of a summary that could not be made, in words for the client.
func unsummarized(err error) error {
	told := *ir.AsError(err)
	told.Message = "The conversation could not be compacted, since the upstream has given no summary of it. " + told.Message
	if told.Kind == ir.ContextOverflow {
		told.Message += " The conversation is longer than the model takes, so compact earlier, ask a model that takes more, or begin a new session."
	}
	return &told
}

// summarized answers with the summary alone.
//
//go:noinline
func (h *plan) summarized(x *translator.Exchange) (reply, error) {
	h.lost(x)
	out, err := x.AppendSummary(nil)
	if err == nil {
		err = h.storeAnswer()
	}
	if err != nil {
		return reply{}, err
	}
	return h.whole(x, out)
}

// ofSummary returns the call for a summary that the request has made beside that for its answer, nil where there is none.
func (h *record) ofSummary() *translator.Exchange {
	if h.compaction.summary == h.exchange {
		return nil
	}
	return h.compaction.summary
}

// summaryContext says what a sealed summary belongs to: at another endpoint it does not open.
func summaryContext(e *endpoint.Endpoint) string { return "summary/" + e.Name }

// sealSummary returns the envelope of a summary: a sealed one where the deployment has a SEAL_KEY, else a readable one.
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

// openSummary opens the summary that a request gives back. A readable one is taken only where there is no SEAL_KEY: else an
// upstream whose answers pass as they are, or whoever can write to the client's records, could have made it.
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
			why = "it was changed, or made at another endpoint, or the key that it was sealed with (SEAL_KEY) is gone"
		}
		return &ir.Error{Kind: ir.InvalidRequest, Path: c.At.String(), Code: "invalid_compaction", Message: "This compaction can't be opened: " + why +
			". Leave it out and send the conversation itself, or begin a new session."}
	}
	return nil
}
