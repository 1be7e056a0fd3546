package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/target"
)

const (
	lmh = "low medium high"

	moonshot  = "api.moonshot.ai api.moonshot.cn"
	zai       = "api.z.ai open.bigmodel.cn"
	googles   = "generativelanguage.googleapis.com aiplatform.googleapis.com" // the latter is Vertex AI
	together  = "api.together.xyz api.together.ai"
	dashScope = "dashscope.aliyuncs.com dashscope-intl.aliyuncs.com dashscope-us.aliyuncs.com " +
		"maas.aliyuncs.com"

	siliconFlow = "api.siliconflow.cn api.siliconflow.com"

	// cloudflare:ai and Cloudflare's REST API
	cloudflare = "cloudflare api.cloudflare.com"

	// Facts common to the rows of one vendor.
	moon = target.Anew | target.CompletionTokens | target.NoSampling | target.Flavored |
		target.CommonImages | target.FourStops
	kimi = moon | target.EchoContent | target.NoForcedTool
	glm  = target.EchoContent | target.NoFormat
	dash = target.TopK | target.Anew
	goog = target.EchoExtra | target.DefinedRequired | target.NoPenalties
	grq  = target.CompletionTokens | target.Parallel | target.NoLogprobs | target.FourStops |
		target.FormatOrTools
	cf  = target.Cloudflare
	cfs = target.Cloudflare | target.EchoBoth
)

// Target returns the known facts of the server at host for requests with model.
func (Upstream) Target(host, model string) *ir.Target {
	host, lacks := openai.HostOf(host, model)
	lacks |= target.Search | target.ToolSearch | target.Programs
	return target.Find(host, model, lacks, Targets[:], openai.Targets[:])
}

