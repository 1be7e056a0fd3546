package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// stopReason returns what a finish_reason means by itself; unknown ones end the turn.
func stopReason(reason ir.Escaped) ir.StopReason {
	switch reason {
	case "length":
		return ir.MaxTokens
	case "tool_calls", "function_call":
		return ir.ToolUse
	case "content_filter":
		return ir.Refusal
	}
	return ir.EndTurn
}

// readUsage reads a usage object. prompt_tokens counts cached tokens too.
func readUsage(v ir.Raw) ir.Usage {
	u := ir.NoUsage
	prompt := int64(-1)
	r := jsonr.NewReader(string(v))
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "prompt_tokens":
			prompt = count(r.Value())
		case "completion_tokens":
			u.Output = count(r.Value())
		case "prompt_tokens_details":
			for r.Open(); r.Member(); {
				switch r.Key() {
				case "cached_tokens":
					u.CacheRead = count(r.Value())
				case "cache_write_tokens":
					u.CacheWrite = count(r.Value())
				}
			}
		case "completion_tokens_details":
			for r.Open(); r.Member(); {
				if r.Key() == "reasoning_tokens" {
					u.Reasoning = count(r.Value())
				}
			}
		}
	}
	if prompt >= 0 {
		u.Input = max(prompt-max(u.CacheRead, 0)-max(u.CacheWrite, 0), 0)
	}
	return u
}

// count returns a number of tokens, -1 for what is none.
func count(v ir.Raw) int64 {
	if n, ok := jsonr.Int(v); ok && n >= 0 {
		return n
	}
	return -1
}
