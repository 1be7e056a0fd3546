package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendFinish appends what follows the parts of the last chunk, or of a body.
func (w *answerWriter) appendFinish(dst []byte, ev *ir.Event) []byte {
	dst = jsonw.AppendTextMember(append(dst, contentTail...), `,"finishReason":`, finishReason(ev.Stop))
	dst = w.probable.appendTo(dst)
	dst = appendUsage(w.sources.appendTo(dst), ev)
	return append(ir.AppendOwn(append(dst, w.ids...), ev.Own), '}')
}

// isCut reports whether an answer was cut, at a limit or by a filter. ev is its Finish.
func isCut(ev *ir.Event) bool {
	return ev.Stop == ir.MaxTokens || ev.Stop == ir.ContextWindow || ev.Stop == ir.Refusal
}

// finishReason returns the API's name of a stop reason (Gemini API, "FinishReason"). The API has
// only STOP for calls, the end of a turn and stop sequences.
func finishReason(stop ir.StopReason) ir.Escaped {
	switch stop {
	case ir.MaxTokens, ir.ContextWindow:
		return "MAX_TOKENS"
	case ir.Refusal:
		return "SAFETY"
	}
	return "STOP"
}

// noUsage ends the candidates of a chunk before the counts of tokens are known. All of Google's
// chunks have usageMetadata: BAML 0.226 drops chunks without it.
const noUsage = `}],"usageMetadata":{}`

// appendUsage ends the candidates, and appends usageMetadata (Gemini API, "UsageMetadata"), as far as
// the upstream has counted. The prompt's tokens include cached tokens. The candidate's tokens exclude
// thoughts.
func appendUsage(dst []byte, ev *ir.Event) []byte {
	u := &ev.Usage
	from := len(dst) + len(noUsage) - len("{}")
	if *u == ir.NoUsage {
		return ir.AppendMissing(append(dst, noUsage...), from, ev.OwnUsage)
	}
	prompt, output := u.Prompt(), max(u.Output, 0)
	dst = jsonw.AppendIntMember(dst, noUsage[:len(noUsage)-1]+`"promptTokenCount":`, prompt)
	if u.CacheRead > 0 {
		dst = jsonw.AppendIntMember(dst, `,"cachedContentTokenCount":`, u.CacheRead)
	}
	dst = jsonw.AppendIntMember(dst, `,"candidatesTokenCount":`, output-min(max(u.Reasoning, 0), output))
	if u.Reasoning > 0 {
		dst = jsonw.AppendIntMember(dst, `,"thoughtsTokenCount":`, min(u.Reasoning, output))
	}
	dst = jsonw.AppendIntMember(dst, `,"totalTokenCount":`, prompt+output)
	switch ev.Tier {
	case ir.DefaultTier:
		dst = append(dst, `,"serviceTier":"standard"`...)
	case ir.FlexTier, ir.PriorityTier, ir.FastTier:
		dst = jsonw.AppendTextMember(dst, `,"serviceTier":`, ir.Escaped(ev.Tier.Word()))
	}
	return ir.AppendMissing(append(dst, '}'), from, ev.OwnUsage)
}