// Targets has the known facts of servers that speak only Chat Completions, or differ between Chat
// Completions and Responses. Sources are the servers' documentation or error messages.
//
// Servers that accept the safe set, as Ollama, LM Studio, vLLM and llama.cpp do, are absent: what
// they accept depends on the model they run (Ollama answers an effort with 400 "does not support
// thinking").
var Targets = [...]target.Row{
	// Models that continue from the reasoning between their calls, at hosts other than their
	// vendors': DeepSeek, Moonshot, Z.ai and MiniMax document this for their models, and OpenAI for
	// the harmony format of gpt-oss, which has three efforts. SGLang, llama.cpp, Fireworks, Novita
	// and LiteLLM read reasoning_content; vLLM since 0.16 (vllm-project/vllm#38488), Ollama,
	// LocalAI and Cloudflare (cloudflare/ai#451) read reasoning.
	{Model: "deepseek-", Has: target.EchoBoth},
	{Model: "kimi-", Has: target.EchoBoth},
	{Model: "glm-", Has: target.EchoBoth},
	{Model: "minimax-", Has: target.EchoBoth},
	{Model: "gpt-oss", Efforts: lmh, Has: target.EchoBoth},

	// Bedrock's /openai/v1 has the reasoning in the text, in tags: BerriAI/litellm#40775.
	{Host: "amazonaws.com", Model: "gpt-oss", Efforts: lmh, Has: target.EchoBoth | target.ThinkTags},

	// Cerebras: inference-docs.cerebras.ai/capabilities/reasoning. It rejects reasoning_content
	// (anomalyco/opencode, transform.ts).
	{Host: "api.cerebras.ai", Has: target.CompletionTokens},
	{Host: "api.cerebras.ai", Model: "gpt-oss", Efforts: lmh, Has: target.CompletionTokens},
	{Host: "api.cerebras.ai", Model: "zai-glm", Efforts: "none",
		Has: target.CompletionTokens | target.TextOnly | target.Thinks},

	// Together: docs.together.ai/docs/inference/chat/reasoning (hybrid models).
	{Host: together, Model: "kimi-k2-5 kimi-k2-6 glm-5 deepseek-v4 deepseek-v3-1",
		Has: target.EchoBoth | target.ThinkingMember},
	{Host: together, Model: "qwen3-5 qwen3-6", Has: target.ThinkingMember},

	// Fireworks: docs.fireworks.ai/guides/reasoning; the efforts of its models are from LangChain
	// (deepagents, reasoning_effort).
	{Host: "api.fireworks.ai", Model: "kimi-k2", Efforts: lmh, Has: target.EchoBoth},
	{Host: "api.fireworks.ai", Model: "glm-5", Efforts: "none high max", Has: target.EchoBoth},

	// DeepInfra: docs.deepinfra.com/chat/reasoning ("using these parameters on a non-reasoning model
	// has no effect").
	{Host: "api.deepinfra.com", Efforts: "none low medium high"},
	{Host: "api.deepinfra.com", Model: "deepseek- kimi- glm- minimax- gpt-oss",
		Efforts: "none low medium high", Has: target.EchoBoth},

	// SiliconFlow: docs.siliconflow.cn, chat completions (enable_thinking). Other models say "current
	// model does not support parameter `enable_thinking`".
	{Host: siliconFlow, Model: "kimi-k2-5 kimi-k2-6 glm-4-5 glm-4-6 glm-4-7 glm-5 deepseek-v3-1 " +
		"deepseek-v3-2 deepseek-v4", Has: target.EchoBoth | target.ThinkingFlag},
	{Host: siliconFlow, Model: "qwen3", Has: target.ThinkingFlag},
	{Host: siliconFlow, Model: "qwen3-coder qwen3-vl qwen3-omni qwen3-30b-a3b-instruct " +
		"qwen3-235b-a22b-instruct qwen3-next-80b-a3b-instruct qwen3-30b-a3b-thinking " +
		"qwen3-235b-a22b-thinking qwen3-next-80b-a3b-thinking"},

	// Baseten: docs.baseten.co/development/model-apis/reasoning. These models do not reason unless
	// asked.
	{Host: "inference.baseten.co", Model: "kimi-k2-5 glm-4-6 glm-4-7",
		Has: target.EchoBoth | target.ThinkingArgument},

	// DeepSeek: api-docs.deepseek.com/guides/thinking_mode (it accepts minimal, medium and xhigh,
	// and maps them to other efforts; an object turns thinking off; reasoning_content goes back;
	// JSON mode has no schema; only its beta continues from a prefix). "Invalid max_tokens value,
	// the valid range of max_tokens is [1, 393216]".
	{Host: "api.deepseek.com", Output: 393216, Efforts: "minimal low medium high xhigh max",
		Has: target.EchoContent | target.NoFormat | target.ThinkingObject | target.Anew},

	// Moonshot: platform.kimi.ai/docs, chat API and models overview. Sampling parameters of kimi
	// models are fixed; reasoning_content goes back, and a message is continued only with
	// "partial". Thinking can be turned off for K2.5 and K2.6 ("invalid thinking: only type=enabled
	// is allowed for this model" of K2.7 Code). Moonshot has its own rules for schemas
	// (package schema, flavor.go) and names of tools (ir.Target.ToolName). Temperatures except 1 are
	// rejected, also by moonshot-v1 (Tencent/WeKnora#1383), and forced tools while the model thinks
	// ("tool_choice 'specified' is incompatible with thinking enabled"); K3 may be required to call any
	// tool, but not one by name (UKGovernmentBEIS/inspect_ai#5152, alibaba/page-agent#625).
	{Host: moonshot, Has: moon},
	{Host: moonshot, Model: "kimi-", Has: kimi},
	{Host: moonshot, Model: "kimi-k2.5", Has: kimi | target.ThinkingObject},
	{Host: moonshot, Model: "kimi-k2.6", Has: kimi | target.ThinkingObject},
	{Host: moonshot, Model: "kimi-k3", Efforts: "low high max",
		Has: kimi&^target.NoForcedTool | target.NoNamedTool},

	// Z.ai: docs.z.ai/guides/capabilities/thinking-mode (thinking goes back with the tool results,
	// and is turned off by an object). GLM-5.3 always thinks, accepts max_tokens in [1, 131072] and
	// three efforts. JSON mode knows no schema.
	{Host: zai, Output: 131072, Has: glm | target.ThinkingObject},
	{Host: zai, Model: "glm-5.3", Output: 131072, Efforts: "low high max", Has: glm},
	{Host: zai, Model: "glm-4.5", Output: 96000, Has: glm | target.ThinkingObject},

	// Alibaba's Model Studio: alibabacloud.com/help/en/model-studio/deep-thinking (enable_thinking
	// for models whose thinking is optional; the others always think: "The value of the
	// enable_thinking parameter is restricted to True"), OpenAI-compatible Chat (top_k; "partial"),
	// .../base-url (WORKSPACE.REGION.maas.aliyuncs.com beside the shared hosts).
	{Host: dashScope, Has: dash | target.ThinkingFlag},
	{Host: dashScope, Model: "qwq", Has: dash},
	{Host: dashScope, Model: "qwen3-235b-a22b-thinking", Has: dash},
	{Host: dashScope, Model: "qwen3-30b-a3b-thinking", Has: dash},
	{Host: dashScope, Model: "qwen3-next-80b-a3b-thinking", Has: dash},
	{Host: dashScope, Model: "kimi-k2-thinking", Has: dash},

	// Cloudflare: developers.cloudflare.com/workers-ai/models. The schemas require a text as
	// content (cloudflare/ai, workers-ai-provider, utils.ts: the binding rejects null), and older
	// models answer without choices. Efforts are from Cloudflare's catalogue
	// (anomalyco/models.dev#7454, cloudflare/cloudflare-docs#33022).
	{Host: cloudflare, Has: cf},
	{Host: cloudflare, Model: "kimi-", Has: cfs},
	{Host: cloudflare, Model: "kimi-k2.6", Efforts: "none high", Has: cfs},
	{Host: cloudflare, Model: "glm-", Has: cfs | target.ThinkingTemplate},
	{Host: cloudflare, Model: "glm-5.2", Efforts: "high max", Has: cfs | target.ThinkingTemplate},
	{Host: cloudflare, Model: "glm-5.3", Efforts: "low high max", Has: cfs},
	{Host: cloudflare, Model: "gemma-4", Efforts: "none high", Has: cfs},
	{Host: cloudflare, Model: "gpt-oss", Efforts: lmh, Has: cfs},
	{Host: cloudflare, Model: "deepseek-v4", Has: cfs},
	{Host: cloudflare, Model: "nemotron-", Efforts: lmh, Has: cfs | target.ThinkingTemplate},

	// Groq: console.groq.com/docs/api-reference, .../reasoning and .../openai (unsupported: logprobs).
	// reasoning_effort of Qwen is none or default. "json mode cannot be combined with tool/function
	// calling" (vercel/ai#16540); only these models accept a schema (plune-ai/cairn#36).
	{Host: "api.groq.com", Has: grq | target.NoFormat},
	{Host: "api.groq.com", Model: "llama-4 kimi-k2", Has: grq},
	{Host: "api.groq.com", Model: "gpt-oss", Efforts: lmh, Has: grq},
	{Host: "api.groq.com", Model: "qwen3", Efforts: "none", Has: grq | target.NoFormat},

	// Mistral: docs.mistral.ai/api (prefix of an assistant message). It rejects unknown members,
	// such as max_completion_tokens, stream_options and logprobs, and call ids in another format
	// than its own. The seed is called random_seed. Temperatures: scottyeager/Pal#28. Images: its
	// "Vision".
	{Host: "api.mistral.ai",
		Has: target.Parallel | target.UsageUnasked | target.ShortCallIDs | target.NoLogprobs |
			target.Prefix | target.RandomSeed | target.AssistantAfterTool | target.Temperature15 |
			target.CommonImages},

	// Google: ai.google.dev/gemini-api/docs/openai; thought signatures come and go back in
	// extra_content, but models before Gemini 3 do not require them. Thinking can't be turned off
	// for all models; only Gemini 2.0 accepts penalties (see package gemini).
	// "parameters.required[0]: property is not defined".
	{Host: googles, Has: goog},
	{Host: googles, Model: "gemini-3", Output: 65536, Efforts: "minimal low medium high", Has: goog},
	{Host: googles, Model: "gemini-2", Has: goog | target.Unsigned},
	{Host: googles, Model: "gemini-2.5", Output: 65536, Efforts: "low medium high",
		Has: goog | target.Unsigned},
}
