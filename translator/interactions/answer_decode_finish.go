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
// map-google-interactions-finish-reason.ts). An answer is incomplete if its tokens have run out
// (LiveBench/LiveBench#476). budget_exceeded and requires_continuation count as the same: Google
// continues such an answer only if Google has stored the conversation. Any other status is a
// failure: the answer has failed or was cancelled, runs in the background, or has an unknown
// status.
func (d *decoder) finish(h *header) {
	switch h.status {
	case "", "completed", "requires_action":
	case "incomplete", "budget_exceeded", "requires_continuation":
		d.stop = ir.MaxTokens
	default:
		d.out.Fail(brokenOff(h))
		return
	}
	if h.errors.Len() > 0 {
		d.lost.Add("errors")
	}
	d.out.CompleteAll()
	switch {
	case d.stop != 0:
	case d.called:
		d.stop = ir.ToolUse
	case h.status == "requires_action":
		d.out.Fail(failure.Unreadable("its status is requires_action, but it has no tool call"))
	default:
		d.stop, d.phase = ir.EndTurn, ir.FinalAnswer
	}
	d.close()
	d.searches()
	if !d.out.Ended() {
		d.out.Finish(d.stop, "", d.usage)
	}
}

// brokenOff returns the failure for a status, with the message of the Interaction's first error.
func brokenOff(h *header) *ir.Error {
	if h.errors.OpenArray(); h.errors.Element() {
		return google.DecodeEvent(`{"error":` + string(h.errors.Value()) + `}`)
	}
	status := ir.Shortened(jsonw.Unescape(h.status))
	return &ir.Error{Kind: ir.Unavailable, Code: status, Message: "The upstream aborted the answer: " +
		status + "."}
}

// count reads usage (Usage of @google/genai). total_input_tokens excludes the tokens that the
// upstream's own tools added to the prompt, and total_output_tokens excludes the tokens of
// thoughts: total_tokens is the sum of the four numbers (recorded in google-search of vercel/ai).
// Cached tokens are a part of the prompt.
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
		case "grounding_tool_count":
			if d.request.API.Name != Name {
				d.lost.AddMember("usage", r)
			}
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
