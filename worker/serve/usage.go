package serve

import (
	"net/http"
	"strconv"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/personal"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// enter asks the object of an endpoint, where it keeps anything there, whether the client may still use the endpoint: the copy of the record
// in KV, which has let the client in, may be a minute old. A limit of open requests takes the request's place in the same batch: a request
// of any kind, before its body is read, until it is over. admits: admit will ask the object anyway. enter returns false, and has answered,
// where the request goes no further.
func (h *handler) enter(r *http.Request, e *endpoint.Endpoint, admits bool) bool {
	many := admits && rests(e)
	switch {
	case e.Limits.Open > 0:
	case admits && e.Limits.OfModels():
		return true
	case !many || !e.Keeps():
		return h.mayUse(e)
	default:
		rows := h.guarded(e, usage.Look(faults.Clock(r), e.Pools()))
		if rows != nil {
			h.attempts.Rests = usage.ReadResting(rows, e.Pools())
		}
		return rows != nil
	}
	q := h.request(r, e)
	q.Lease, q.Rests = h.host.Random(), many && !e.Limits.OfModels()
	if !h.letThrough(e, q, q.Enter) {
		return false
	}
	h.account(r, e, q)
	return true
}

// rests reports whether upstreams of an endpoint may rest while others are asked, or other keys of theirs.
func rests(e *endpoint.Endpoint) bool {
	return e.Counts() && (len(e.Upstreams) > 1 || e.Pools())
}

// admit checks a request to a model against the endpoint's limits, and has the request counted when it is over. It returns false, and has
// answered, where a limit refuses the request.
func (h *handler) admit(r *http.Request, e *endpoint.Endpoint, body []byte) bool {
	if !e.Counts() {
		return true
	}
	q := h.accounted
	if q == nil {
		q = h.request(r, e)
	}
	q.Model, q.Rests = h.asked, e.Limits.OfModels() && rests(e)
	if streams, _ := passing.Streams(h.client, h.path, body); streams && e.Limits.Streams > 0 {
		q.Stream = true
		if q.Lease == "" {
			q.Lease = h.host.Random()
		}
	}
	if e.Limits.OfModels() && !h.letThrough(e, q, q.Admit) {
		return false
	}
	h.counted = true
	if h.accounted == nil {
		h.account(r, e, q)
	}
	return true
}

// request returns the request as the endpoint's object has it.
func (h *handler) request(r *http.Request, e *endpoint.Endpoint) *usage.Request {
	return &usage.Request{ID: h.id, Pools: e.Pools(), Key: endpoint.KeyID(e.Presented), Clock: faults.Clock(r), Limits: e.Limits, LogTime: e.LogTime}
}

// letThrough runs a batch of admission, and reports whether the request may go on. Where it may not, it has answered.
func (h *handler) letThrough(e *endpoint.Endpoint, q *usage.Request, admission func() *bridge.Statements) bool {
	if q.ID == "" { // a refused request is noted with its id, and no upstream will give it one
		q.ID = h.newID()
	}
	rows := h.guarded(e, admission())
	if rows == nil {
		return false
	}
	refusal := q.Admitted(rows)
	if refusal.Limit != "" {
		h.id = q.ID
		h.overLimit(refusal, &e.Limits)
		return false
	}
	h.overBudget = refusal.Over
	if q.Rests {
		h.attempts.Rests = refusal.Rests
	}
	return true
}

// account opens the request's account, which the host closes when the request is over. Until then the host renews the request's lease.
func (h *handler) account(r *http.Request, e *endpoint.Endpoint, q *usage.Request) {
	h.accounted = q
	every := 0
	if q.Lease != "" {
		every = faults.RenewEvery(r)
	}
	h.host.Account(e.Object(), q.Renew(), every, func() *bridge.Statements {
		s := h.closeAccount()
		personal.Alive(s, e)
		return s
	})
}

// guarded runs a batch by which a request is admitted, which fails where the client may not use the endpoint any more: see personal.Guard.
// It returns nil, and has answered, where the batch has failed.
func (h *handler) guarded(e *endpoint.Endpoint, s *bridge.Statements) *bridge.Rows {
	personal.Guard(s, e)
	rows, failed := h.host.Batch(e.Object(), s)
	if failed == nil {
		return rows
	}
	err := personal.Refused(failed)
	if err == nil {
		err = &ir.Error{Kind: ir.Internal, Message: "This endpoint's limits and keys can't be looked up. " + failed.Error()}
	}
	h.fail(err)
	return nil
}

// overLimit answers a request that a limit refuses. Until a day or a month ends it may be hours. openai-node ignores a retry-after of more
// than a minute and retries within seconds, so for these limits the SDKs are told not to retry at all.
func (h *handler) overLimit(refusal usage.Refusal, l *usage.Limits) {
	header := h.w.Header()
	header.Set("retry-after", strconv.FormatInt(refusal.Wait, 10))
	if refusal.Limit == "tokens_per_day" || strings.HasPrefix(refusal.Limit, "usd_") {
		header.Set("x-should-retry", "false")
	}
	h.fail(&ir.Error{Kind: ir.RateLimit, Message: refusal.Message(l)})
}

// closeAccount returns the statements that give back the places of the request once it is over and, if it was let through to a model,
// count it.
func (h *handler) closeAccount() *bridge.Statements {
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
		if h.status < 400 { // the head was fine, and the stream has failed behind it
			o.Status = h.client.Status(&ir.Error{Kind: failed})
		}
	}
	h.accounted.ID = h.id
	return h.accounted.Close(&o)
}

