package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/target"
)

// fastModels are the models with a fast mode, as prefixes. Others refuse the speed "fast", and so
// does Opus 4.8 from November 30, 2026 on (platform.claude.com/docs, "Fast mode"). On Foundry fast
// models have names of their own, and speed is left out.
const fastModels = "claude-opus-5 claude-fable-5-2 claude-mythos-5-2"

// betaFast is the beta that some of the models require for any speed.
const betaFast = "fast-mode-2026-02-01"

func hasFastMode(model string) bool {
	for name := range strings.FieldsSeq(fastModels) {
		if target.IsModel(strings.ToLower(model), name) {
			return true
		}
	}
	return false
}

// hasFastTier reports whether the service tier asks for a fast answer, as in OpenAI's APIs. The speed
// of Messages clients is Request.Fast.
func hasFastTier(r *ir.Request) bool { return r.ServiceTier == "fast" || r.ServiceTier == "priority" }
