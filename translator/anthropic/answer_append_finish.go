package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendStopReason appends the members stop_reason, stop_sequence, and of a refusal that says why, stop_details. ev is the answer's
// Finish.
func (w *blockWriter) appendStopReason(dst []byte, ev *ir.Event) []byte {
	dst = append(dst, `"stop_reason":"`...)
	dst = append(dst, stopReason(ev.Stop)...)
	dst = append(dst, `","stop_sequence":`...)
	if ev.Stop == ir.StopSequence && ev.StopSequence != "" {
		return jsonw.AppendEscaped(dst, ev.StopSequence)
	}
	dst = append(dst, "null"...)
	switch {
	case ev.Stop != ir.Refusal:
	case ev.Raw != "":
		dst = append(append(dst, `,"stop_details":`...), ev.Raw...)
	case len(w.refusal) > 0:
		dst = jsonw.AppendTextMember(dst, `,"stop_details":{"type":"refusal","category":null,"explanation":`, jsonw.View(w.refusal))
		dst = append(dst, '}')
	}
	return dst
}

// stopReason returns the API's name of a stop reason.
func stopReason(s ir.StopReason) string {
	switch s {
	case ir.MaxTokens:
		return "max_tokens"
	case ir.StopSequence:
		return "stop_sequence"
	case ir.ToolUse:
		return "tool_use"
	case ir.Refusal:
		return "refusal"
	case ir.PauseTurn:
		return "pause_turn"
	case ir.ContextWindow:
		return "model_context_window_exceeded"
	case ir.Compacted:
		return "compaction"
	}
	return "end_turn"
}

// appendUsage appends a usage object. Where the upstream said nothing of its input the object holds output_tokens alone, without
// which @anthropic-ai/sdk, the AI SDK and LangChain throw at message_delta.
// Of the service tiers the API has two.
func appendUsage(dst []byte, u ir.Usage, tier ir.Tier) []byte {
	lead := `{"output_tokens":`
	if u.Input >= 0 || u.CacheRead >= 0 || u.CacheWrite >= 0 {
		dst = jsonw.AppendIntMember(dst, `{"input_tokens":`, max(u.Input, 0))
		dst = jsonw.AppendIntMember(dst, `,"cache_creation_input_tokens":`, max(u.CacheWrite, 0))
		dst = jsonw.AppendIntMember(dst, `,"cache_read_input_tokens":`, max(u.CacheRead, 0))
		lead = `,"output_tokens":`
	}
	dst = jsonw.AppendIntMember(dst, lead, max(u.Output, 0))
	if u.Reasoning > 0 {
		dst = jsonw.AppendIntMember(dst, `,"output_tokens_details":{"thinking_tokens":`, u.Reasoning)
		dst = append(dst, '}')
	}
	switch tier {
	case ir.DefaultTier:
		dst = append(dst, `,"service_tier":"standard"`...)
	case ir.PriorityTier:
		dst = append(dst, `,"service_tier":"priority"`...)
	}
	return append(dst, '}')
}
