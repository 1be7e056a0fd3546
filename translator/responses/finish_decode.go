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
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "input_tokens":
			input = tokens(r.Value())
		case "output_tokens":
			u.Output = tokens(r.Value())
		case "input_tokens_details":
			for r.Open(); r.Member(); {
				switch r.Key() {
				case "cached_tokens":
					u.CacheRead = tokens(r.Value())
				case "cache_write_tokens":
					u.CacheWrite = tokens(r.Value())
				}
			}
		case "output_tokens_details":
			for r.Open(); r.Member(); {
				if r.Key() == "reasoning_tokens" {
					u.Reasoning = tokens(r.Value())
				}
			}
		}
	}
	if input >= 0 {
		u.Input = max(input-max(u.CacheRead, 0)-max(u.CacheWrite, 0), 0)
	}
	return u
}

// tokens returns a number of tokens, -1 for what is none.
func tokens(v ir.Raw) int64 {
	if n, ok := jsonr.Int(v); ok && n >= 0 {
		return n
	}
	return -1
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
	case d.out.calls:
		return ir.ToolUse
	case d.out.refused:
		return ir.Refusal
	}
	return ir.EndTurn
}
