package endpoint

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/worker/usage"
)

// Counts reports whether requests are counted: for usage, for a limit, for the request log, or for
// the rotation of pool keys. If e is nil, Counts returns false.
func (e *Endpoint) Counts() bool {
	return e != nil && (e.Usage || e.LogTime > 0 || e.Limits != usage.Limits{} || e.Pools())
}

// Keeps reports whether requests need the endpoint's object: for limits, usage or stored responses.
// It is always false for the deployment's endpoint, whose keys are not in a record.
func (e *Endpoint) Keeps() bool { return e.Name != "" && (e.Counts() || e.State.Responses) }

// Single reports whether passing.Single has to check the endpoint's requests: limits or usage
// depend on the model and the stream in a request, so all servers must read the same values.
func (e *Endpoint) Single() bool { return e.Counts() || e.OneModel() }

// OneModel reports whether a request may name no model except in "model": the endpoint limits its
// models, or its budget counts the price of this model.
func (e *Endpoint) OneModel() bool { return len(e.Allowed) > 0 || e.NeedsPrice() }

// Allows reports whether clients may use a model. Of NAME/MODEL, with NAME an upstream, only MODEL
// counts.
func (e *Endpoint) Allows(model string) bool {
	if name, rest, ok := strings.Cut(model, "/"); ok && e.upstream(name) != nil {
		model = rest
	}
	return len(e.Allowed) == 0 || slices.ContainsFunc(e.Allowed, func(pattern string) bool {
		return match(pattern,
			model)
	})
}

// NeedsPrice reports whether a request is refused if the price of its model is unknown: the endpoint
// has a budget in US dollars, which such a request would not count for, and does not allow that.
func (e *Endpoint) NeedsPrice() bool {
	return (e.Limits.Daily > 0 || e.Limits.Monthly > 0) && !e.unpriced
}

func (e *Endpoint) readLimits(path string, v gjson.Result) *Error {
	return eachMember(path, v, func(path, key string, v gjson.Result) *Error {
		switch key {
		case "requests_per_minute":
			return readLimit(&e.Limits.Requests, path, v)
		case "concurrent_streams":
			return readLimit(&e.Limits.Streams, path, v)
		case "tokens_per_day":
			return readLimit(&e.Limits.Tokens, path, v)
		case "concurrent_requests":
			return readLimit(&e.Limits.Open, path, v)
		case "usd_per_day":
			return readBudget(&e.Limits.Daily, path, v)
		case "usd_per_month":
			return readBudget(&e.Limits.Monthly, path, v)
		case "over_budget":
			return readWord(path, v, "refuse|next", func(word string) { e.Limits.Next = word == "next" })
		case "unpriced":
			return readWord(path, v, "refuse|allow", func(word string) { e.unpriced = word == "allow" })
		case "models":
			err := readList(path, v, maxPatterns, func(path string, v gjson.Result) *Error {
				if v.Type != gjson.String || v.Str == "" {
					return &Error{path, "must be a model's name, with * for any characters."}
				}
				e.Allowed = append(e.Allowed, v.Str)
				return nil
			})
			if err == nil && len(e.Allowed) == 0 {
				return &Error{path, "must be a list of one pattern at least."}
			}
			return err
		}
		return unknown(path,
			"requests_per_minute, concurrent_streams, tokens_per_day, concurrent_requests, usd_per_day, "+
				"usd_per_month, over_budget, unpriced and models")
	})
}

func readLimit(to *int64, path string, v gjson.Result) *Error {
	if err := readWhole(to, path, v); err != nil || *to == 0 {
		return &Error{path, "must be a whole number from 1 on."}
	}
	return nil
}
