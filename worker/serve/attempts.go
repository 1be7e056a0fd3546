package serve

import (
	"slices"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// attempts records the upstreams that a counted request has tried.
type attempts struct {
	usage.Rests
	tried  []usage.Attempt // in order; the result of the last one may not be known yet
	prices usage.Prices    // of the model at the last upstream tried
}

// begin records the next upstream, before its key is unsealed.
func (a *attempts) begin(host bridge.Host, c *endpoint.Choice) {
	a.tried = append(a.tried, usage.Attempt{Resting: c.Health()})
	// Clients make model names up, and patterns are matched against each name, hence the limit.
	if a.prices = c.Endpoint.Prices(c.Model); a.prices == nil && len(c.Model) <= maxModel {
		a.prices = usage.ReadPrices(host.Prices(c.PricesURL(), c.Model))
	}
}

// again records one more request to the last upstream for the same answer.
func (a *attempts) again() {
	if n := len(a.tried); n > 0 {
		a.tried = append(a.tried, usage.Attempt{Resting: a.tried[n-1].Resting})
	}
}

// unasked removes the last upstream: the request can't be sent to it.
func (a *attempts) unasked() {
	if n := len(a.tried); n > 0 {
		a.tried = a.tried[:n-1]
	}
}

// end records the result of the last upstream: the status and head of its answer, or its failure.
func (a *attempts) end(status int, lines string, failed error) {
	if len(a.tried) == 0 {
		return
	}
	t := &a.tried[len(a.tried)-1]
	t.Status, t.Failed = status, upstream.Fails(status, failed)
	t.Wait = upstream.RetryAfter(lines)
}

// breakOff records a failure of the last upstream after its head, if kind is a failure of an
// upstream.
func (a *attempts) breakOff(kind ir.ErrorKind) {
	if n := len(a.tried); n > 0 && (kind == ir.Unavailable || kind == ir.Overloaded || kind == ir.Timeout ||
		kind == ir.Internal) {
		a.tried[n-1].Failed = true
	}
}

// order returns choices with one key each. Upstreams in a cooldown come last: they are tried only
// if all others fail.
func (a *attempts) order(choices []endpoint.Choice) []endpoint.Choice {
	choices = endpoint.Pooled(choices, a.Turn, a.rests)
	if len(a.Resting) == 0 || len(choices) < 2 {
		return choices
	}
	ordered := make([]endpoint.Choice, 0, len(choices))
	for _, resting := range [...]bool{false, true} {
		for i := range choices {
			if a.rests(choices[i].Upstream) == resting {
				ordered = append(ordered, choices[i])
			}
		}
	}
	return ordered
}

// leave returns the probes of upstreams outside of choices, so that the endpoint's next request
// makes them. Otherwise bad requests, or requests for other models, could prevent the probe of an
// upstream for ever.
func (a *attempts) leave(host bridge.Host, e *endpoint.Endpoint, choices []endpoint.Choice) {
	var left, kept []usage.Trial
	for _, t := range a.Trials {
		if slices.ContainsFunc(choices, func(c endpoint.Choice) bool { return c.Name == t.Upstream }) {
			kept = append(kept, t)
		} else {
			left = append(left, t)
		}
	}
	if a.Trials = kept; len(left) > 0 {
		// If the batch fails, the next request probes after this request's time is over.
		host.Batch(e.Object(), usage.Untried(left))
	}
}

func (a *attempts) rests(u *endpoint.Upstream) bool {
	return slices.Contains(a.Resting, u.Health())
}
