package interactions

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendResource appends the members of an Interaction that are known from the beginning. An
// interaction that is not stored has an empty id in a stream and none in a body (recorded in
// multi-turn-stateless-turn1).
func (w *answerWriter) appendResource(dst []byte, named bool) []byte {
	if named || w.id != "" {
		dst = append(jsonw.AppendTextMember(dst, `"id":`, w.id), ',')
	}
	dst = jsonw.AppendTextMember(dst, `"object":"interaction","model":`, w.model)
	if w.request.Previous != "" && !named {
		dst = append(append(dst, `,"previous_interaction_id":`...), w.request.Previous...)
	}
	return dst
}

// appendState appends the members of an Interaction that has ended with ev.
func (w *answerWriter) appendState(dst []byte, ev *ir.Event) []byte {
	status := w.status(ev)
	dst = jsonw.AppendTextMember(dst, `"status":`, status)
	if status == "failed" && w.plain {
		dst = append(dst, `,"errors":[`+blocked+`]`...)
	}
	dst = appendUsage(dst, ev)
	dst = append(appendTime(append(dst, `,"created":"`...), w.request.Received), '"')
	dst = append(appendTime(append(dst, `,"updated":"`...), w.request.Time()), '"')
	dst = ir.AppendOwn(dst, ev.Own)
	switch ev.Tier {
	case ir.FlexTier, ir.PriorityTier, ir.FastTier:
		return jsonw.AppendTextMember(dst, `,"service_tier":`, ir.Escaped(ev.Tier.Word()))
	}
	return append(dst, `,"service_tier":"standard"`...)
}

// blocked is the error of an answer that a filter stopped. In a stream the error is an event.
const blocked = `{"code":"content_blocked","message":"A filter stopped the answer."}`

// status returns the status of an answer that has ended with ev. The API has no status for an answer
// that a filter stopped; its errors have the code content_blocked. A refusal in words is an answer like
// any other.
func (w *answerWriter) status(ev *ir.Event) ir.Escaped {
	switch {
	case ev.Stop == ir.MaxTokens, ev.Stop == ir.ContextWindow:
		return "incomplete"
	case ev.Stop == ir.Refusal && (!w.refused || ev.Raw != ""):
		return "failed"
	case w.called:
		return "requires_action"
	}
	return "completed"
}

// appendUsage appends usage, unless the upstream has counted nothing (Usage of @google/genai). The
// tokens of the input include cached tokens, the tokens of the output exclude thoughts.
func appendUsage(dst []byte, ev *ir.Event) []byte {
	u := &ev.Usage
	if *u == ir.NoUsage {
		return dst
	}
	from := len(dst) + len(`,"usage":`)
	prompt, output := u.Prompt(), max(u.Output, 0)
	thoughts := min(max(u.Reasoning, 0), output)
	dst = jsonw.AppendIntMember(dst, `,"usage":{"total_tokens":`, prompt+output)
	dst = jsonw.AppendIntMember(dst, `,"total_input_tokens":`, prompt)
	dst = jsonw.AppendIntMember(dst, `,"total_cached_tokens":`, max(u.CacheRead, 0))
	dst = jsonw.AppendIntMember(dst, `,"total_output_tokens":`, output-thoughts)
	dst = jsonw.AppendIntMember(dst, `,"total_tool_use_tokens":0,"total_thought_tokens":`, thoughts)
	return ir.AppendMissing(append(dst, '}'), from, ev.OwnUsage)
}

// appendTime appends a time in seconds since 1970 in ISO 8601 (Howard Hinnant, "chrono-Compatible
// Low-Level Date Algorithms", civil_from_days).
func appendTime(dst []byte, seconds int64) []byte {
	days := max(seconds, 0) / 86400
	z := days + 719468
	era, day := z/146097, z%146097
	year := (day - day/1460 + day/36524 - day/146096) / 365
	day -= 365*year + year/4 - year/100
	month := (5*day + 2) / 153
	day -= (153*month+2)/5 - 1
	if year, month = year+era*400, month+3; month > 12 {
		year, month = year+1, month-12
	}
	rest := max(seconds, 0) % 86400
	dst = appendDigits(dst, year, 4)
	for _, part := range [...]struct {
		lead byte
		n    int64
	}{{'-', month}, {'-', day}, {'T', rest / 3600}, {':', rest / 60 % 60}, {':', rest % 60}} {
		dst = appendDigits(append(dst, part.lead), part.n, 2)
	}
	return append(dst, 'Z')
}

// appendDigits appends the last digits of n.
func appendDigits(dst []byte, n int64, digits int) []byte {
	for range digits {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; digits > 0; i, digits, n = i-1, digits-1, n/10 {
		dst[i] = byte('0' + n%10)
	}
	return dst
}
