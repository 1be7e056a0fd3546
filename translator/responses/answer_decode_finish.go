package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// readUsage reads a usage object. input_tokens counts cached and cache-written tokens too.
func readUsage(v ir.Raw) ir.Usage {
	u := ir.NoUsage
	input := int64(-1)
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "input_tokens":
			input = jsonr.Count(r.Value())
		case "output_tokens":
			u.Output = jsonr.Count(r.Value())
		case "input_tokens_details":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "cached_tokens":
					u.CacheRead = jsonr.Count(r.Value())
				case "cache_write_tokens":
					u.CacheWrite = jsonr.Count(r.Value())
				}
			}
		case "output_tokens_details":
			for r.OpenObject(); r.Member(); {
				if r.Key() == "reasoning_tokens" {
					u.Reasoning = jsonr.Count(r.Value())
				}
			}
		}
	}
	u.SetPrompt(input)
	return u
}

// stopReason returns why an answer is complete. The API says completed where the model calls tools, and where it refuses. Of
// incomplete answers other reasons than a filter mean that it was cut.
func (d *decoder) stopReason(status, reason ir.Escaped) ir.StopReason {
	if status == "incomplete" {
		if reason == "content_filter" {
			return ir.Refusal
		}
		return ir.MaxTokens
	}
	switch {
	case d.called:
		return ir.ToolUse
	case d.refused:
		return ir.Refusal
	}
	return ir.EndTurn
}
