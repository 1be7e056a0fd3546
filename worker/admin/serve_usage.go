package admin

import (
	"net/http"
	"strconv"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/usage"
)

// usage answers with the usage of an endpoint. own is the id of the owner's key, or "" for the
// operator.
func (m *managed) usage(e *endpoint.Endpoint, own string) (status int, out []byte, err *Error) {
	span, err := m.span()
	if err != nil {
		return 0, nil, err
	}
	if !e.Counts() {
		return http.StatusOK, usage.Append(nil, nil, false, &e.Limits), nil
	}
	statements, keys := usage.Read(faults.Clock(m.r), span, own, e.LogTime), limitedKeys(e, own)
	usage.ReadKeys(statements, keys)
	rows, failed := m.host.Batch(e.Object(), statements)
	if failed != nil {
		return 0, nil, broken(failed)
	}
	out = usage.Append(nil, rows, span.Hours, &e.Limits)
	if len(keys) > 0 {
		out = append(out[:len(out)-len("}\n")], `,"key_limits":{`...)
		out = append(usage.AppendKeys(out, rows, keys), "}}\n"...)
	}
	return http.StatusOK, out, nil
}

// limitedKeys returns the counted limits of an endpoint's keys: of the owner's key, whose account is
// own, or of all keys for the operator, for whom own is "". Keys that another key has replaced are
// left out: the other key has the same use.
func limitedKeys(e *endpoint.Endpoint, own string) (keys []usage.KeyLimits) {
	for i := range e.Keys {
		k := &e.Keys[i]
		if k.Limits != (usage.Limits{}) && k.CountedAs == "" && (own == "" || own == k.Account()) {
			keys = append(keys, usage.KeyLimits{Key: k.Account(), Limits: k.Limits})
		}
	}
	return keys
}

// span returns the range of days that the query names.
func (m *managed) span() (span usage.Span, err *Error) {
	q := m.r.URL.Query()
	span = usage.Span{Days: usage.DefaultDays, From: q.Get("from"), To: q.Get("to")}
	if text := q.Get("days"); text != "" {
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 1 || n > usage.MaxDays {
			return span, &Error{Status: http.StatusBadRequest, Message: "days must be a number from 1 to 90.",
				Path: "days"}
		}
		span.Days = n
	}
	switch q.Get("by") {
	case "", "day":
	case "hour":
		span.Hours = true
	default:
		return span, &Error{Status: http.StatusBadRequest, Message: "by must be day or hour.", Path: "by"}
	}
	if span.From == "" && span.To == "" {
		return span, nil
	}
	for _, day := range [...]struct{ name, text string }{{"from", span.From}, {"to", span.To}} {
		if !usage.IsDay(day.text) {
			return span, &Error{Status: http.StatusBadRequest, Path: day.name,
				Message: "from and to must be days in UTC, written as 2026-11-26."}
		}
	}
	return span, nil
}
