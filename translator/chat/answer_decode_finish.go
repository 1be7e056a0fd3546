package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// stopOf returns what a finish_reason means by itself; unknown ones, as eos or load, end the turn. OpenAI's own are stop,
// length, tool_calls, function_call and content_filter.
func stopOf(reason ir.Escaped) ir.StopReason {
	switch reason {
	case "length", "max_tokens":
		return ir.MaxTokens
	case "model_length", "model_context_window_exceeded": // Mistral, Z.ai
		return ir.ContextWindow
	case "tool_calls", "function_call", "tool_use":
		return ir.ToolUse
	case "content_filter", "refusal", "sensitive": // the last one is Z.ai's
		return ir.Refusal
	}
	return ir.EndTurn
}

// brokenOff returns the failure that a finish_reason stands for, nil where it is none: error (Mistral, OpenRouter), abort (vLLM),
// network_error (Z.ai), insufficient_system_resource (DeepSeek).
func brokenOff(reason ir.Escaped) *ir.Error {
	kind := ir.Unavailable
	switch reason {
	case "insufficient_system_resource":
		kind = ir.Overloaded
	case "error", "abort", "aborted", "network_error":
	default:
		return nil
	}
	return &ir.Error{Kind: kind, Message: "The upstream broke off the answer: " + string(reason) + "."}
}

// finished takes the members of a choice that say why the answer is complete. Of several reasons the first holds that says more
// than that the turn ends. matched is what servers name of a stop sequence: vLLM in stop_reason, SGLang in matched_stop, which may
// be a token's number too.
func (d *decoder) finished(reason ir.Escaped, matched ir.Raw) {
	if err := brokenOff(reason); err != nil {
		d.fail(err)
		return
	}
	if d.stop > ir.EndTurn {
		return
	}
	d.stop = stopOf(reason)
	if d.progress == answering {
		d.progress = stopped
	}
	text, _ := jsonr.Text(matched)
	if d.stop != ir.EndTurn || text == "" {
		return
	}
	for _, s := range d.request.Stop {
		if s == text || jsonw.Unescape(s) == jsonw.Unescape(text) {
			d.stop, d.stopSequence = ir.StopSequence, s
			return
		}
	}
}

// stopReason returns why the answer is complete, given what the upstream said: servers say stop where the model calls tools, and
// the reverse.
func (d *decoder) stopReason() ir.StopReason {
	said := d.stop
	if said != ir.EndTurn && said != ir.ToolUse && said != ir.StopSequence {
		return said
	}
	result := ir.EndTurn
	for n := range d.blocks {
		switch c := &d.blocks[n]; {
		case c.hidden:
		case c.isCall():
			return ir.ToolUse
		case c.kind == ir.RefusalBlock:
			result = ir.Refusal
		}
	}
	if said == ir.StopSequence && result == ir.EndTurn {
		return said
	}
	return result
}

// readUsage reads a usage object. prompt_tokens counts cached tokens too. completion_tokens counts reasoning, but not where the
// total says otherwise, as xAI's does.
func readUsage(v ir.Raw) ir.Usage {
	u := ir.NoUsage
	prompt, total, hit := int64(-1), int64(-1), int64(-1)
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "prompt_tokens":
			prompt = jsonr.Count(r.Value())
		case "completion_tokens":
			u.Output = jsonr.Count(r.Value())
		case "total_tokens":
			total = jsonr.Count(r.Value())
		case "prompt_cache_hit_tokens", "cached_tokens": // DeepSeek, Kimi
			hit = jsonr.Count(r.Value())
		case "prompt_tokens_details":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "cached_tokens":
					u.CacheRead = jsonr.Count(r.Value())
				case "cache_write_tokens":
					u.CacheWrite = jsonr.Count(r.Value())
				}
			}
		case "completion_tokens_details":
			for r.OpenObject(); r.Member(); {
				if r.Key() == "reasoning_tokens" {
					u.Reasoning = jsonr.Count(r.Value())
				}
			}
		}
	}
	if u.CacheRead < 0 {
		u.CacheRead = hit
	}
	if u.Reasoning > 0 && prompt >= 0 && u.Output >= 0 && total == prompt+u.Output+u.Reasoning {
		u.Output += u.Reasoning
	}
	u.SetPrompt(prompt)
	return u
}
