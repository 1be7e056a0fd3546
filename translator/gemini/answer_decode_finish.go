package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// finished takes finishReason (Gemini API and Vertex AI, "FinishReason") and finishMessage, its
// words. A filter has refused the answer by SAFETY and the like. Where the model or the service has
// failed the answer is no good: MALFORMED_FUNCTION_CALL stands in place of a call that nobody can
// read, OTHER for reasons that nobody knows. So is a reason that is unknown here, since those that
// Google has added so far are failures or filters. FINISH_REASON_UNSPECIFIED is protobuf's name for
// none.
func (d *decoder) finished(reason, message ir.Escaped) {
	switch reason {
	case "STOP":
		if d.stop == 0 {
			d.stop = ir.EndTurn
		}
	case "MAX_TOKENS", "CONTINUATION":
		// the model would go on where it is asked again with a token (@google/genai 3.1,
		// "automaticContinuation")
		d.stop = ir.MaxTokens
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		d.refused(message)
	case "FINISH_REASON_UNSPECIFIED":
	default:
		d.out.Fail(brokenOff(reason, message))
	}
}

// brokenOff returns the failure that a finishReason stands for. A thought signature that is missing
// is a fault of the request: to send it again does not help.
func brokenOff(reason, message ir.Escaped) *ir.Error {
	code := ir.Shortened(jsonw.Unescape(reason))
	e := &ir.Error{Kind: ir.Unavailable, Code: code, Message: "The upstream broke off the answer: " + code}
	if reason == "MISSING_THOUGHT_SIGNATURE" {
		e.Kind = ir.InvalidRequest
	}
	if message == "" || len(message) > maxWhy {
		e.Message += "."
	} else {
		e.Message += ": " + jsonw.Unescape(message)
	}
	return e
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
		}
	}
	if reason == "" || d.out.Ended() {
		return
	}
	d.start(h)
	d.refused(message)
}

// maxWhy bounds the words of a filter or a failure that a client gets to see, in bytes.
const maxWhy = 4 << 10

// refused notes that a filter has stopped the answer, and its words.
func (d *decoder) refused(message ir.Escaped) {
	if d.stop = ir.Refusal; len(message) > maxWhy {
		d.lost.Add(lostReason)
		return
	}
	d.why = append(d.why[:0], message...)
}

// finish yields the answer's end. STOP stands beside calls too (recorded in google-tool-call). The
// text that the answer ends with is its final one, whatever follows of that text: its signature,
// and the searches.
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

// counts are the tokens of usageMetadata, -1 where unknown.
type counts struct{ prompt, tools, candidates, thoughts, total int64 }

var noCounts = counts{-1, -1, -1, -1, -1}

// count reads usageMetadata. Each chunk may have one, which counts all of the answer so far; those
// of Vertex AI have no numbers before the last (recorded in google-stream-tool-call-arguments).
// toolUsePromptTokenCount is what the upstream's own tools have added to the prompt,
// cachedContentTokenCount is a part of promptTokenCount. candidatesTokenCount is without the
// thoughts, except where total says otherwise, as Vertex AI's once did (BerriAI/litellm#10141).
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
