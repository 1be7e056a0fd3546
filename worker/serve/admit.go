package serve

import (
	"net/http"
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
	"edgelingua/worker/usage"
)

// enter asks the object of an endpoint, where it keeps anything there, whether the client may still use the endpoint: the copy of the record
// in KV, which has let the client in, may be a minute old. A limit of open requests takes the request's place in the same batch: a request
// of any kind, before its body is read, until it is over. admits: admit will ask the object anyway. An error says why the request goes
// no further.
func (h *record) enter(r *http.Request, e *endpoint.Endpoint, admits bool) error {
	many := admits && rests(e)
	switch {
	case e.Limits.Open > 0:
	case admits && e.Limits.OfModels():
		return nil
	case !many || !e.Keeps():
		return h.mayUse(e)
	default:
		rows, err := h.guarded(e, usage.Look(faults.Clock(r), e.Pools()))
		if err == nil {
			h.attempts.Rests = usage.ReadResting(rows, e.Pools())
		}
		return err
	}
	q := h.request(r, e)
	q.Lease, q.Rests = h.host.Random(), many && !e.Limits.OfModels()
	if err := h.letThrough(e, q, q.Enter); err != nil {
		return err
	}
	h.account(r, e, q)
	return nil
}

// rests reports whether upstreams of an endpoint may rest while others are asked, or other keys of theirs.
func rests(e *endpoint.Endpoint) bool {
	return e.Counts() && (len(e.Upstreams) > 1 || e.Pools())
}

// admit checks a request to a model against the endpoint's limits, and has the request counted when it is over. The error is
// that of a limit.
func (h *record) admit(r *http.Request, e *endpoint.Endpoint, body []byte) error {
	if !e.Counts() {
		return nil
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
	if e.Limits.OfModels() {
		if err := h.letThrough(e, q, q.Admit); err != nil {
			return err
		}
	}
	h.counted = true
	if h.accounted == nil {
		h.account(r, e, q)
	}
	return nil
}

// request returns the request as the endpoint's object has it.
func (h *record) request(r *http.Request, e *endpoint.Endpoint) *usage.Request {
	return &usage.Request{ID: h.id, Pools: e.Pools(), Key: endpoint.KeyID(e.Presented), Clock: faults.Clock(r), Limits: e.Limits, LogTime: e.LogTime}
}

// letThrough runs a batch of admission. The error is that of a limit.
func (h *record) letThrough(e *endpoint.Endpoint, q *usage.Request, admission func() *bridge.Statements) error {
	if q.ID == "" { // a refused request is noted with its id, and no upstream will give it one
		q.ID = h.newID()
	}
	rows, err := h.guarded(e, admission())
	if err != nil {
		return err
	}
	refusal := q.Admitted(rows)
	if refusal.Limit != "" {
		h.id = q.ID
		return h.overLimit(refusal, &e.Limits)
	}
	h.overBudget = refusal.Over
	if q.Rests {
		h.attempts.Rests = refusal.Rests
	}
	return nil
}

// account opens the request's account, which the host closes when the request is over. Until then the host renews the request's lease.
func (h *record) account(r *http.Request, e *endpoint.Endpoint, q *usage.Request) {
	h.accounted = q
	every := 0
	if q.Lease != "" {
		every = faults.RenewEvery(r)
	}
	h.host.Account(e.Object(), q.Renew(), every, func() *bridge.Statements {
		s := h.closeAccount()
		tenant.Alive(s, e)
		return s
	})
}

// guarded runs a batch by which a request is admitted, which fails where the client may not use the endpoint any more: see tenant.Guard.
func (h *record) guarded(e *endpoint.Endpoint, s *bridge.Statements) (*bridge.Rows, error) {
	tenant.Guard(s, e)
	rows, failed := h.host.Batch(e.Object(), s)
	if failed == nil {
		return rows, nil
	}
	if err := tenant.NotAllowed(failed); err != nil {
		return nil, err
	}
	return nil, &ir.Error{Kind: ir.Internal, Message: "This endpoint's limits and keys can't be looked up. " + failed.Error()}
}

// overLimit returns the error for a request that a limit refuses, and sets its headers. Until a day or a month ends it may be hours. openai-node ignores a retry-after of more
// than a minute and retries within seconds, so for these limits the SDKs are told not to retry at all.
func (h *record) overLimit(refusal usage.Refusal, l *usage.Limits) error {
	h.header.Set("retry-after", strconv.FormatInt(refusal.Wait, 10))
	if refusal.Limit == "tokens_per_day" || strings.HasPrefix(refusal.Limit, "usd_") {
		h.header.Set("x-should-retry", "false")
	}
	return &ir.Error{Kind: ir.RateLimit, Message: refusal.Message(l)}
}

// mayUse asks the object of an endpoint, where it keeps anything there, whether the client may still use the endpoint.
func (h *record) mayUse(e *endpoint.Endpoint) error {
	if !e.Keeps() {
		return nil
	}
	_, err := h.guarded(e, new(bridge.Statements))
	return err
}
