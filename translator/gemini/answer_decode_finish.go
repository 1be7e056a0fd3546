package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// finished reads finishReason and finishMessage, its explanation. If the model or the service
// failed, the answer is a failure. An unknown reason ends the turn well, since a new one must not
// stop every session. Without a text or a call it is a failure, since the reasons that Google has
// added so far are failures or filters. FINISH_REASON_UNSPECIFIED is protobuf's name for none.
func (d *decoder) finished(reason, message ir.Escaped) {
	stop := google.StopOf(reason)
	switch {
	case stop == ir.Refusal:
		d.refused(message)
	case stop == ir.MaxTokens, stop != 0 && d.stop == 0:
		d.stop = stop
	case stop != 0, reason == "FINISH_REASON_UNSPECIFIED":
	case google.IsFailure(reason), !d.called && !d.spoken:
		d.out.Fail(google.BrokenOff(reason, message))
	case d.stop == 0:
		d.stop = ir.EndTurn
	}
}

// blocked reads promptFeedback: with a blockReason a filter has refused the request, and there are
// no candidates (Gemini API, "PromptFeedback"; vercel/ai#19758).
func (d *decoder) blocked(r *jsonr.Reader, h *header) {
	var reason, message ir.Escaped
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "blockReason", "block_reason":
			reason, _ = jsonr.Text(r.Value())
		case "blockReasonMessage", "block_reason_message": // Vertex AI
			message, _ = jsonr.Text(r.Value())
		default:
			d.lost.AddMember("promptFeedback", r)
		}
	}
	if reason == "" || d.out.Ended() {
		return
	}
	d.start(h)
	d.refused(message)
}

// refused notes that a filter has stopped the answer, and the filter's explanation.
func (d *decoder) refused(message ir.Escaped) {
	if d.stop = ir.Refusal; len(message) > google.MaxWhy {
		d.lost.Add(lostReason)
		return
	}
	d.why = append(d.why[:0], message...)
}

// finish yields the answer's end. The reason is STOP also for an answer with calls (recorded in
// google-tool-call). The last text of the answer is the final one, even if its signature or the
// searches follow.
func (d *decoder) finish() {
	if d.stop == ir.EndTurn && !d.called {
		d.phase = ir.FinalAnswer
	}
	d.close()
	d.searches()
	if d.stop == ir.Refusal && len(d.why) > 0 && d.next(ir.RefusalBlock) && !d.hidden {
		d.out.Begin(ir.RefusalBlock, "")
		d.out.Text(jsonw.View(d.why))
		d.out.Stop()
	}
	if d.stop == ir.EndTurn && d.called {
		d.stop = ir.ToolUse
	}
	if !d.out.Ended() {
		d.out.Finish(d.stop, "", d.usage)
	}
}

// counts are the tokens of usageMetadata, -1 for unknown.
type counts struct{ prompt, tools, candidates, thoughts, total int64 }

var noCounts = counts{-1, -1, -1, -1, -1}

// count reads usageMetadata. Each chunk may have usageMetadata, which counts the answer so far;
// Vertex AI's has numbers only in the last chunk (recorded in google-stream-tool-call-arguments).
// toolUsePromptTokenCount counts what the upstream's own tools added to the prompt.
// cachedContentTokenCount is a part of promptTokenCount. candidatesTokenCount excludes thoughts,
// unless the total says otherwise, as Vertex AI's once did (BerriAI/litellm#10141).
func (d *decoder) count(r *jsonr.Reader) {
	c := &d.counts
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "promptTokenCount", "prompt_token_count":
			tokens(&c.prompt, r.Value())
		case "cachedContentTokenCount", "cached_content_token_count":
			tokens(&d.usage.CacheRead, r.Value())
		case "toolUsePromptTokenCount", "tool_use_prompt_token_count":
			tokens(&c.tools, r.Value())
		case "candidatesTokenCount", "candidates_token_count":
			tokens(&c.candidates, r.Value())
		case "thoughtsTokenCount", "thoughts_token_count":
			tokens(&c.thoughts, r.Value())
		case "totalTokenCount", "total_token_count":
			tokens(&c.total, r.Value())
		case "trafficType", "traffic_type":
			if !d.own {
				d.lost.AddMember("usageMetadata", r)
			}
		case "serviceTier", "service_tier":
			tier, _ := jsonr.Text(r.Value())
			d.out.SetTier(ir.TierOf(tier))
		}
	}
	prompt := c.prompt
	if prompt >= 0 {
		prompt += max(c.tools, 0)
	}
	d.usage.SetPrompt(prompt)
	d.usage.Reasoning = c.thoughts
	switch {
	case c.candidates >= 0 && prompt >= 0 && c.total == prompt+c.candidates:
		d.usage.Output = max(c.candidates, c.thoughts)
	case c.candidates >= 0 || c.thoughts >= 0:
		d.usage.Output = max(c.candidates, 0) + max(c.thoughts, 0)
	case prompt >= 0 && c.total >= prompt:
		d.usage.Output = c.total - prompt
	}
}

// tokens sets *n to the number v, unless v is no number of tokens.
func tokens(n *int64, v ir.Raw) {
	if count := jsonr.Count(v); count >= 0 {
		*n = count
	}
}
