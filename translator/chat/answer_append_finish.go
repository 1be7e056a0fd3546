package chat

import (
	"strconv"

	"edgelingua/translator/ir"
)

// finishReason returns the API's name of a stop reason. An answer with calls never just stops: clients would not run them.
func (a *answer) finishReason(s ir.StopReason) string {
	switch {
	case s == ir.MaxTokens || s == ir.ContextWindow:
		return "length"
	case s == ir.Refusal && !a.refused:
		return "content_filter"
	case a.calls > 0 && a.legacy:
		return "function_call"
	case a.calls > 0:
		return "tool_calls"
	}
	return "stop"
}

// appendUsage appends a usage object (API reference, "usage"). What was read from and written to a cache is part of the prompt.
func appendUsage(dst []byte, u ir.Usage) []byte {
	prompt := u.Prompt()
	output := max(u.Output, 0)
	dst = append(dst, `{"prompt_tokens":`...)
	dst = strconv.AppendInt(dst, prompt, 10)
	dst = append(dst, `,"completion_tokens":`...)
	dst = strconv.AppendInt(dst, output, 10)
	dst = append(dst, `,"total_tokens":`...)
	dst = strconv.AppendInt(dst, prompt+output, 10)
	if u.CacheRead >= 0 || u.CacheWrite >= 0 {
		dst = append(dst, `,"prompt_tokens_details":{"cached_tokens":`...)
		dst = strconv.AppendInt(dst, max(u.CacheRead, 0), 10)
		if u.CacheWrite >= 0 {
			dst = append(dst, `,"cache_write_tokens":`...)
			dst = strconv.AppendInt(dst, u.CacheWrite, 10)
		}
		dst = append(dst, '}')
	}
	if u.Reasoning >= 0 {
		dst = append(dst, `,"completion_tokens_details":{"reasoning_tokens":`...)
		dst = strconv.AppendInt(dst, u.Reasoning, 10)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
