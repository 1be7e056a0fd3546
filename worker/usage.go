//go:build js && wasm

package main

import (
	"net/http"
	"strconv"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// admit checks a request against the endpoint's limits, and has the request counted when it is over. It returns false, and has answered,
// where a limit refuses the request.
func (h *handler) admit(r *http.Request, e *endpoint.Endpoint, body []byte) bool {
	if !e.Counts() {
		return true
	}
	q := &usage.Request{ID: h.id, Model: h.asked, Clock: faults.Clock(r), Limits: e.Limits}
	if streams, _ := translator.Streams(h.client, h.path, body); streams && e.Limits.Streams > 0 {
		q.Lease = bridge.Random()
	}
	if e.Limits != (usage.Limits{}) {
		if q.ID == "" { // a refused request is noted with its id, and no upstream will give it one
			q.ID = newID()
		}
		rows, failed := bridge.Batch(e.Object(), q.Admit())
		if failed != nil {
			h.fail(&ir.Error{Kind: ir.Internal, Message: "The limits of this endpoint can't be looked up. " + failed.Error()})
			return false
		}
		if refusal := usage.Admitted(rows); refusal.Limit != "" {
			h.id = q.ID
			h.overLimit(refusal, &e.Limits)
			return false
		}
	}
	h.counted = q
	every := 0
	if q.Lease != "" {
		every = faults.RenewEvery(r)
	}
	bridge.Account(e.Object(), q.Renew(), every, h.closeAccount)
	return true
}

// overLimit answers a request that a limit refuses. Until tokens_per_day ends it may be hours. openai-node ignores a retry-after of more
// than a minute and retries within seconds, so for this limit the SDKs are told not to retry at all.
func (h *handler) overLimit(refusal usage.Refusal, l *usage.Limits) {
	header := h.w.Header()
	header.Set("retry-after", strconv.FormatInt(refusal.Wait, 10))
	if refusal.Limit == "tokens_per_day" {
		header.Set("x-should-retry", "false")
	}
	h.fail(&ir.Error{Kind: ir.RateLimit, Message: refusal.Message(l)})
}

// closeAccount returns the statements that count the request, once it is over.
func (h *handler) closeAccount() *bridge.Statements {
	var o usage.Outcome
	u, failed := h.outcome()
	failed = max(failed, h.failed)
	if u != nil {
		o.Tokens = usage.Tokens{Input: u.Prompt(), Output: max(u.Output, 0), Cached: max(u.CacheRead, 0), Reasoning: max(u.Reasoning, 0)}
	}
	if failed != 0 && h.status != upstream.StatusGone {
		o.Status, o.Type = h.status, failed.String()
		if h.status < 400 { // the head was fine, and the stream has failed behind it
			o.Status = h.client.Status(&ir.Error{Kind: failed})
		}
	}
	h.counted.ID = h.id
	return h.counted.Close(&o)
}

// counts reports whether a body may pass although the endpoint counts tokens. A Chat stream tells its usage only where the client asks
// for it with stream_options.include_usage: without that the request is translated, which asks, unless the upstream can't be asked.
func (h *handler) counts(r *http.Request, c *endpoint.Choice, body []byte) bool {
	if h.counted == nil {
		return true
	}
	_, counted := translator.Streams(h.client, h.path, body)
	return counted || c.Target(c.Model).OmitStreamUsage
}

// tapped is the stream of an answer that passes, and whose usage is read on the way.
type tapped struct{ tap *translator.Tap }

// Head is not called: a request that passes waits for the upstream's head.
func (t *tapped) Head(int, string) bool { return false }

// Push reads a chunk, and returns what passes as the output.
func (t *tapped) Push(chunk []byte) ([]byte, bool) { return t.tap.Push(chunk) }

// Complete returns false: the answer ends when the upstream ends it.
func (t *tapped) Complete() bool { return false }

// Close takes the end of the upstream's body.
func (t *tapped) Close(cause bridge.Cause) []byte {
	out := t.tap.Close(upstream.Severed(cause))
	if t.tap.TooLarge() {
		println("edgelingua: an answer of more than 16 MB has passed, and its tokens are not counted")
	}
	return out
}
