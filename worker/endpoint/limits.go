package endpoint

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/worker/usage"
)

// Counts reports whether requests are counted: for usage, for a limit, for the log of requests, or
// for keys that take turns. It may be asked of nil, which counts nothing.
func (e *Endpoint) Counts() bool {
	return e != nil && (e.Usage || e.LogTime > 0 || e.Limits != usage.Limits{} || e.Pools())
}

// Keeps reports whether the endpoint's object is asked about requests: for its limits, its usage or
// its stored responses. It is not for the endpoint that the deployment's variables make, whose keys
// are none of a record's.
func (e *Endpoint) Keeps() bool { return e.Name != "" && (e.Counts() || e.State.Responses) }

// Single reports whether passing.Single has to read the endpoint's requests: its limits or its
// usage go by the model and the stream that a request asks for, so all servers must read the same
// ones.
func (e *Endpoint) Single() bool { return e.Counts() || e.OneModel() }

// OneModel reports whether a request may name no model but the one in "model", since the endpoint
// limits its models.
func (e *Endpoint) OneModel() bool { return len(e.Allowed) > 0 }

// Allows reports whether clients may ask for a model. Of NAME/MODEL, which asks for the upstream
// NAME, only MODEL counts.
func (e *Endpoint) Allows(model string) bool {
	if name, rest, ok := strings.Cut(model, "/"); ok && e.upstream(name) != nil {
		model = rest
	}
	return !e.OneModel() || slices.ContainsFunc(e.Allowed, func(pattern string) bool {
		return match(pattern,
			model)
	})
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
				"usd_per_month, over_budget and models")
	})
}

func readLimit(to *int64, path string, v gjson.Result) *Error {
	if err := readWhole(to, path, v); err != nil || *to == 0 {
		return &Error{path, "must be a whole number from 1 on."}
	}
	return nil
}
