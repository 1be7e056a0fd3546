package responses

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// responseState is the state of a response, as reported in the members after the output.
type responseState struct {
	status string // queued, in_progress, completed, incomplete or failed
	ended  int64  // time of completion, in seconds since 1970; 0 if not completed
	reason string // why the response is incomplete, or ""
	// required_action, an object: the calls whose outputs the client has to submit; or nil
	action []byte
	err    *ir.Error // why the response failed
	usage  ir.Usage
	// what only clients of this API read, see ir.Event
	own, ownUsage ir.Raw
}

// cutBy returns why an answer that ended is incomplete, or "" for a complete answer. A refusal in
// words is an answer like any other. A refusal without words, or with the details that Messages
// sends, comes from a filter.
func (w *itemWriter) cutBy(ev *ir.Event) string {
	switch {
	case ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow:
		return "max_output_tokens"
	case ev.Stop == ir.Refusal && (!w.refused || ev.Raw != ""):
		return "content_filter"
	}
	return ""
}

// endingOf returns how the last item of an answer ends. After a pause the model continues.
func (w *itemWriter) endingOf(ev *ir.Event) ending {
	switch {
	case w.cutBy(ev) != "":
		return cut
	case ev.Stop == ir.PauseTurn:
		return onward
	}
	return last
}

// finished returns the state of an answer that ended without a failure.
func (w *itemWriter) finished(ev *ir.Event) responseState {
	w.tier = ev.Tier
	s := responseState{status: "incomplete", usage: ev.Usage, own: ev.Own, ownUsage: ev.OwnUsage}
	if s.reason = w.cutBy(ev); s.reason != "" {
		return s
	}
	if k := w.request.AnswerCopy; k != nil && k.Action {
		if calls := FunctionCalls(string(jsonw.View(w.out[w.first:w.whole]))); calls != nil {
			s.action = appendAction(nil, calls)
			return s
		}
	}
	s.status, s.ended = "completed", w.request.Time()
	return s
}

// appendTail appends the rest of a response, after the elements of its output. It writes all
// members required by the type Response of openai's SDK (FAULTS 29) and by Open Responses' schema
// of the response.
func (w *itemWriter) appendTail(dst []byte, s *responseState) []byte {
	// completed_at is this host's clock, since Messages and Chat Completions do not send a time.
	// The schemas of Open Responses (e2e/pairs/openresponses.test.mjs) lack OpenAI's own tools and
	// items, such as custom, and allow only null for the schema of a format, which is written all
	// the same, as OpenAI does.
	dst = raw(dst, `],"status":"`)
	dst = raw(dst, s.status)
	dst = raw(dst, `","completed_at":`)
	if s.ended == 0 {
		dst = raw(dst, "null")
	} else {
		dst = strconv.AppendInt(dst, s.ended, 10)
	}
	dst = raw(dst, `,"error":`)
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
	dst = raw(dst, `,"usage":`)
	from := len(dst)
	dst = ir.AppendMissing(appendUsage(dst, s.usage), from, s.ownUsage)
	dst = jsonw.AppendTextMember(dst, `,"service_tier":`, w.tierWord(s))
	if s.action != nil {
		dst = append(raw(dst, `,"required_action":`), s.action...)
	}
	k := w.request.AnswerCopy
	dst = strconv.AppendBool(raw(dst, `,"access_programs":null,"background":`), k != nil && k.Background)
	dst = raw(dst, `,"previous_response_id":`)
	if w.request.Previous == "" {
		dst = raw(dst, "null")
	} else {
		dst = raw(dst, string(w.request.Previous))
	}
	dst = raw(dst, `,"store":`)
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
	return append(ir.AppendOwn(dst, s.own), '}')
}

// tierWord returns the service tier of a response in state s: the upstream's, if known. Before that
// it is the tier in the request. At the end it is "default", the tier of a server without tiers.
func (w *itemWriter) tierWord(s *responseState) ir.Escaped {
	switch {
	case w.tier.Word() != "":
		return ir.Escaped(w.tier.Word())
	case s.status != "in_progress" && s.status != "queued":
		return "default"
	case w.request.ServiceTier != "":
		return w.request.ServiceTier
	}
	return "auto"
}

// appendNoted appends the metadata of a request plus the members appended by notes. Of members with
// the same name, the last one counts.
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

// appendUsage appends a usage object, or null if the upstream reported no usage. The input tokens
// include cache reads and cache writes.
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

// failureCode returns the code of a failed response. Codex 0.169 acts on the code. It shortens the
// conversation at context_length_exceeded, waits at rate_limit_exceeded, gives up at invalid_prompt
// and at the codes of policies, and retries at any other code, including OpenAI's invalid_image.
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
