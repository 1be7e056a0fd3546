package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
	"edgelingua/translator/target"
)

// Codex sends a patch tool of the type custom, and the tools of each MCP server in a tool of the
// type namespace, also to servers that are not OpenAI's: openai/codex#32318 and #26234. LM Studio
// rejects both ("Invalid", tools.13.type: lmstudio-ai/lms#537), OpenRouter too (awsl-project/maxx#537),
// vLLM only for gpt-oss (vllm-project/vllm#49493). Ollama passes a namespace to the template, which
// may fail, or makes up names (ollama/ollama#17618, openai/codex#23186); oMLX drops every tool that
// is not a function (jundot/omlx#3371). So these servers get functions.

// functionHosts are servers that accept only functions from clients, whatever the model.
const functionHosts = "openrouter.ai api.aws"

// customHosts are OpenAI's, which accept tools of the types custom and namespace.
const customHosts = openai.Host + " chatgpt.com"

// azure has deployments of OpenAI's models under any names.
const azure = "openai.azure.com"

// acceptsCustom reports whether a server accepts tools of the types custom and namespace. Behind an
// unknown host, a model of OpenAI's is probably OpenAI's service, for example through LiteLLM.
func acceptsCustom(host, model string) bool {
	host = strings.ToLower(host)
	return target.IsHost(host, customHosts) ||
		target.IsHost(host, azure) && !strings.HasPrefix(model, "gpt-oss") ||
		!target.IsHost(host, functionHosts) && openai.IsModel(model)
}

// holdsCustom reports whether a body seems to have tools of these types, other tools of OpenAI's
// that the client runs, or a call of a custom tool.
func holdsCustom(body string) bool {
	for _, kind := range [...]string{"namespace", "custom", "custom_tool_call", toolSearch, localShell, shell,
		applyPatch} {
		if jsonr.Shows(body, `"type"`, `"`+kind+`"`) {
			return true
		}
	}
	return false
}

// isCustom reports whether a tool is sent as a custom tool.
func (w *requestWriter) isCustom(t *ir.Tool) bool {
	return t.Kind == ir.CustomTool && w.Target.CustomTools
}

// isCustomCall reports whether a call is sent as the call of a custom tool.
func (w *requestWriter) isCustomCall(c *ir.Content) bool {
	return c.Kind == ir.CustomCallContent && w.Target.CustomTools
}

// customFunction writes the rest of a custom tool as a function with the argument "input" (FAULTS
// 64). stages.CustomCalls restores the calls.
//
//go:noinline
func (w *requestWriter) customFunction(t *ir.Tool) {
	w.Raw(`{"type":"function"`)
	w.nameAndDescription(t, ir.Escaped(schema.AppendCustomDescription(nil, t.Description, t.Grammar)))
	w.Raw(`,"parameters":` + schema.CustomInput + `,"strict":false}`)
}
