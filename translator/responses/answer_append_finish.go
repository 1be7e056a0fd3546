package responses

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// responseState is the state of a response, as its members behind the output tell it.
type responseState struct {
	status string    // in_progress, completed, incomplete or failed
	reason string    // why it is incomplete, "" for none
	action []byte    // required_action: the calls whose outputs the client has to submit, an object; nil for none
	err    *ir.Error // why it has failed
	usage  ir.Usage
}

// cutBy returns why an answer is incomplete that has come to its end, "" for one that is not. A refusal in words is an answer like
// any other; one without words is a filter's, and so is one with the details that Messages gives.
func (w *itemWriter) cutBy(ev *ir.Event) string {
	switch {
	case ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow:
		return "max_output_tokens"
	case ev.Stop == ir.Refusal && (!w.refused || ev.Raw != ""):
		return "content_filter"
	}
	return ""
}

// endingOf returns how the last item of an answer ends. Behind a pause the model goes on.
func (w *itemWriter) endingOf(ev *ir.Event) ending {
	switch {
	case w.cutBy(ev) != "":
		return cut
	case ev.Stop == ir.PauseTurn:
		return onward
	}
	return last
}

// finished returns the state of an answer that has come to its end.
func (w *itemWriter) finished(ev *ir.Event) responseState {
	w.tier = ev.Tier
	if reason := w.cutBy(ev); reason != "" {
		return responseState{status: "incomplete", reason: reason, usage: ev.Usage}
	}
	if k := w.request.Keep; k != nil && k.Action {
		if calls := FunctionCalls(string(jsonw.View(w.out[w.first:w.whole]))); calls != nil {
			return responseState{status: "incomplete", action: appendAction(nil, calls), usage: ev.Usage}
		}
	}
	return responseState{status: "completed", usage: ev.Usage}
}

// appendTail appends what follows the elements of the output. All members that the type Response of openai's SDK demands are
// there (FAULTS 29).
func (w *itemWriter) appendTail(dst []byte, s *responseState) []byte {
	dst = raw(dst, `],"status":"`)
	dst = raw(dst, s.status)
	dst = raw(dst, `","error":`)
	if s.err == nil {
		dst = raw(dst, "null")
	} else {
		dst = raw(dst, `{"code":"`)
		dst = raw(dst, failureCode(s.err))
		dst = raw(dst, `","message":`)
		dst = jsonw.AppendString(dst, openai.Message(s.err))
		dst = append(dst, '}')
	}
	if s.reason == "" {
		dst = raw(dst, `,"incomplete_details":null`)
	} else {
		dst = jsonw.AppendTextMember(dst, `,"incomplete_details":{"reason":`, ir.Escaped(s.reason))
		dst = append(dst, '}')
	}
	dst = appendUsage(raw(dst, `,"usage":`), s.usage)
	if w.tier != ir.NoTier {
		dst = jsonw.AppendTextMember(dst, `,"service_tier":`, ir.Escaped(w.tier.Word()))
	}
	if s.action != nil {
		dst = append(raw(dst, `,"required_action":`), s.action...)
	}
	dst = raw(dst, `,"access_programs":null,"background":false,"previous_response_id":`)
	if w.request.Previous == "" {
		dst = raw(dst, "null")
	} else {
		dst = raw(dst, string(w.request.Previous))
	}
	dst = raw(dst, `,"store":`)
	k := w.request.Keep
	dst = strconv.AppendBool(dst, k != nil && !k.Brief)
	for i := range echoed {
		value := echoed[i].unset
		for _, m := range w.request.Echo {
			if m.Key == echoed[i].key {
				value = string(m.Value)
			}
		}
		if value != "" {
			dst = raw(dst, `,"`)
			dst = raw(dst, echoed[i].key)
			dst = raw(dst, `":`)
			if k != nil && k.Notes != nil && echoed[i].key == "metadata" && s.status != "in_progress" {
				dst = appendNoted(dst, value, k.Notes)
			} else {
				dst = raw(dst, value)
			}
		}
	}
	return append(dst, '}')
}

// echoed are the members of a request that the response repeats. unset is the member's JSON where the request has none; "": the
// response leaves the member out. For temperature and top_p that is null: the upstream chooses them then, and does not say how.
var echoed = [...]struct{ key, unset string }{
	{"instructions", "null"},
	{"max_output_tokens", "null"},
	{"max_tool_calls", "null"},
	{"metadata", "{}"},
	{"parallel_tool_calls", "true"},
	{"prompt_cache_key", ""},
	{"reasoning", `{"effort":null,"summary":null}`},
	{"safety_identifier", ""},
	{"temperature", "null"},
	{"text", `{"format":{"type":"text"}}`},
	{"tool_choice", `"auto"`},
	{"tools", "[]"},
	{"top_logprobs", ""},
	{"top_p", "null"},
	{"truncation", `"disabled"`},
	{"user", ""},
}

func isEchoed(key string) bool {
	for i := range echoed {
		if echoed[i].key == key {
			return true
		}
	}
	return false
}

// appendNoted appends the metadata of a request with what notes appends: a later member of a name counts.
func appendNoted(dst []byte, metadata string, notes func([]byte) []byte) []byte {
	open := len(dst)
	dst = append(dst, '{')
	r := jsonr.NewReader(metadata)
	for r.OpenObject(); r.Member(); {
		dst = append(jsonw.AppendString(append(dst, ','), r.Key()), ':')
		dst = raw(dst, string(r.Value()))
	}
	if dst = notes(dst); len(dst) > open+1 {
		dst = append(dst[:open+1], dst[open+2:]...) // without the first comma
	}
	return append(dst, '}')
}

// appendUsage appends a usage object, or null for an upstream that did not say. The input's tokens include those that were read
// from and written to a cache.
func appendUsage(dst []byte, u ir.Usage) []byte {
	if u.Input < 0 && u.Output < 0 {
		return raw(dst, "null")
	}
	input, output := u.Prompt(), max(u.Output, 0)
	dst = jsonw.AppendIntMember(dst, `{"input_tokens":`, input)
	dst = jsonw.AppendIntMember(dst, `,"input_tokens_details":{"cache_write_tokens":`, max(u.CacheWrite, 0))
	dst = jsonw.AppendIntMember(dst, `,"cached_tokens":`, max(u.CacheRead, 0))
	dst = jsonw.AppendIntMember(dst, `},"output_tokens":`, output)
	dst = jsonw.AppendIntMember(dst, `,"output_tokens_details":{"reasoning_tokens":`, max(u.Reasoning, 0))
	dst = jsonw.AppendIntMember(dst, `},"total_tokens":`, input+output)
	return append(dst, '}')
}

// failureCode returns the code of a response that has failed. Codex 0.169 acts on the code: it shortens the conversation at
// context_length_exceeded, waits at rate_limit_exceeded, gives up at invalid_prompt and where a policy refuses, and tries again at any
// other, also at OpenAI's invalid_image.
func failureCode(e *ir.Error) string {
	if failure.IsPolicy(e.Code) {
		return e.Code
	}
	switch e.Kind {
	case ir.ContextOverflow, ir.RateLimit, ir.Quota, ir.Overloaded:
		return openai.Code(e)
	case ir.InvalidRequest, ir.Authentication, ir.Permission, ir.NotFound, ir.TooLarge:
		return "invalid_prompt"
	}
	return "server_error"
}
