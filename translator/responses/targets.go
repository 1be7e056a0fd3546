package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/target"
)

const lmh = "low medium high"

// Target returns what is known of the server at host when it is asked for model.
func (Upstream) Target(host, model string) *ir.Target {
	at, lacks := openai.HostOf(host, model)
	t := target.Find(at, model, lacks|target.ToolsWithoutEffort|target.TopK, Targets[:], openai.Targets[:])
	// OpenAI, and Azure (ai.azure.com/api-reference/responses/compact-response-conversation)
	t.OwnCompaction = target.IsHost(at, openai.Host)
	t.Phases = takesPhases(strings.ToLower(model))
	return t
}

// Targets is what is known of servers that speak Responses alone, or speak it otherwise than Chat
// Completions.
var Targets = [...]target.Row{
	{Model: "gpt-oss", Efforts: lmh}, // at any host

	// DeepSeek: api-docs.deepseek.com/guides/thinking_mode (minimal, medium and xhigh are taken for
	// others; reasoning_content goes back; JSON mode without a schema). "Invalid max_tokens value,
	// the valid range of max_tokens is [1, 393216]".
	{Host: "api.deepseek.com", Output: 393216, Efforts: "none low high max", Has: target.NoFormat},
}
