package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// Target returns the facts about model at the server host: the facts for generateContent, with
// these differences. The caller owns the result.
//
//   - Thinking accepts a level but no number of tokens (GenerationConfig of @google/genai 3.1.0).
//     Models before Gemini 3 reject a level ("thinking_level is not supported by this model",
//     QwenLM/qwen-code#9094).
//   - The API has no penalties ("presence_penalty and frequency_penalty each returned HTTP 400 as
//     unknown parameters", vercel/ai#17964) and no logprobs: @google/genai 3.1.0 lacks these members
//     here.
//   - No model continues an answer at the end of the history: Google documents no such model, and the
//     newest reject it in generateContent.
func (Upstream) Target(host, model string) *ir.Target {
	t := google.Target(host, model)
	t.NoPenalties, t.NoLogprobs, t.Prefill = true, true, ir.NoPrefill
	if t.Thinking == ir.BudgetThinking {
		t.Thinking, t.Efforts = ir.AdaptiveThinking, nil
	}
	return t
}
