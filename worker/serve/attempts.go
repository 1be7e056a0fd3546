package serve

import (
	"slices"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// attempts are what a counted request knows of the upstreams that it has asked.
type attempts struct {
	usage.Rests
	tried  []usage.Attempt // the upstreams that were asked, in order; what came of the last one may not be known yet
	prices usage.Prices    // of the model that the last of these was asked for
}

// begin notes that an upstream is asked next, before its key is unsealed.
func (a *attempts) begin(host bridge.Host, c *endpoint.Choice) {
	a.tried = append(a.tried, usage.Attempt{Resting: c.Health()})
	if a.prices = c.Endpoint.Prices(c.Model); a.prices == nil && len(c.Model) <= maxModel { // a client makes names up, which patterns are then held to
		a.prices = usage.ReadPrices(host.Prices(c.PricesURL(), c.Model))
	}
}

// again notes that the last upstream is asked once more for the same answer.
func (a *attempts) again() {
	if n := len(a.tried); n > 0 {
		a.tried = append(a.tried, usage.Attempt{Resting: a.tried[n-1].Resting})
	}
}

// unasked notes that the last upstream is not asked: the request can't be sent to it.
func (a *attempts) unasked() {
	if n := len(a.tried); n > 0 {
		a.tried = a.tried[:n-1]
	}
}

// end notes what came of the last upstream: the status and the head of its answer, or why it gave none.
func (a *attempts) end(status int, lines string, failed error) {
	if len(a.tried) == 0 {
		return
	}
	t := &a.tried[len(a.tried)-1]
	t.Status, t.Failed = status, upstream.Fails(status, failed)
	t.Wait = upstream.RetryAfter(lines)
}

// breakOff notes that the last upstream has failed after the head of its answer, if kind is one of an upstream's failures.
func (a *attempts) breakOff(kind ir.ErrorKind) {
	if n := len(a.tried); n > 0 && (kind == ir.Unavailable || kind == ir.Overloaded || kind == ir.Timeout || kind == ir.Internal) {
		a.tried[n-1].Failed = true
	}
}

// order returns choices, with one key each. Those whose upstreams rest are at the end: they are asked only where all others have failed.
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

// leave has the endpoint's next request try the upstreams that this one was to try and that are none of choices: else requests for other models, or
// bad ones, would keep an upstream from ever being tried.
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
		host.Batch(e.Object(), usage.Untried(left)) // where it fails, the next request tries them when this one's time is over
	}
}

func (a *attempts) rests(u *endpoint.Upstream) bool {
	return slices.Contains(a.Resting, u.Health())
}
