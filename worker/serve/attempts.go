package serve

import (
	"slices"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
	"edgelingua/worker/usage"
)

// attempts has the upstreams of a counted request in the order of the attempts.
type attempts struct {
	cooldowns usage.Cooldowns // when the request came
	list      []usage.Attempt // the last one's result may be unknown
	prices    usage.Prices    // of the model at the last upstream tried
	avoided   []usage.Avoided // upstreams tried last, or not at all
	logged    bool            // the request log has the attempts, so their times are needed
}

// begin adds the next upstream, before its key is unsealed.
func (a *attempts) begin(host bridge.Host, c *endpoint.Choice) {
	a.list = append(a.list, usage.Attempt{UpstreamKey: c.Health(), Began: a.now(host)})
	a.prices = c.Prices(host.Prices)
}

// now returns the host's time in milliseconds since the Unix epoch, or 0 without a log.
func (a *attempts) now(host bridge.Host) int64 {
	if !a.logged {
		return 0
	}
	return host.Now().UnixMilli()
}

// repeat adds another request to the last upstream, for the same answer.
func (a *attempts) repeat(host bridge.Host) {
	if n := len(a.list); n > 0 {
		a.list = append(a.list, usage.Attempt{UpstreamKey: a.list[n-1].UpstreamKey, Began: a.now(host)})
	}
}

// noteUnknown sets whether the tables lack the model at the last upstream.
func (a *attempts) noteUnknown(unknown bool) {
	if n := len(a.list); n > 0 {
		a.list[n-1].Unknown = unknown
	}
}

// removeLast removes the last upstream: no request can be sent.
func (a *attempts) removeLast() {
	if n := len(a.list); n > 0 {
		a.list = a.list[:n-1]
	}
}

// end sets the result of the last upstream: the status and head of the answer, or the failure.
func (a *attempts) end(host bridge.Host, status int, lines string, failed error) {
	if len(a.list) == 0 {
		return
	}
	t := &a.list[len(a.list)-1]
	t.Status, t.Failed = status, upstream.Fails(status, failed)
	t.Wait = upstream.RetryAfter(lines)
	t.Took = max(a.now(host)-t.Began, 0)
	if failed != nil {
		t.Reason = upstream.Reason(failed.Error())
	}
}

// fail marks the last upstream as failed after its head, if kind is a failure of an upstream.
func (a *attempts) fail(kind ir.ErrorKind) {
	if n := len(a.list); n > 0 && (kind == ir.Unavailable || kind == ir.Overloaded || kind == ir.Timeout ||
		kind == ir.Internal) {
		a.list[n-1].Failed, a.list[n-1].Reason = true, kind.String()
	}
}

// order returns choices with one key each. Upstreams in a cooldown come last, for the case that all
// others fail.
func (a *attempts) order(choices []endpoint.Choice) []endpoint.Choice {
	choices = endpoint.Pooled(choices, a.cooldowns.Rotation, a.inCooldown)
	if len(a.cooldowns.Active) == 0 || len(choices) < 2 {
		return choices
	}
	a.avoid(choices, "cooldown")
	ordered := make([]endpoint.Choice, 0, len(choices))
	for _, resting := range [...]bool{false, true} {
		for i := range choices {
			if a.inCooldown(choices[i].Upstream) == resting {
				ordered = append(ordered, choices[i])
			}
		}
	}
	return ordered
}

// avoid notes for the request log which of choices are in a cooldown. Another reason holds for all of
// choices.
//
//go:noinline
func (a *attempts) avoid(choices []endpoint.Choice, reason string) {
	for i := range choices {
		if u := choices[i].Upstream; reason != "cooldown" || a.inCooldown(u) {
			a.avoided = append(a.avoided, usage.Avoided{Upstream: u.Name, Reason: reason})
		}
	}
}

// returnProbes leaves the probes of upstreams outside of choices to the endpoint's next request.
// Otherwise bad requests, or requests for other models, could prevent the probe of an upstream
// forever.
func (a *attempts) returnProbes(host bridge.Host, e *endpoint.Endpoint, choices []endpoint.Choice) {
	var returned, probes []usage.Probe
	for _, t := range a.cooldowns.Probes {
		if slices.ContainsFunc(choices, func(c endpoint.Choice) bool { return c.Name == t.Upstream }) {
			probes = append(probes, t)
		} else {
			returned = append(returned, t)
		}
	}
	if a.cooldowns.Probes = probes; len(returned) > 0 {
		// If the batch fails, the next request probes after the time of this request's probe.
		host.Batch(e.Object(), usage.ReturnProbes(returned))
	}
}

func (a *attempts) inCooldown(u *endpoint.Upstream) bool {
	return slices.Contains(a.cooldowns.Active, u.Health())
}
