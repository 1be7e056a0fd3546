package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Target returns what is known of the server at host when it is asked for model: what holds for
// generateContent, and what this API takes beside.
//
//   - Thinking takes a level and no number of tokens (GenerationConfig of @google/genai 3.1.0), and
//     models before Gemini 3 refuse a level ("thinking_level is not supported by this model",
//     QwenLM/qwen-code#9094).
//   - Penalties are unknown ("presence_penalty and frequency_penalty each returned HTTP 400 as
//     unknown parameters", vercel/ai#17964), and so are logprobs: @google/genai 3.1.0 has none of
//     them here.
//   - The end of the history is never gone on from: that is not documented for any model, and the
//     newest refuse it in generateContent.
func (Upstream) Target(host, model string) *ir.Target {
	t := google.Target(host, model)
	t.NoPenalties, t.NoLogprobs, t.Prefill = true, true, ir.NoPrefill
	if t.Thinking == ir.BudgetThinking {
		t.Thinking, t.Efforts = ir.AdaptiveThinking, nil
	}
	return t
}
