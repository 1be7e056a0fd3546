package chat

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// stopOf returns the meaning of a finish_reason by itself. OpenAI's own are stop, length,
// tool_calls, function_call and content_filter. An unknown value ends the turn, as Together's eos
// and Ollama's load. max_tokens, tool_use and refusal are Anthropic's words: no server is known to
// send them in this API, but their meaning is clear. Gateways write words in capitals. Google's own
// endpoint puts a word of Gemini's after the name of a filter, as in "content_filter: SAFETY".
func stopOf(reason ir.Escaped) ir.StopReason {
	filter, _, _ := strings.Cut(string(reason), ":")
	switch strings.ToLower(filter) {
	case "length", "max_tokens":
		return ir.MaxTokens
	case "model_length", "model_context_window_exceeded": // Mistral, Z.ai
		return ir.ContextWindow
	case "tool_calls", "function_call", "tool_use":
		return ir.ToolUse
	case "content_filter", "refusal", "sensitive": // OpenAI, Anthropic, Z.ai
		return ir.Refusal
	}
	return ir.EndTurn
}

// brokenOff returns the failure for a finish_reason, or nil if the finish_reason is a normal end.
// Failures are error (Mistral, OpenRouter), abort (vLLM), network_error (Z.ai),
// insufficient_system_resource (DeepSeek), and Google's words, alone or as in
// "function_call_filter: MALFORMED_FUNCTION_CALL" (Google's own endpoint).
func brokenOff(reason ir.Escaped) *ir.Error {
	kind := ir.Unavailable
	switch strings.ToLower(string(reason)) {
	case "insufficient_system_resource":
		kind = ir.Overloaded
	case "error", "abort", "aborted", "network_error":
	default:
		word, filtered := strings.CutPrefix(string(reason), "function_call_filter: ")
		if filtered || google.IsFailure(reason) {
			return google.BrokenOff(ir.Escaped(word), "")
		}
		return nil
	}
	return &ir.Error{Kind: kind, Message: "The upstream aborted the answer: " + string(reason) + "."}
}

// finished reads finish_reason. Gateways to Gemini leave Google's words (HKUDS/Vibe-Trading#308).
// If several chunks have one (FAULTS 21), the first that says more than the end of the turn counts.
// matched is the stop sequence that was met: vLLM names it in
// stop_reason (vllm#2976), SGLang in matched_stop. Both also put the number of a token there, which
// is not a stop sequence.
func (d *decoder) finished(reason ir.Escaped, matched ir.Raw) {
	stop := google.StopOf(reason) // first: it allocates nothing, and reason may be in every chunk
	if stop == 0 {
		if err := brokenOff(reason); err != nil {
			d.out.Fail(err)
			return
		}
		stop = stopOf(reason)
	}
	if d.stop > ir.EndTurn {
		return
	}
	d.stop = stop
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

// stopReason returns why the answer is complete. The blocks decide between the end of the turn,
// calls and a refusal, whatever finish_reason says: LiteLLM says stop beside calls of
// Ollama's models (BerriAI/litellm#34692), other servers tool_calls without any call (FAULTS 10).
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

// readUsage reads a usage object (API reference, "usage"). prompt_tokens includes tokens read from
// the cache and written to the cache. completion_tokens includes reasoning, except at xAI, where
// total_tokens is the sum of all three (FAULTS 91; recorded in xai-text), and at Google, which may
// leave out reasoning_tokens too. Without any text of the answer completion_tokens is absent there
// (router-for-me/CLIProxyAPI#5733 and the tests of agentgateway have such usage). t may be nil.
func readUsage(v ir.Raw, t *ir.Target) ir.Usage {
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
		case "prompt_cache_hit_tokens", "cached_tokens":
			// DeepSeek and Kimi: the number that OpenAI has in prompt_tokens_details
			hit = jsonr.Count(r.Value())
		case "prompt_tokens_details", "completion_tokens_details":
			openai.ReadUsageDetails(&r, &u)
		}
	}
	if u.CacheRead < 0 {
		u.CacheRead = hit
	}
	apart := total - prompt - max(u.Output, 0) // in total_tokens only
	isGoogle := t != nil && t.ReasoningEcho == ir.EchoExtra
	if prompt >= 0 && apart > 0 && (u.Output < 0 || apart == u.Reasoning || isGoogle) {
		if u.Output >= 0 && u.Reasoning < 0 {
			u.Reasoning = apart
		}
		u.Output = total - prompt
	}
	u.SetPrompt(prompt)
	return u
}
