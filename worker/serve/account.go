package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// closeAccount returns the statements for the end of a request. They release the request's slots
// and count an admitted request to a model.
func (h *record) closeAccount() *bridge.Statements {
	if !h.account.counts || h.account.refused {
		return h.ending(nil)
	}
	_, failed := h.upstreamUsage()
	if !h.result.unstored {
		h.attempts.fail(failed)
	}
	o := h.outcome(h.charges())
	h.account.cost = o.Spent()
	o.First, o.Total = h.timing.durations(h.result.pumped)
	failed = max(failed, h.result.failure)
	if failed != 0 && h.result.status != upstream.StatusGone {
		o.Status, o.Type, o.Words = h.result.status, failed.String(), usage.Words(h.result.message)
		if h.result.status < 400 { // the head was fine, but the stream failed later
			o.Status = h.client.Status(&ir.Error{Kind: failed})
		}
	}
	s := h.ending(&o)
	if h.account.alerts != nil {
		h.alert(s, &o, failed)
	}
	if h.account.sends { // the last statement: the host reads its value
		usage.SendDue(s, h.account.endpoint.Name)
	}
	return s
}

// alert adds the statements that raise the alerts of a request.
//
//go:noinline
func (h *record) alert(s *bridge.Statements, o *usage.Outcome, kind ir.ErrorKind) {
	failed := o.Status != 0
	switch kind {
	case ir.InvalidRequest, ir.NotFound, ir.MethodNotAllowed, ir.TooLarge, ir.ContextOverflow:
		failed = false // the client's fault
	case ir.Authentication, ir.Permission:
		failed = failed && !h.account.endpoint.Forward // a stranger may send any key
	}
	key := h.account.endpoint.AlertKey()
	h.account.alerts.Close(s, h.account.request, o, &key, failed)
}

// insure gives the host the statements for the end of a request whose instance dies. They count a
// failed request with its usage so far. billable: an upstream is about to receive a call, so they
// charge an estimate of the call's input too.
//
//go:noinline
func (h *record) insure(billable bool) {
	if !h.account.counts {
		h.host.Insure(h.ending(nil))
		return
	}
	t, _ := h.counted()
	switch x := h.last.exchange; {
	case !billable:
	case x != nil:
		t.Input += h.last.inner().RoughInput()
	default:
		t.Input = int64(len(h.passthrough.body) / 4)
	}
	o := h.outcome(t, h.priceOf(t).Plus(h.searchCost()))
	o.Status, o.Type = http.StatusInternalServerError, ir.Internal.String()
	s := h.ending(&o)
	if h.account.sends {
		usage.SendDue(s, h.account.endpoint.Name)
	}
	h.host.Insure(s)
}

// outcome returns the outcome of a request that succeeds, with its tokens and their cost, without
// its durations.
func (h *record) outcome(t usage.Tokens, cost usage.Cost) usage.Outcome {
	o := usage.Outcome{Tokens: t, Cost: cost, Used: shown(h.last.model), Attempts: h.attempts.list,
		Avoided: h.attempts.avoided}
	if s := h.extraSummary(); s != nil {
		t, sum := h.summaryCharges(s)
		o.Summary, o.Sum, o.Summarizer = &t, sum, h.compaction.choice.Name
	}
	for _, a := range h.advisor.calls {
		o.Advice = append(o.Advice, a.charges(h.advisor.choice))
	}
	if h.last.upstream != nil {
		o.Upstream = h.last.upstream.Name
	}
	switch {
	case h.passthrough.tap != nil:
		o.Finish = translator.FinishOf(h.passthrough.tap)
	case h.last.exchange != nil:
		o.Finish = h.last.inner().Finish()
	}
	if lost := h.lost(); lost != "" {
		o.Lost = strings.Split(lost, ",")
	}
	return o
}

// summaryCharges returns the tokens of the separate call for a summary, and their cost.
func (h *record) summaryCharges(s *translator.Exchange) (usage.Tokens, usage.Cost) {
	return extraCharges(s, h.compaction.choice.Model, h.compaction.prices)
}

// extraCharges returns the tokens of a separate call to model, and their cost.
func extraCharges(x *translator.Exchange, model string, prices usage.Prices) (usage.Tokens, usage.Cost) {
	t := tokensOf(&x.Usage)
	if max(x.Usage.Input, x.Usage.CacheRead, x.Usage.CacheWrite) < 0 {
		t.Input = x.InputTokens()
	}
	t.Output = x.OutputTokens(model)
	return t, prices.Of(&t)
}

// ending returns the statements that end a request with an outcome. nil: they only release the
// request's slots.
func (h *record) ending(o *usage.Outcome) (s *bridge.Statements) {
	q := h.account.request
	switch {
	case h.account.refused:
		q.ID = h.ids.request
		s = q.Refuse("over_budget")
	case o == nil:
		s = q.Leave()
	default:
		q.ID = h.ids.request
		s = q.Close(o)
	}
	tenant.Alive(s, h.account.endpoint)
	return s
}

