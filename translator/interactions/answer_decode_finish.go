package interactions

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// finish yields the answer's end, by the status of the Interaction
// (InteractionSseEventInteractionStatus of @google/genai). An answer with calls is completed or
// requires_action (recorded in tool-call-step1; vercel/ai,
// map-google-interactions-finish-reason.ts). It is incomplete where its tokens have run out
// (LiveBench/LiveBench#476); the others of that kind only go on from what Google has stored. Any
// other status is no end of an answer: it has failed or was cancelled, runs in the background, or
// is unknown here.
func (d *decoder) finish(h *header) {
	switch h.status {
	case "", "completed", "requires_action":
	case "incomplete", "budget_exceeded", "requires_continuation":
		d.stop = ir.MaxTokens
	default:
		d.out.Fail(brokenOff(h))
		return
	}
	d.out.CompleteAll()
	switch {
	case d.stop != 0:
	case d.called:
		d.stop = ir.ToolUse
	case h.status == "requires_action":
		d.out.Fail(failure.Unreadable("it waits for a tool call that it does not have"))
	default:
		d.stop, d.phase = ir.EndTurn, ir.FinalAnswer
	}
	d.close()
	d.searches()
	if !d.out.Ended() {
		d.out.Finish(d.stop, "", d.usage)
	}
}

// brokenOff returns the failure that a status stands for, in the words of the first of the
// Interaction's errors.
func brokenOff(h *header) *ir.Error {
	if h.errors.OpenArray(); h.errors.Element() {
		return google.DecodeEvent(`{"error":` + string(h.errors.Value()) + `}`)
	}
	status := ir.Shortened(jsonw.Unescape(h.status))
	return &ir.Error{Kind: ir.Unavailable, Code: status, Message: "The upstream broke off the answer: " +
		status + "."}
}

// count reads usage (Usage of @google/genai). The tokens that the upstream's own tools have added
// to the prompt stand beside total_input_tokens, and those of thoughts beside total_output_tokens:
// total_tokens is the sum of the four (recorded in google-search of vercel/ai). The cached ones are
// a part of the prompt.
func (d *decoder) count(r *jsonr.Reader) {
	prompt, tools, output, thoughts := int64(-1), int64(-1), int64(-1), int64(-1)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "total_input_tokens":
			prompt = jsonr.Count(r.Value())
		case "total_cached_tokens":
			d.usage.CacheRead = jsonr.Count(r.Value())
		case "total_tool_use_tokens":
			tools = jsonr.Count(r.Value())
		case "total_output_tokens":
			output = jsonr.Count(r.Value())
		case "total_thought_tokens":
			thoughts = jsonr.Count(r.Value())
		}
	}
	if prompt >= 0 {
		d.usage.SetPrompt(prompt + max(tools, 0))
	}
	d.usage.Reasoning = thoughts
	if output >= 0 || thoughts >= 0 {
		d.usage.Output = max(output, 0) + max(thoughts, 0)
	}
}
