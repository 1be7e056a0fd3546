package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// isCut reports whether an answer that ends with ev was cut by a limit or a filter. A refusal in
// words is an answer; a refusal without words, or with the details that Messages gives, counts as a
// filter's.
func (w *messageWriter) isCut(ev *ir.Event) bool {
	s := ev.Stop
	return s == ir.MaxTokens || s == ir.ContextWindow || s == ir.Refusal && (!w.refused || ev.Raw != "")
}

// finishReason returns the API's name of a stop reason. An answer with calls never says "stop",
// whatever the upstream said: Codex 0.80 would not run the calls.
func (w *messageWriter) finishReason(ev *ir.Event) string {
	switch {
	case w.isCut(ev) && ev.Stop == ir.Refusal:
		return "content_filter"
	case w.isCut(ev):
		return "length"
	case w.calls > 0 && w.request.Legacy:
		return "function_call"
	case w.calls > 0:
		return "tool_calls"
	}
	return "stop"
}

// appendUsage appends the usage of a Finish (API reference, "usage"). The prompt's tokens include tokens
// read from and written to a cache.
func appendUsage(dst []byte, ev *ir.Event) []byte {
	dst = append(dst, `,"usage":`...)
	from, u := len(dst), &ev.Usage
	prompt := u.Prompt()
	output := max(u.Output, 0)
	dst = jsonw.AppendIntMember(dst, `{"prompt_tokens":`, prompt)
	dst = jsonw.AppendIntMember(dst, `,"completion_tokens":`, output)
	dst = jsonw.AppendIntMember(dst, `,"total_tokens":`, prompt+output)
	if u.CacheRead >= 0 || u.CacheWrite >= 0 {
		dst = jsonw.AppendIntMember(dst, `,"prompt_tokens_details":{"cached_tokens":`, max(u.CacheRead, 0))
		if u.CacheWrite >= 0 {
			dst = jsonw.AppendIntMember(dst, `,"cache_write_tokens":`, u.CacheWrite)
		}
		dst = append(dst, '}')
	}
	if u.Reasoning >= 0 {
		dst = jsonw.AppendIntMember(dst, `,"completion_tokens_details":{"reasoning_tokens":`, u.Reasoning)
		dst = append(dst, '}')
	}
	return ir.AppendMissing(append(dst, '}'), from, ev.OwnUsage)
}
