package serve

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// closeAccount returns the statements for the end of a request: they release the request's slots
// and, if the request was admitted to a model, count it.
func (h *record) closeAccount() *bridge.Statements {
	if !h.counted {
		return h.accounted.Leave()
	}
	o := usage.Outcome{Used: h.sent, Attempts: h.attempts.tried}
	o.Tokens, o.Cost = h.charged()
	h.spent = o.Cost
	if s := h.ofSummary(); s != nil {
		t := tokensOf(&s.Usage)
		if max(s.Usage.Input, s.Usage.CacheRead, s.Usage.CacheWrite) < 0 {
			t.Input = s.InputTokens()
		}
		t.Output = s.OutputTokens(h.compaction.by.Model)
		o.Summary, o.Sum, o.Summarizer = &t, h.compaction.prices.Of(&t), h.compaction.by.Name
		h.spent = h.spent.Plus(o.Sum)
	}
	if h.to != nil {
		o.Upstream = h.to.Name
	}
	if h.exchange != nil && h.exchange.LostHeader() != "" {
		o.Lost = strings.Split(h.exchange.LostHeader(), ",")
	}
	o.First, o.Total = h.times.lasted(h.pumped)
	_, failed := h.outcome()
	if !h.unstored {
		h.attempts.breakOff(failed)
	}
	failed = max(failed, h.failed)
	if failed != 0 && h.status != upstream.StatusGone {
		o.Status, o.Type, o.Words = h.status, failed.String(), usage.Words(h.words)
		if h.status < 400 { // the head was fine, but the stream failed later
			o.Status = h.client.Status(&ir.Error{Kind: failed})
		}
	}
	h.accounted.ID = h.id
	return h.accounted.Close(&o)
}

// charged returns the tokens used so far and their cost. Tokens of the upstream request for a
// summary of the conversation are not included.
func (h *record) charged() (t usage.Tokens, cost usage.Cost) {
	u, _ := h.outcome()
	if u != nil {
		t = tokensOf(u)
	}
	switch {
	case h.tap != nil:
		t.Searches = h.tap.Searches()
	case h.exchange != nil:
		t.Searches, t.Longest = h.exchange.Searches, h.exchange.LongestPrompt()
	}
	known := h.estimate(&t, u)
	if h.cached == "hit" { // nobody bills a cache hit
		return t, 0
	}
	if !known {
		return t, usage.Unknown
	}
	billed := t
	if h.exchange != nil && h.tap == nil {
		billed.Searches -= h.exchange.Ran // this server ran these searches, not the upstream
	}
	return t, h.attempts.prices.Of(&billed)
}

// priced writes the cost so far, in US dollars, into the head of the answer.
func (h *record) priced() {
	if !h.counted {
		return
	}
	text := "unknown"
	if _, cost := h.charged(); cost != usage.Unknown {
		text = string(cost.Append(nil))
	}
	h.header.Set(headerCost, text)
}

func tokensOf(u *ir.Usage) usage.Tokens {
	return usage.Tokens{Input: u.Prompt(), Output: max(u.Output, 0), Cached: max(u.CacheRead, 0),
		Written: max(u.CacheWrite, 0), Reasoning: max(u.Reasoning, 0)}
}

// estimate fills in tokens that the upstream did not count but may bill. There are three cases: the
// client left, the answer broke off, or the upstream sends no counts. u is the upstream's count;
// nil: no part of its answer was read. For a passthrough answer that no Tap can read, the tokens are
// unknown, and estimate returns false.
func (h *record) estimate(t *usage.Tokens, u *ir.Usage) bool {
	unreadable := h.failed == 0 && u == nil || h.tap != nil && h.tap.TooLarge()
	if !h.taken || unreadable {
		return !h.taken
	}
	if u == nil || max(u.Input, u.CacheRead, u.CacheWrite) < 0 {
		t.Input = h.inputTokens()
	} else if h.exchange != nil {
		t.Input += h.exchange.Uncounted()
	}
	switch {
	case h.tap != nil:
		t.Output = h.tap.OutputTokens(h.sent)
	case h.exchange != nil:
		t.Output = h.exchange.OutputTokens(h.sent)
	}
	return true
}

// inputTokens estimates the tokens of the client's request.
func (h *record) inputTokens() int64 {
	x := h.exchange
	if h.passed != nil {
		var err error
		if x, err = h.decode(h.passed, h.body); err != nil { // the upstream may be able to read it anyway
			return int64(len(h.body) / 4)
		}
	}
	return x.InputTokens()
}
