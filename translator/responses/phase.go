package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/target"
)

// phases are the API's names of phases ("phase" of a message, in the API reference).
var phases = [...]string{ir.Commentary: "commentary", ir.FinalAnswer: "final_answer"}

// phaseOf returns the phase named by v, or NoPhase.
func phaseOf(v ir.Raw) ir.Phase {
	switch v {
	case `"commentary"`:
		return ir.Commentary
	case `"final_answer"`:
		return ir.FinalAnswer
	}
	return ir.NoPhase
}

// appendPhase appends the member "phase" of a message, unless the phase is unknown.
func appendPhase(dst []byte, p ir.Phase) []byte {
	if p == ir.NoPhase {
		return dst
	}
	return append(raw(raw(dst, `,"phase":"`), phases[p]), '"')
}

// phasedModels are the models that need the phase of each assistant message sent back, on any host:
// "for models like gpt-5.3-codex and beyond ... dropping it can degrade performance" (API
// reference, "phase"). OpenRouter names the same models (openrouter.ai/docs/cookbook, GPT-5.4
// migration guide). Other models don't get the member: when Codex began to send it, api.openai.com
// rejected it as an unknown parameter (openai/codex#10832).
var phasedModels = [...]string{"gpt-5.3-codex", "gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-6"}

// acceptsPhases reports whether a model, in lower case, is one of phasedModels.
func acceptsPhases(model string) bool {
	for _, m := range phasedModels {
		if target.IsModel(model, m) {
			return true
		}
	}
	return false
}
