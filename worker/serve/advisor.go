package serve

import (
	"errors"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/stages"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// Limits of consultations. Times are in milliseconds.
const (
	adviceTime = 600_000 // for a consultation
	allAdvice  = 900_000 // for all consultations of an answer together
	maxAdvised = 4 << 20 // bytes of the advisor's answer, with its reasoning
)

// advisor is the second model of a request, for an upstream without an advisor.
type advisor struct {
	choice *endpoint.Choice // nil: the request has none
	key    usage.UpstreamKey
	opened bool // the upstream's key is unsealed
	calls  []*advice
}

// advice is one call of the advisor.
type advice struct {
	exchange *translator.Exchange
	prices   usage.Prices
	attempt  usage.Attempt
	billable bool // the upstream received and did not refuse the request, so it may bill the request
}

// setAdvisor chooses the advisor's upstream, before any key is unsealed: the first one without a
// cooldown, or else the first one.
//
//go:noinline
func (p *plan) setAdvisor(e *endpoint.Endpoint) {
	choices := endpoint.Pooled(e.Advises(), p.attempts.cooldowns.Rotation, p.attempts.inCooldown)
	for i := range choices {
		c := &choices[i]
		cooldown := p.attempts.inCooldown(c.Upstream)
		if p.advisor.choice == nil || !cooldown {
			p.advisor.choice, p.advisor.key = &endpoint.Choice{Upstream: c.Copy(), Model: c.Model}, c.Health()
		}
		if !cooldown {
			return
		}
	}
}

// consultation is a call of the advisor for which an answer waits. begin returns its Call. run, or head
// and push, read the answer. end returns the result. One consultation serves all calls of an answer,
// one at a time, as web.Lookup does for searches.
type consultation struct {
	plan   *plan
	runs   bool    // the call has begun and not ended
	call   *advice // nil: no call was made
	url    string
	code   string // of a failure before the call
	began  int64  // in milliseconds since the Unix epoch
	spent  int64  // milliseconds of the answer's earlier consultations
	status int
	lines  string
	body   []byte
	failed error // the reason why there is no answer
}

// left returns the rest of the consultation's time.
func (c *consultation) left() int64 {
	return min(adviceTime, allAdvice-c.spent) - (c.plan.timing.now() - c.began)
}

// begin starts a consultation, and returns the Call. A Call without a URL is not made: the consultation
// has failed already.
//
//go:noinline
func (c *consultation) begin(x *translator.Exchange, s *stages.Search) (call bridge.Call) {
	*c = consultation{plan: c.plan, runs: true, began: c.plan.timing.now(), spent: c.spent}
	var err error
	if c.left() > 0 {
		err = c.plan.mayConsult()
	} else {
		err = &ir.Error{Kind: ir.Timeout, Message: "The advisor has taken 15 minutes of this answer."}
	}
	if err == nil {
		call, err = c.request(x, s)
	}
	if err != nil {
		c.code = c.logged(ir.AsError(err))
	}
	return call
}

// mayConsult returns the reason why the advisor may not be asked now: the limits of the endpoint and
// the key count the calls of this request so far, and the model needs a price if there is a budget.
func (p *plan) mayConsult() error {
	choice := p.advisor.choice
	if e := choice.Endpoint; p.account.counts {
		if e.NeedsPrice() != "" && choice.Prices(p.host.Prices) == nil {
			return &ir.Error{Kind: ir.Permission, Message: "The price of its model is unknown."}
		}
		q := *p.account.request
		q.Cooldowns = false
		t, cost := p.charges()
		tokens, spent := p.adviceTokens()
		rows, err := p.guardedBatch(e, q.Further(tokens+t.Input+t.Output, max(cost, 0)+max(spent, 0)))
		if err != nil {
			return err
		}
		if refusal := q.Admitted(rows); refusal.Limit != "" {
			return &ir.Error{Kind: ir.RateLimit, Message: refusal.Message(&q)}
		}
	}
	if p.advisor.opened {
		return nil
	}
	err := tenant.Unseal(p.host, choice.Upstream)
	p.advisor.opened = err == nil
	return err
}

// request returns the request to the advisor with the conversation of x. No header of the client goes
// to the advisor's upstream.
func (c *consultation) request(x *translator.Exchange, s *stages.Search) (call bridge.Call, err error) {
	p, choice := c.plan, c.plan.advisor.choice
	tokens := choice.Endpoint.Advisor.MaxTokens
	if s.MaxTokens > 0 {
		tokens = min(tokens, s.MaxTokens)
	}
	y := translator.ForWorker(x).Consult(choice.API, choice.Model, tokens)
	y.Secrets = choice.Secrets
	inner, room := translator.ForWorker(y), 64<<10
	if !choice.IsVertex() {
		inner.UsePieces()
	}
	bridge.Reserve(room)
	body, err := y.AppendRequest(make([]byte, 0, room), choice.Target(choice.Model))
	if err != nil {
		return call, err
	}
	call = upstream.Call(p.host, choice.Upstream, choice.Path(true),
		upstream.NeededHeaders(y.Headers(), choice.Upstream), body)
	call.Pieces = inner.Pieces(body)
	call.Silence = min(call.Silence, int(max(1, c.left())))
	p.tag(&call, choice.Upstream)
	c.url = call.URL
	c.call = &advice{exchange: y, prices: choice.Prices(p.host.Prices), billable: true,
		attempt: usage.Attempt{UpstreamKey: p.advisor.key, Began: p.attempts.now(p.host)}}
	p.advisor.calls = append(p.advisor.calls, c.call)
	if p.account.counts {
		p.insure(false)
	}
	return call, nil
}

// run makes begin's Call and reads the whole answer.
func (c *consultation) run(call bridge.Call) {
	if c.call == nil {
		return
	}
	head, failed := c.plan.host.Fetch(call)
	reason := ""
	if failed != nil {
		reason = failed.Error()
	}
	if c.head(head.Status, head.Lines, reason); failed == nil {
		c.body, c.failed = c.plan.host.Read(maxAdvised, int(max(1, c.left())))
	}
}

// head receives the head of the answer. status 0: there is no answer, for this reason.
func (c *consultation) head(status int, lines, reason string) {
	if c.call == nil {
		return
	}
	if c.status, c.lines = status, lines; status == 0 {
		c.failed = errors.New(passing.Redact(reason, c.plan.advisor.choice.Secrets()))
	}
	a := &c.call.attempt
	c.call.billable = upstream.Takes(status, c.failed)
	a.Status, a.Failed = status, upstream.Fails(status, c.failed)
	a.Wait, a.Took = upstream.RetryAfter(lines), max(c.plan.attempts.now(c.plan.host)-a.Began, 0)
	if c.failed != nil {
		a.Reason = upstream.Reason(c.failed.Error())
	}
}

// push receives a chunk of the answer. over: the rest is not needed.
func (c *consultation) push(chunk []byte) (over bool) {
	c.body = append(c.body, chunk...)
	switch {
	case len(c.body) > maxAdvised:
		c.failed = bridge.ErrTooLarge
	case c.left() < 0:
		c.failed = errors.New("timeout")
	}
	return c.failed != nil
}

// end ends the consultation. It passes the advice to x, or returns the code of the failure.
//
//go:noinline
func (c *consultation) end(x *translator.Exchange) (code string) {
	c.runs = false
	if c.call == nil {
		return c.code
	}
	c.spent += c.plan.timing.now() - c.began
	y, u := c.call.exchange, c.plan.advisor.choice.Upstream
	var given stages.Advice
	err := upstream.Unread(c.status, c.lines)
	switch {
	case err != nil:
	case c.status == 0:
		err = upstream.Unreached(c.failed.Error())
	default:
		err = (&upstreamRequest{y, u, c.url}).refusal(c.status, c.body, c.failed)
		if err == nil {
			given, err = translator.ForWorker(y).ReadAdvice(c.body, beginsLikeSSE(c.body))
		}
	}
	if err != nil {
		code = c.logged(ir.AsError(err))
		if a := &c.call.attempt; c.status < 300 && code != ir.AdviceTooLong {
			a.Failed = true
		}
	}
	c.body = nil
	if c.call.billable {
		translator.ForWorker(x).Advise(y, given)
	}
	return code
}

// logged logs a failure for the operator, and returns the code for the client. The words of an upstream
// may repeat the prompt, so only the code is logged once a call was made.
func (c *consultation) logged(err *ir.Error) (code string) {
	code = ir.SearchUnavailable
	switch err.Kind {
	case ir.RateLimit, ir.Quota:
		code = ir.SearchTooMany
	case ir.Overloaded:
		code = ir.AdviceOverloaded
	case ir.Timeout:
		code = ir.AdviceTooLate
	case ir.ContextOverflow, ir.TooLarge:
		code = ir.AdviceTooLong
	case ir.NotFound:
		code = ir.AdviceNoModel
	}
	reason := ""
	if c.call == nil {
		reason = ": " + err.Message
	}
	println("edgelingua: the advisor gave no advice (" + code + ")" + reason)
	return code
}

// charges returns the tokens and the cost of a call of the advisor c.
func (a *advice) charges(c *endpoint.Choice) usage.Call {
	call := usage.Call{Model: shown(c.Endpoint.Advisor.Model), Attempt: a.attempt, Billable: a.billable}
	if a.billable {
		call.Tokens, call.Cost = extraCharges(a.exchange, c.Model, a.prices)
	}
	return call
}

// adviceTokens returns the tokens of all calls of the advisor, and their cost.
//
//go:noinline
func (h *record) adviceTokens() (tokens int64, cost usage.Cost) {
	for _, a := range h.advisor.calls {
		c := a.charges(h.advisor.choice)
		tokens, cost = tokens+c.Input+c.Output, cost.Plus(c.Cost)
	}
	return tokens, cost
}
