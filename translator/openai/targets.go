package openai

import (
	"strings"

	"edgelingua/translator/target"
)

// Host is the host of OpenAI's own service.
const Host = "api.openai.com"

const (
	host           = Host
	openRouterHost = "openrouter.ai"
	mantle         = "api.aws" // bedrock-mantle.REGION.api.aws

	// gpt has the facts common to most of OpenAI's rows. target.Strict is for models that conform
	// to a schema. OpenAI rejects unions, enum and not at the root of a schema ("schema must have
	// type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"). OpenAI's
	// models do not continue a final assistant message: they answer anew.
	gpt = target.Anew | target.IsOpenAI | target.CompletionTokens | target.Parallel | target.Strict |
		target.PlainRoot | target.Files

	// reasons is for OpenAI's reasoning models: "Unsupported parameter: 'stop' is not supported
	// with this model", and the same for temperature and top_p
	// (developers.openai.com/api/docs/guides/latest-model, parameter compatibility).
	reasons = gpt | target.NoSampling | target.NoStop

	// reasons54 is for GPT-5.4 and later: "Function tools with reasoning_effort are not supported
	// for gpt-5.6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set
	// reasoning_effort to 'none'." These models also support tool search
	// (.../guides/tools-tool-search: "only gpt-5.4 and later models support tool_search").
	reasons54 = reasons | target.Search | target.ToolSearch | target.ToolsWithoutEffort

	// reasons56 is for GPT-5.6 and later, which write programs that call tools (.../guides/latest-model,
	// "Programmatic tool calling", for GPT-5.6 and for GPT-6).
	reasons56 = reasons54 | target.Programs

	// elsewhere has the facts of OpenAI's reasoning models on any server (learn.microsoft.com,
	// "Azure OpenAI reasoning models", and the models' own errors, which gateways forward).
	elsewhere = target.Anew | target.PlainRoot | target.CompletionTokens | target.NoSampling | target.NoStop

	grok = target.Parallel | target.NoStop | target.NoPenalties | target.PlainImages | target.Filled |
		target.NoAudio

	azure = "openai.azure.com services.ai.azure.com cognitiveservices.azure.com"

	// notAtAzure has the facts of OpenAI's own service that Azure lacks or implements differently.
	notAtAzure = target.IsOpenAI | target.Search | target.ChatSearch | target.Files | target.Programs
)

// HostOf returns the host whose rows apply to a server, and the facts of these rows that the server
// lacks. Azure serves OpenAI's models with the same efforts and limits as OpenAI, and also rejects
// tools together with an effort (can1357/oh-my-pi#11052).
func HostOf(server, model string) (of string, lacks target.Facts) {
	if target.IsHost(strings.ToLower(server), azure) && IsModel(model) {
		return host, notAtAzure
	}
	return server, 0
}

// IsModel reports whether only OpenAI, or Azure for OpenAI, serves a model: gpt-oss is open.
func IsModel(model string) bool {
	family := target.Family(strings.ToLower(model))
	for _, known := range [...]string{"gpt-", "o1", "o3", "o4", "codex-"} {
		if strings.HasPrefix(family, known) {
			return !strings.HasPrefix(family, "gpt-oss")
		}
	}
	return false
}

const (
	lmh    = "low medium high"
	lmhx   = "low medium high xhigh"
	lmhxm  = "low medium high xhigh max"
	nlmhx  = "none low medium high xhigh"
	nlmhxm = "none low medium high xhigh max"

	nmlmhxm    = "none minimal low medium high xhigh max"
	openRouter = target.Parallel | target.Files | target.FileURLs | target.EchoDetails | target.TopK |
		target.CommonImages
)

