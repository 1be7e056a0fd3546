package endpoint

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/worker/usage"
)

// LimitSet has the limits of an endpoint, or of one of its keys.
type LimitSet struct {
	Limits   usage.Limits // limits that are counted
	Allowed  []string     // patterns of the models allowed to clients; none: all models
	unpriced bool         // requests for models without a known price run although there is a budget
}

// Counts reports whether requests are counted: for usage, for a limit of the endpoint or of any key,
// for the request log, for alerts, or for the rotation of pool keys. If e is nil, Counts returns false.
func (e *Endpoint) Counts() bool {
	return e != nil && (e.Usage || e.LogTime > 0 || e.Alerts.Sealed != "" || e.Limits != usage.Limits{} ||
		e.Pools() || slices.ContainsFunc(e.Keys, func(k Key) bool { return k.Limits != usage.Limits{} }))
}

// Keeps reports whether requests need the endpoint's object: for limits, usage or stored responses.
// It is always false for the deployment's endpoint, whose keys are not in a record.
func (e *Endpoint) Keeps() bool { return e.Name != "" && (e.Counts() || e.State.Responses) }

// Single reports whether passing.Single has to check the endpoint's requests: limits or usage
// depend on the model and the stream in a request, so all servers must read the same values.
func (e *Endpoint) Single() bool { return e.Counts() || e.OneModel() }

// OneModel reports whether a request may name no model except in "model": the endpoint or the
// client's key limits its models, or its budget counts the price of this model.
func (e *Endpoint) OneModel() bool {
	return len(e.Allowed)+len(e.key().Allowed) > 0 || e.NeedsPrice() != ""
}

// KeyLimits returns the counted limits of the key that the client has presented.
func (e *Endpoint) KeyLimits() usage.Limits { return e.key().Limits }

// LimitsModels reports whether a limit of the endpoint or of the client's key counts only requests to
// models.
func (e *Endpoint) LimitsModels() bool { return e.Limits.OfModels() || e.key().Limits.OfModels() }

// Whose limit a request meets, as errors name it.
const (
	OfEndpoint = "endpoint"
	OfKey      = "key"
)

// Allows reports whether clients may use a model. Of NAME/MODEL, with NAME an upstream, only MODEL
// counts.
func (e *Endpoint) Allows(model string) bool { return e.Forbids(model) == "" }

// Forbids returns OfEndpoint or OfKey if the endpoint or the client's key does not allow a model, else
// "".
func (e *Endpoint) Forbids(model string) string {
	if name, rest, ok := strings.Cut(model, "/"); ok && e.upstream(name) != nil {
		model = rest
	}
	switch {
	case !allows(e.Allowed, model):
		return OfEndpoint
	case !allows(e.key().Allowed, model):
		return OfKey
	}
	return ""
}

// allows reports whether a pattern matches a model, or there are no patterns.
func allows(patterns []string, model string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool {
		return match(pattern, model)
	})
}

// NeedsPrice returns OfEndpoint or OfKey if a request is refused because the price of its model is
// unknown, else "": the endpoint or the client's key has a budget in US dollars, which such a request
// would not count for, and does not allow that.
func (e *Endpoint) NeedsPrice() string {
	switch {
	case e.needsPrice():
		return OfEndpoint
	case e.key().needsPrice():
		return OfKey
	}
	return ""
}

func (l *LimitSet) needsPrice() bool {
	return (l.Limits.Daily > 0 || l.Limits.Monthly > 0) && !l.unpriced
}

// The members of an endpoint's limits, and of a key's.
const (
	limitNames = "requests_per_minute, concurrent_streams, tokens_per_day, concurrent_requests, " +
		"usd_per_day, usd_per_month, over_budget, unpriced and models"
	keyLimitNames = "requests_per_minute, tokens_per_day, usd_per_day, usd_per_month, unpriced and models"
)

func (e *Endpoint) readLimits(path string, v gjson.Result) *Error {
	return e.read(path, v, limitNames)
}

// ReadKeyLimits checks the limits of a key.
func ReadKeyLimits(path string, v gjson.Result) *Error { return new(Key).readKeyLimits(path, v) }

func (k *Key) readKeyLimits(path string, v gjson.Result) *Error {
	if !v.IsObject() {
		return &Error{path, "must be an object."}
	}
	k.limits = v.Raw
	return k.read(path, v, keyLimitNames)
}

// read reads limits. names are the allowed members.
func (l *LimitSet) read(path string, v gjson.Result, names string) *Error {
	return eachMember(path, v, func(path, key string, v gjson.Result) *Error {
		if !strings.Contains(names, key) {
			return unknown(path, names)
		}
		switch key {
		case "requests_per_minute":
			return readLimit(&l.Limits.Requests, path, v)
		case "concurrent_streams":
			return readLimit(&l.Limits.Streams, path, v)
		case "tokens_per_day":
			return readLimit(&l.Limits.Tokens, path, v)
		case "concurrent_requests":
			return readLimit(&l.Limits.Open, path, v)
		case "usd_per_day":
			return readBudget(&l.Limits.Daily, path, v)
		case "usd_per_month":
			return readBudget(&l.Limits.Monthly, path, v)
		case "over_budget":
			return readWord(path, v, "refuse|next", func(word string) { l.Limits.Next = word == "next" })
		case "unpriced":
			return readWord(path, v, "refuse|allow", func(word string) { l.unpriced = word == "allow" })
		case "models":
			err := readList(path, v, maxPatterns, func(path string, v gjson.Result) *Error {
				if v.Type != gjson.String || v.Str == "" {
					return &Error{path, "must be a model's name, with * for any characters."}
				}
				l.Allowed = append(l.Allowed, v.Str)
				return nil
			})
			if err == nil && len(l.Allowed) == 0 {
				return &Error{path, "must be a list of one pattern at least."}
			}
			return err
		}
		return unknown(path, names)
	})
}

func readLimit(to *int64, path string, v gjson.Result) *Error {
	if err := readWhole(to, path, v); err != nil || *to == 0 {
		return &Error{path, "must be a whole number from 1 on."}
	}
	return nil
}

// RunsBackground reports whether the endpoint itself runs a client's background responses, where the
// host can.
func (e *Endpoint) RunsBackground(client *ir.API) bool {
	return e.State.Responses && client.Stored != nil && client.Stored.Background
}
