package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// ending is how far a response is, and why it is no further.
type ending struct {
	status string
	reason string    // of what is incomplete
	action []byte    // what the client is to do before it goes on, an object
	err    *ir.Error // of what has failed
	usage  ir.Usage
}

// ended returns how an answer that is complete ends. A refusal in words is an answer; one without is a filter's.
func (a *answer) ended(ev *ir.Event) ending {
	switch {
	case ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow:
		return ending{status: "incomplete", reason: "max_output_tokens", usage: ev.Usage}
	case ev.Stop == ir.Refusal && !a.refused:
		return ending{status: "incomplete", reason: "content_filter", usage: ev.Usage}
	}
	if k := a.request.Keep; k != nil && k.Action {
		if calls := FunctionCalls(string(jsonw.View(a.out[a.first:a.whole]))); calls != nil {
			return ending{status: "incomplete", action: appendAction(nil, calls), usage: ev.Usage}
		}
	}
	return ending{status: "completed", usage: ev.Usage}
}

// appendTail appends what follows the elements of the output. All members that the SDK's types demand are there.
func (a *answer) appendTail(dst []byte, e *ending) []byte {
	dst = raw(dst, `],"status":"`)
	dst = raw(dst, e.status)
	dst = raw(dst, `","error":`)
	if e.err == nil {
		dst = raw(dst, "null")
	} else {
		dst = raw(dst, `{"code":"`)
		dst = raw(dst, failureCode(e.err))
		dst = raw(dst, `","message":`)
		dst = jsonw.AppendString(dst, openai.Message(e.err))
		dst = append(dst, '}')
	}
	dst = raw(dst, `,"incomplete_details":`)
	if e.reason == "" {
		dst = raw(dst, "null")
	} else {
		dst = raw(dst, `{"reason":"`)
		dst = raw(dst, e.reason)
		dst = raw(dst, `"}`)
	}
	dst = raw(dst, `,"usage":`)
	dst = appendUsage(dst, e.usage)
	if e.action != nil {
		dst = raw(dst, `,"required_action":`)
		dst = append(dst, e.action...)
	}
	dst = raw(dst, `,"access_programs":null,"background":false,"previous_response_id":`)
	if a.request.Previous == "" {
		dst = raw(dst, "null")
	} else {
		dst = raw(dst, string(a.request.Previous))
	}
	dst = raw(dst, `,"store":`)
	dst = strconv.AppendBool(dst, a.request.Keep != nil)
	for i := range echoed {
		value := echoed[i].unset
		for _, m := range a.request.Echo {
			if m.Key == echoed[i].key {
				value = string(m.Value)
			}
		}
		if value != "" {
			dst = raw(dst, `,"`)
			dst = raw(dst, echoed[i].key)
			dst = raw(dst, `":`)
			dst = raw(dst, value)
		}
	}
	return append(dst, '}')
}

// echoed are the members of a request that the response repeats, and what stands there where the client has not set them; "" is
// nothing. temperature and top_p are the upstream's own choice then, which is not known.
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

// appendUsage appends a usage object, null for an upstream that did not say. Input counts what was read from and written to the
// cache.
func appendUsage(dst []byte, u ir.Usage) []byte {
	if u.Input < 0 && u.Output < 0 {
		return raw(dst, "null")
	}
	read, written, output := max(u.CacheRead, 0), max(u.CacheWrite, 0), max(u.Output, 0)
	input := u.Prompt()
	dst = raw(dst, `{"input_tokens":`)
	dst = strconv.AppendInt(dst, input, 10)
	dst = raw(dst, `,"input_tokens_details":{"cache_write_tokens":`)
	dst = strconv.AppendInt(dst, written, 10)
	dst = raw(dst, `,"cached_tokens":`)
	dst = strconv.AppendInt(dst, read, 10)
	dst = raw(dst, `},"output_tokens":`)
	dst = strconv.AppendInt(dst, output, 10)
	dst = raw(dst, `,"output_tokens_details":{"reasoning_tokens":`)
	dst = strconv.AppendInt(dst, max(u.Reasoning, 0), 10)
	dst = raw(dst, `},"total_tokens":`)
	dst = strconv.AppendInt(dst, input+output, 10)
	return append(dst, '}')
}

// failureCode returns the code of a response that has failed. Codex acts on these: it shortens the conversation, waits, gives up
// on invalid_prompt, and tries again on all others.
func failureCode(e *ir.Error) string {
	switch e.Kind {
	case ir.ContextOverflow, ir.RateLimit, ir.Quota, ir.Overloaded:
		return openai.Code(e)
	case ir.InvalidRequest, ir.Authentication, ir.Permission, ir.NotFound, ir.TooLarge:
		return "invalid_prompt"
	}
	return "server_error"
}
