package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/target"
)

const lmh = "low medium high"

// Target returns what is known of the server at host when it is asked for model.
func (Upstream) Target(host, model string) ir.Target {
	return target.Find(host, model, target.Search, Targets[:], openai.Targets[:])
}

// Targets is what is known of servers that speak Chat Completions alone, or speak it otherwise than Responses, from their documentation or
// their own refusals.
//
// Absent are servers that take the safe set, as Ollama, LM Studio, vLLM and llama.cpp do: what they accept depends on the model
// that runs there (Ollama answers 400 "does not support thinking" to an effort).
var Targets = [...]target.Row{
	// DeepSeek: api-docs.deepseek.com/guides/thinking_mode (it takes minimal, medium and xhigh, and makes other efforts of them;
	// reasoning_content goes back; JSON mode has no schema). "Invalid max_tokens value, the valid range of max_tokens is [1, 393216]".
	{Host: "api.deepseek.com", Output: 393216, Efforts: "minimal low medium high xhigh max", Has: target.EchoContent | target.NoFormat},

	// Moonshot: platform.kimi.ai/docs, chat API. Sampling parameters of kimi models are fixed; reasoning_content goes back. Schemas are
	// checked by rules of its own, which refuse undefined names in required and lists in items (github.com/vercel/ai/pull/18921).
	{Host: "api.moonshot.ai", Has: target.CompletionTokens | target.DefinedRequired},
	{Host: "api.moonshot.ai", Model: "kimi-", Has: target.CompletionTokens | target.NoSampling | target.EchoContent | target.DefinedRequired},
	{Host: "api.moonshot.ai", Model: "kimi-k3", Efforts: "low high max", Has: target.CompletionTokens | target.NoSampling | target.EchoContent | target.DefinedRequired},
	{Host: "api.moonshot.cn", Has: target.CompletionTokens | target.DefinedRequired},
	{Host: "api.moonshot.cn", Model: "kimi-", Has: target.CompletionTokens | target.NoSampling | target.EchoContent | target.DefinedRequired},
	{Host: "api.moonshot.cn", Model: "kimi-k3", Efforts: "low high max", Has: target.CompletionTokens | target.NoSampling | target.EchoContent | target.DefinedRequired},

	// Z.ai: docs.z.ai/guides/capabilities/thinking-mode (thinking goes back with the tool results). GLM-5.3 takes max_tokens in
	// [1, 131072] and three efforts. JSON mode knows no schema.
	{Host: "api.z.ai", Output: 131072, Has: target.EchoContent | target.NoFormat},
	{Host: "api.z.ai", Model: "glm-5.3", Output: 131072, Efforts: "low high max", Has: target.EchoContent | target.NoFormat},
	{Host: "api.z.ai", Model: "glm-4.5", Output: 96000, Has: target.EchoContent | target.NoFormat},
	{Host: "open.bigmodel.cn", Output: 131072, Has: target.EchoContent | target.NoFormat},
	{Host: "open.bigmodel.cn", Model: "glm-5.3", Output: 131072, Efforts: "low high max", Has: target.EchoContent | target.NoFormat},
	{Host: "open.bigmodel.cn", Model: "glm-4.5", Output: 96000, Has: target.EchoContent | target.NoFormat},

	// Groq: console.groq.com/docs/api-reference and .../reasoning.
	{Host: "api.groq.com", Has: target.CompletionTokens | target.Parallel},
	{Host: "api.groq.com", Model: "gpt-oss", Efforts: lmh, Has: target.CompletionTokens | target.Parallel},

	// Mistral: docs.mistral.ai/api. It refuses members that it does not know: max_completion_tokens, stream_options; and ids
	// of calls that are not like its own.
	{Host: "api.mistral.ai", Has: target.Parallel | target.UsageUnasked | target.ShortCallIDs},

	// Google: ai.google.dev/gemini-api/docs/openai; thought signatures come and go back in extra_content, which models before
	// Gemini 3 do not demand. Thinking can't be turned off for all models. "parameters.required[0]: property is not defined".
	{Host: "generativelanguage.googleapis.com", Has: target.EchoExtra | target.DefinedRequired},
	{Host: "generativelanguage.googleapis.com", Model: "gemini-3", Output: 65536, Efforts: "minimal low medium high", Has: target.EchoExtra | target.DefinedRequired},
	{Host: "generativelanguage.googleapis.com", Model: "gemini-2", Has: target.EchoExtra | target.Unsigned | target.DefinedRequired},
	{Host: "generativelanguage.googleapis.com", Model: "gemini-2.5", Output: 65536, Efforts: "low medium high", Has: target.EchoExtra | target.Unsigned | target.DefinedRequired},
}