// charges returns the tokens used so far, and their cost together with the searches that this server
// ran. Tokens of the upstream request for a summary of the conversation are not included.
func (h *record) charges() (t usage.Tokens, cost usage.Cost) {
	t, cost = h.upstreamCharges()
	return t, cost.Plus(h.searchCost())
}

// searchCost returns the cost of the searches that this server ran.
func (h *record) searchCost() usage.Cost {
	x := h.last.exchange
	if x == nil || x.Ran == 0 {
		return 0
	}
	return usage.Dollars(float64(x.Ran) * h.last.upstream.Endpoint.WebSearch.Price / 1000)
}

// upstreamCharges returns the tokens used so far and what the upstream charges.
func (h *record) upstreamCharges() (usage.Tokens, usage.Cost) {
	t, u := h.counted()
	known := h.estimate(&t, u)
	if h.last.cache == "hit" { // a cache hit is free
		return t, 0
	}
	if !known {
		return t, usage.Unknown
	}
	return t, h.priceOf(t)
}

// counted returns the tokens that the upstream has counted so far. u is the upstream's count, nil
// if no part of its answer was read.
func (h *record) counted() (t usage.Tokens, u *ir.Usage) {
	if u, _ = h.upstreamUsage(); u != nil {
		t = tokensOf(u)
	}
	switch {
	case h.passthrough.tap != nil:
		t.Searches = h.passthrough.tap.Searches()
	case h.last.exchange != nil:
		t.Searches, t.Longest = h.last.exchange.Searches, h.last.inner().LongestPrompt()
	}
	return t, u
}

// priceOf returns the cost of tokens at the last upstream.
func (h *record) priceOf(t usage.Tokens) usage.Cost {
	if h.last.exchange != nil && h.passthrough.tap == nil {
		t.Searches -= h.last.exchange.Ran // this server ran these searches, not the upstream
	}
	t.Rate = h.rate()
	return h.attempts.prices.Of(&t)
}

// rate returns the price of a token at the last upstream, for usage.Tokens.Rate. Fast mode costs
// twice as much at Anthropic and OpenAI, and 2.5 times for GPT-5.5 (platform.claude.com/docs, "Fast
// mode"; openai.com/api-fast-mode); Google's priority costs up to twice.
func (h *record) rate() float64 {
	tap, x := h.passthrough.tap, h.last.exchange
	switch {
	case !(tap != nil && tap.Fast() || tap == nil && x != nil && x.Fast):
		return 0
	case strings.Contains(h.last.model, "gpt-5.5"):
		return 2.5
	}
	return 2
}

// reportCost writes the cost so far, in US dollars, into the head of the answer, with the cost of a
// summary and of advice.
func (h *record) reportCost() {
	if !h.account.counts {
		return
	}
	text := "unknown"
	_, cost := h.charges()
	_, advice := h.adviceTokens()
	cost = cost.Plus(advice)
	if s := h.extraSummary(); s != nil {
		_, sum := h.summaryCharges(s)
		cost = cost.Plus(sum)
	}
	if cost != usage.Unknown {
		text = string(cost.Append(nil))
	}
	h.header.Set(headerCost, text)
}

// tokensOf converts an upstream's count. Input of an ir.Usage excludes the tokens of the prompt cache;
// Input of usage.Tokens includes them.
func tokensOf(u *ir.Usage) usage.Tokens {
	return usage.Tokens{Input: u.Prompt(), Output: max(u.Output, 0), Cached: max(u.CacheRead, 0),
		Written: max(u.CacheWrite, 0), Reasoning: max(u.Reasoning, 0)}
}

// estimate fills in tokens that the upstream did not count but may bill: the client left, the answer
// broke off, or the upstream sends no counts. u is the upstream's count; nil: no part of its answer
// was read. known is false if the upstream may bill tokens that can't even be estimated: those of a
// passthrough answer that no Tap can read. If the upstream bills nothing, t is known as it is.
func (h *record) estimate(t *usage.Tokens, u *ir.Usage) (known bool) {
	tap := h.passthrough.tap
	unreadable := h.result.failure == 0 && u == nil || tap != nil && tap.TooLarge()
	if !h.last.billable {
		return true
	}
	if unreadable {
		return false
	}
	if u == nil || max(u.Input, u.CacheRead, u.CacheWrite) < 0 {
		t.Input = h.inputTokens()
	} else if h.last.exchange != nil {
		t.Input += h.last.inner().Uncounted()
	}
	switch {
	case tap != nil:
		t.Output = tap.OutputTokens(h.last.model)
	case h.last.exchange != nil:
		t.Output = h.last.exchange.OutputTokens(h.last.model)
	}
	return true
}

// inputTokens estimates the tokens of the client's request.
func (h *record) inputTokens() int64 {
	x := h.last.exchange
	if h.embedding != nil {
		return h.embedding.inputTokens(h.client, h.path, h.passthrough.body)
	}
	if p := &h.passthrough; p.choice != nil {
		var err error
		if x, err = h.decode(p.choice, p.body); err != nil { // the upstream may be able to read it anyway
			return int64(len(p.body) / 4)
		}
	}
	return x.InputTokens()
}
