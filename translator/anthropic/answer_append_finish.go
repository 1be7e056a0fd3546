package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendStop appends the members stop_reason and stop_sequence.
func appendStop(dst []byte, ev *ir.Event) []byte {
	dst = append(dst, `"stop_reason":"`...)
	dst = append(dst, stopReason(ev.Stop)...)
	dst = append(dst, `","stop_sequence":`...)
	if ev.Stop == ir.StopSequence && ev.StopSequence != "" {
		return jsonw.AppendEscaped(dst, ev.StopSequence)
	}
	return append(dst, "null"...)
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
	}
	return "end_turn"
}

// known returns u with 0 for what is unknown.
func known(u ir.Usage) ir.Usage {
	return ir.Usage{
		Input:      max(u.Input, 0),
		CacheRead:  max(u.CacheRead, 0),
		CacheWrite: max(u.CacheWrite, 0),
		Output:     max(u.Output, 0),
	}
}

// appendUsage appends a usage object. Of an upstream that did not say it holds output_tokens only, which SDKs demand.
func appendUsage(dst []byte, u ir.Usage) []byte {
	dst = append(dst, '{')
	if u.Input >= 0 || u.CacheRead >= 0 || u.CacheWrite >= 0 {
		u := known(u)
		dst = append(dst, `"input_tokens":`...)
		dst = strconv.AppendInt(dst, u.Input, 10)
		dst = append(dst, `,"cache_creation_input_tokens":`...)
		dst = strconv.AppendInt(dst, u.CacheWrite, 10)
		dst = append(dst, `,"cache_read_input_tokens":`...)
		dst = strconv.AppendInt(dst, u.CacheRead, 10)
		dst = append(dst, ',')
	}
	dst = append(dst, `"output_tokens":`...)
	dst = strconv.AppendInt(dst, max(u.Output, 0), 10)
	if u.Reasoning > 0 {
		dst = append(dst, `,"output_tokens_details":{"thinking_tokens":`...)
		dst = strconv.AppendInt(dst, u.Reasoning, 10)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