// Targets describes known servers that speak both of OpenAI's APIs, from their documentation or
// from their errors.
var Targets = [...]target.Row{
	// OpenAI. Limits: developers.openai.com/api/docs/models. Efforts: .../guides/reasoning, the
	// comment on ReasoningEffort in the SDKs ("gpt-5.1 ... none, low, medium, and high"; "gpt-5-pro
	// ... only supports high"; xhigh after gpt-5.1-codex-max), and for GPT-6 the capabilities
	// listed in Vercel's AI SDK. A model without a row is sent no effort.
	{Host: host, Has: reasons | target.Search | target.ToolsWithoutEffort},
	{Host: host, Model: "gpt-6", Output: 128000, Efforts: lmhxm, Has: reasons56},
	{Host: host, Model: "gpt-6-sol", Output: 128000, Efforts: nlmhxm, Has: reasons56},
	{Host: host, Model: "gpt-6-luna", Output: 128000, Efforts: nlmhxm, Has: reasons56},
	{Host: host, Model: "gpt-6.1-terra", Output: 128000, Efforts: nlmhxm, Has: reasons56},
	{Host: host, Model: "gpt-5.6", Output: 128000, Efforts: nlmhxm, Has: reasons56},
	{Host: host, Model: "gpt-5.5", Output: 128000, Efforts: nlmhx, Has: reasons54},
	{Host: host, Model: "gpt-5.5-pro", Output: 128000, Efforts: "medium high xhigh", Has: reasons54},
	{Host: host, Model: "gpt-5.4", Output: 128000, Efforts: nlmhx, Has: reasons54},
	{Host: host, Model: "gpt-5.4-pro", Output: 128000, Efforts: "medium high xhigh", Has: reasons54},
	{Host: host, Model: "gpt-5.3-codex", Output: 128000, Efforts: lmhx, Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.3-chat", Output: 16384, Efforts: "medium", Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.2", Output: 128000, Efforts: nlmhx, Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.2-codex", Output: 128000, Efforts: lmhx, Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.2-pro", Output: 128000, Efforts: "medium high xhigh",
		Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.2-chat", Output: 16384, Efforts: "medium", Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.1", Output: 128000, Efforts: "none low medium high",
		Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.1-codex", Output: 128000, Efforts: lmh, Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.1-codex-max", Output: 128000, Efforts: lmhx, Has: reasons | target.Search},
	{Host: host, Model: "gpt-5.1-chat", Output: 16384, Efforts: "medium", Has: reasons | target.Search},
	{Host: host, Model: "gpt-5", Output: 128000, Efforts: "minimal low medium high",
		Has: reasons | target.Search},
	{Host: host, Model: "gpt-5-codex", Output: 128000, Efforts: lmh, Has: reasons | target.Search},
	{Host: host, Model: "gpt-5-pro", Output: 272000, Efforts: "high", Has: reasons | target.Search},
	{Host: host, Model: "gpt-5-chat", Output: 16384, Has: gpt},
	{Host: host, Model: "gpt-5-search-api", Has: gpt | target.NoSampling | target.NoStop | target.ChatSearch},
	{Host: host, Model: "codex-mini", Output: 100000, Efforts: lmh, Has: reasons},
	{Host: host, Model: "o4-mini", Output: 100000, Efforts: lmh, Has: reasons | target.Search},
	{Host: host, Model: "o3", Output: 100000, Efforts: lmh, Has: reasons | target.Search},
	{Host: host, Model: "o3-mini", Output: 100000, Efforts: lmh, Has: reasons},
	{Host: host, Model: "o1", Output: 100000, Efforts: lmh, Has: reasons},
	{Host: host, Model: "gpt-4.1", Output: 32768, Has: gpt | target.Search},
	{Host: host, Model: "gpt-4.1-nano", Output: 32768, Has: gpt},
	{Host: host, Model: "gpt-4o", Output: 16384, Has: gpt | target.Search},
	{Host: host, Model: "gpt-4o-search-preview", Output: 16384,
		Has: gpt | target.NoSampling | target.NoStop | target.ChatSearch},
	{Host: host, Model: "gpt-4o-mini-search-preview", Output: 16384,
		Has: gpt | target.NoSampling | target.NoStop | target.ChatSearch},
	{Host: host, Model: "chatgpt-4o", Output: 16384, Has: gpt},
	{Host: host, Model: "gpt-4-turbo", Output: 4096, Has: gpt},
	{Host: host, Model: "gpt-4", Output: 8192, Has: gpt},
	{Host: host, Model: "gpt-3.5", Output: 4096, Has: gpt},

	// OpenAI's models on any other host: the efforts that all models of the family accept.
	{Model: "gpt-6", Efforts: lmh, Has: elsewhere},
	{Model: "gpt-5", Efforts: lmh, Has: elsewhere},
	{Model: "gpt-5-pro", Efforts: "high", Has: elsewhere},
	{Model: "gpt-5-chat", Has: target.Anew | target.PlainRoot | target.CompletionTokens},
	{Model: "gpt-5.1-chat", Efforts: "medium", Has: elsewhere},
	{Model: "gpt-5.2-chat", Efforts: "medium", Has: elsewhere},
	{Model: "gpt-5.2-pro", Efforts: "medium high xhigh", Has: elsewhere},
	{Model: "gpt-5.3-chat", Efforts: "medium", Has: elsewhere},
	{Model: "gpt-5.4-pro", Efforts: "medium high xhigh", Has: elsewhere},
	{Model: "gpt-5.5-pro", Efforts: "medium high xhigh", Has: elsewhere},
	{Model: "codex-mini", Efforts: lmh, Has: elsewhere},
	{Model: "o4", Efforts: lmh, Has: elsewhere},
	{Model: "o3", Efforts: lmh, Has: elsewhere},
	{Model: "o1", Efforts: lmh, Has: elsewhere},

	// Bedrock Mantle: docs.aws.amazon.com/bedrock, OpenAI models. It accepts the efforts of the newest
	// models that OpenAI accepts, and "none" for all of them.
	{Host: mantle, Model: "gpt-5.6", Efforts: nlmhxm, Has: elsewhere},
	{Host: mantle, Model: "gpt-6", Efforts: nlmhxm, Has: elsewhere},

	// OpenRouter: openrouter.ai/docs, parameters (top_k), reasoning tokens (ChatRequestEffort;
	// reasoning_details go back), PDF inputs (also by URL), image inputs (four types), prompt
	// caching: Claude caches only with cache_control, Gemini and Qwen cache up to each cache_control;
	// it is set on parts and tools (ChatContentCacheControl).
	{Host: openRouterHost, Efforts: nmlmhxm, Has: openRouter},
	{Host: openRouterHost, Model: "claude-", Efforts: nmlmhxm, Has: openRouter | target.Caching},
	{Host: openRouterHost, Model: "gemini-", Efforts: nmlmhxm, Has: openRouter | target.Breakpoints},
	{Host: openRouterHost, Model: "qwen3", Efforts: nmlmhxm, Has: openRouter | target.Breakpoints},

	// Vercel's AI Gateway: vercel.com/docs/ai-gateway, "Automatic Caching": Claude caches only with
	// cache_control.
	{Host: "ai-gateway.vercel.sh", Model: "claude-", Has: target.Caching},

	// xAI: docs.x.ai/developers/model-capabilities/text/reasoning. Its models reject stop and
	// penalties, and most reject an effort. Images: .../images/understanding. "Every message needs at
	// least one non-empty content element" (langbot-app/LangBot#1205). Its Responses have parts for text,
	// images and files only (types of @langchain/xai).
	{Host: "api.x.ai", Has: grok | target.Search},
	{Host: "api.x.ai", Model: "grok-3-mini", Efforts: "low high", Has: grok},
	{Host: "api.x.ai", Model: "grok-4.3", Efforts: "none low medium high", Has: grok | target.Search},
	{Host: "api.x.ai", Model: "grok-4.5", Efforts: lmh, Has: grok | target.Search},
	{Host: "api.x.ai", Model: "grok-4.6", Efforts: lmhx, Has: grok | target.Search},
	{Host: "api.x.ai", Model: "grok-4.20-multi-agent", Efforts: lmhx, Has: grok | target.Search},
}
