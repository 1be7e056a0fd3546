package serve

import (
	"net/http"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
	"edgelingua/worker/totals"
	"edgelingua/worker/usage"
)

// enter asks the endpoint's object, if the endpoint stores anything there, whether the client may
// still use the endpoint. The record that admitted the client is a copy in KV and may be a minute
// old. If the endpoint limits open requests, the same batch takes a slot for the request. Requests
// of every kind take a slot, before their body is read, and release it at their end. Only requests to
// read or end a stored response take none: the background responses to poll, to resume or to cancel may
// have all slots. Without a limit of open requests, enter asks nothing if admit's batch checks the
// access (LimitsModels). If cooldowns matter, enter's batch reads them, too. The error is the reason for
// a refusal.
func (h *record) enter(r *http.Request, e *endpoint.Endpoint, to route) error {
	many := to.admits && needsCooldowns(e)
	switch {
	case e.Limits.Open > 0 && to.operation != ir.StoredResponse && to.operation != ir.StoredCancel:
	case to.admits && e.LimitsModels():
		return nil
	case !many || !e.Keeps():
		return h.checkAccess(e)
	default:
		rows, err := h.guardedBatch(e, usage.Look(faults.Clock(r), e.Pools()))
		if err == nil {
			h.attempts.cooldowns = usage.ReadCooldowns(rows, e.Pools())
		}
		return err
	}
	q := h.usageRequest(r, e)
	q.Lease, q.Cooldowns = h.host.Random(), many && !e.LimitsModels()
	if err := h.checkLimits(e, q, q.Enter); err != nil {
		return err
	}
	h.openAccount(r, e, q)
	return nil
}

// needsCooldowns reports whether a cooldown can matter: the endpoint counts usage, and has several
// upstreams or a pool of keys.
func needsCooldowns(e *endpoint.Endpoint) bool {
	return e.Counts() && (len(e.Upstreams) > 1 || e.Pools())
}

// admit checks a request to a model, whose body is read, against the endpoint's limits for models,
// and has the request counted at its end. It does nothing if the endpoint counts no usage. The error
// is the limit's.
func (h *record) admit(r *http.Request, e *endpoint.Endpoint, body []byte) error {
	if !e.Counts() {
		return nil
	}
	q := h.account.request
	if q == nil {
		q = h.usageRequest(r, e)
	}
	q.Model, q.Cooldowns = shown(h.clientModel), e.LimitsModels() && needsCooldowns(e)
	if streams, _ := passing.Streams(h.client, h.path, body); streams && e.Limits.Streams > 0 {
		q.Stream = true
		if q.Lease == "" {
			q.Lease = h.host.Random()
		}
	}
	if e.LimitsModels() {
		if err := h.checkLimits(e, q, q.Admit); err != nil {
			return err
		}
	}
	h.account.counts = true
	if h.account.request == nil {
		h.openAccount(r, e, q)
	} else {
		h.insure(false)
	}
	return nil
}

// usageRequest returns the request in the form that the endpoint's object stores.
func (h *record) usageRequest(r *http.Request, e *endpoint.Endpoint) *usage.Request {
	return &usage.Request{ID: h.ids.request, Pools: e.Pools(), Key: e.Account(),
		Clock: faults.Clock(r), Limits: e.Limits, KeyLimits: e.KeyLimits(),
		LogTime: e.LogTime, LogRows: e.LogRows}
}

// checkLimits runs a batch of admission (usage.Request.Enter or Admit), and reads which limit refuses
// the request. The error is the limit's.
func (h *record) checkLimits(e *endpoint.Endpoint, q *usage.Request,
	admission func() *bridge.Statements) error {
	if q.ID == "" { // the object records a refused request by its id, and no upstream will provide one
		q.ID = h.newID()
	}
	rows, err := h.guardedBatch(e, admission())
	if err != nil {
		return err
	}
	refusal := q.Admitted(rows)
	if refusal.Limit != "" {
		h.ids.request = q.ID
		return h.overLimit(refusal, q)
	}
	h.account.overBudget = refusal.Over
	if q.Cooldowns {
		h.attempts.cooldowns = refusal.Cooldowns
	}
	return nil
}

// openAccount opens the request's account. The host closes it when the request has ended, and renews
// the request's lease until then.
func (h *record) openAccount(r *http.Request, e *endpoint.Endpoint, q *usage.Request) {
	h.account.request, h.account.endpoint, h.account.alerts = q, e, e.Alerter(h.host.Setting)
	every, renewal, merge := 0, new(bridge.Statements), new(bridge.Statements)
	if q.Lease != "" {
		every, renewal = faults.RenewEvery(r), q.Renew()
	}
	if _, refused := endpoint.AdminKey(h.host.Setting); refused == "" { // there is an operator's overview
		h.account.sends, merge = true, totals.Merge()
	}
	h.host.Account(e.Object(), renewal, every, totals.Object, merge, h.closeAccount)
	h.insure(false)
}

// guardedBatch runs a batch of the endpoint's object. It fails if the client may no longer use the
// endpoint: see tenant.Guard.
func (h *record) guardedBatch(e *endpoint.Endpoint, s *bridge.Statements) (*bridge.Rows, error) {
	tenant.Guard(s, e)
	rows, failed := h.host.Count(e.Object(), s)
	if failed == nil {
		return rows, nil
	}
	if err := tenant.NotAllowed(failed); err != nil {
		return nil, err
	}
	return nil, &ir.Error{Kind: ir.Internal,
		Message: "This endpoint's limits and keys can't be looked up. " + failed.Error()}
}

// overLimit returns the error of a request over a limit.
func (h *record) overLimit(refusal usage.Refusal, q *usage.Request) error {
	if refusal.Limit == "tokens_per_day" || strings.HasPrefix(refusal.Limit, "usd_") {
		return h.budgetSpent(refusal.Wait, refusal.Message(q))
	}
	return &ir.Error{Kind: ir.RateLimit, Wait: refusal.Wait, Message: refusal.Message(q)}
}

// budgetSpent returns the error of a limit per day or month, which may block for hours. openai-node
// ignores a retry-after of more than a minute and retries within seconds, so x-should-retry tells
// the SDKs not to retry at all.
func (h *record) budgetSpent(wait int64, message string) error {
	h.header.Set("x-should-retry", "false")
	return &ir.Error{Kind: ir.RateLimit, Wait: wait, Resets: h.host.Now().Unix() + wait, Message: message}
}

// checkAccess is guardedBatch without statements, if the endpoint has an object.
func (h *record) checkAccess(e *endpoint.Endpoint) error {
	if !e.Keeps() {
		return nil
	}
	_, err := h.guardedBatch(e, new(bridge.Statements))
	return err
}
