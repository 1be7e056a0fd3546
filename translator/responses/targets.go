package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/target"
)

const lmh = "low medium high"

// Target returns the known facts about the server at host, for a request to model. The result is
// never nil.
func (Upstream) Target(host, model string) *ir.Target {
	at, lacks := openai.HostOf(host, model)
	t := target.Find(at, model, lacks|target.ToolsWithoutEffort|target.TopK, Targets[:], openai.Targets[:])
	// OpenAI, and Azure (ai.azure.com/api-reference/responses/compact-response-conversation)
	t.OwnCompaction = target.IsHost(at, openai.Host)
	t.CustomTools = acceptsCustom(at, model)
	// OpenAI's newer models, and its models behind a gateway
	t.OwnToolSearch = t.MaxOutputTokens == 0 && openai.IsModel(model)
	t.Phases = acceptsPhases(strings.ToLower(model))
	return t
}

// Targets describes known servers that speak only Responses, or whose Responses differ from their
// Chat Completions.
var Targets = [...]target.Row{
	{Model: "gpt-oss", Efforts: lmh}, // at any host

	// DeepSeek: api-docs.deepseek.com/guides/thinking_mode (minimal, medium and xhigh are mapped to
	// other efforts; reasoning_content goes back; JSON mode without a schema). "Invalid max_tokens
	// value, the valid range of max_tokens is [1, 393216]".
	{Host: "api.deepseek.com", Output: 393216, Efforts: "none low high max", Has: target.NoFormat},
}