// charged returns the tokens that the request has taken so far, and what these cost. Tokens of the call for a summary of its conversation are not
// among them.
func (h *handler) charged() (t usage.Tokens, cost usage.Cost) {
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
	if h.cached == "hit" { // nobody bills it
		return t, 0
	}
	if !known {
		return t, usage.Unknown
	}
	billed := t
	if h.exchange != nil && h.tap == nil {
		billed.Searches -= h.exchange.Ran // the upstream has no part in these
	}
	return t, h.attempts.prices.Of(&billed)
}

// priced says in the head of an answer what it costs, in US dollars.
func (h *handler) priced() {
	if !h.counted {
		return
	}
	text := "unknown"
	if _, cost := h.charged(); cost != usage.Unknown {
		text = string(cost.Append(nil))
	}
	h.w.Header().Set(headerCost, text)
}

func tokensOf(u *ir.Usage) usage.Tokens {
	return usage.Tokens{Input: u.Prompt(), Output: max(u.Output, 0), Cached: max(u.CacheRead, 0), Written: max(u.CacheWrite, 0), Reasoning: max(u.Reasoning, 0)}
}

// estimate puts estimates in place of the tokens that an upstream has not counted, though it may bill them: of an answer that its
// client has left or that has broken off, and of one whose upstream does not say. u is what the upstream has counted, nil where
// nothing of its answer was read. It returns false for an answer that passes and that no Tap can read: its tokens are not known.
func (h *handler) estimate(t *usage.Tokens, u *ir.Usage) bool {
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
func (h *handler) inputTokens() int64 {
	x := h.exchange
	if h.passed != nil {
		var err *ir.Error
		if x, err = h.decode(h.passed, h.body); err != nil { // the upstream may read it all the same
			return int64(len(h.body) / 4)
		}
	}
	return x.InputTokens()
}

// counts reports whether a body may pass although the endpoint counts tokens. A Chat stream tells its usage only where the client asks
// for it with stream_options.include_usage: without that the request is translated, which asks, unless the upstream can't be asked.
func (h *handler) counts(r *http.Request, c *endpoint.Choice, body []byte) bool {
	if !h.counted {
		return true
	}
	_, counted := passing.Streams(h.client, h.path, body)
	return counted || c.Target(c.Model).OmitStreamUsage
}

// tapped is the stream of an answer that passes. tap reads its usage on the way; nil: nothing does.
type tapped struct {
	tap   *translator.Tap
	times *times
}

// Head is not called: a request that passes waits for the upstream's head.
func (t *tapped) Head(int, string) bool { return false }

// Push reads a chunk, and returns what passes as the output.
func (t *tapped) Push(chunk []byte) ([]byte, bool) {
	if t.tap == nil {
		t.times.ofFirst(chunk)
		return chunk, false
	}
	out, done := t.tap.Push(chunk)
	t.times.ofFirst(out)
	return out, done
}

// Complete returns false: the answer ends when the upstream ends it.
func (t *tapped) Complete() bool { return false }

// Close takes the end of the upstream's body.
func (t *tapped) Close(cause bridge.Cause) []byte {
	if t.tap == nil {
		return nil
	}
	out := t.tap.Close(upstream.Severed(cause))
	if t.tap.TooLarge() {
		println("edgelingua: an answer of more than 16 MB has passed, and its tokens are not counted")
	}
	return out
}
