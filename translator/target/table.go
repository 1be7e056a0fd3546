package target

// row is what one kind of upstream accepts.
type row struct {
	speaks  protocols
	host    string // it, and hosts below it; "" is any
	model   string // prefix of the model's name; "" is any
	output  int64  // most tokens of an answer; 0 where it is not known
	efforts string // of reasoning
	has     facts
}

type protocols uint8

const (
	messages protocols = 1 << iota
	chat
	responses
)

// facts are the flags of a Target.
type facts uint32

const (
	completionTokens facts = 1 << iota
	toolsWithoutEffort
	files
	systemTurns
	parallel
	search     // not in Chat
	chatSearch // in Chat
	strict
	plainRoot
	noFormat
	noSampling
	noStop
	isOpenAI
	usageUnasked // usage comes unasked, and asking may be refused
	budget
	adaptive
	alwaysThinks
	noForcedTool
	echoContent
	echoDetails
	echoExtra
	unsigned // takes calls without what echoExtra gives back
	shortCallIDs
	caching // of Messages: whatever cache_control may say
)

const (
	anthropicHost = "api.anthropic.com"

	// vendorOnly is what servers that offer Claude through the Messages API may lack, as Bedrock does. OpenRouter has the caching:
	// openrouter.ai/docs, prompt caching.
	vendorOnly     = search | strict | systemTurns | caching
	openRouterHost = "openrouter.ai"

	// What most rows of a vendor share. "strict" is taken by models that hold to a schema. Anthropic refuses unions at the root
	// of a schema ("input_schema does not support oneOf, allOf, or anyOf at the top level"), OpenAI unions, enum and not
	// ("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level").
	claude  = plainRoot | noFormat | caching
	claude4 = plainRoot | strict | search | caching
	claude5 = claude4 | adaptive | noSampling | systemTurns
	gpt     = isOpenAI | completionTokens | parallel | strict | plainRoot | files

	// OpenAI's models that reason: "Unsupported parameter: 'stop' is not supported with this model", and the same for
	// temperature and top_p (developers.openai.com/api/docs/guides/latest-model, parameter compatibility).
	reasons = gpt | noSampling | noStop

	// From GPT-5.4 on: "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. To use
	// function tools, use /v1/responses or set reasoning_effort to 'none'."
	reasons54 = reasons | search | toolsWithoutEffort
)

const (
	lmh    = "low medium high"
	lmhx   = "low medium high xhigh"
	lmhxm  = "low medium high xhigh max"
	nlmhx  = "none low medium high xhigh"
	nlmhxm = "none low medium high xhigh max"
	openAI = "api.openai.com"
	both   = chat | responses
)

// table holds what is documented, or what the servers' own refusals say.
//
// Absent are servers that take the safe set, as Ollama, LM Studio, vLLM and llama.cpp do: what they accept depends on the model
// that runs there (Ollama answers 400 "does not support thinking" to an effort).
var table = [...]row{
	// OpenAI. Limits: developers.openai.com/api/docs/models. Efforts: .../guides/reasoning, the comment on ReasoningEffort in the
	// SDKs ("gpt-5.1 ... none, low, medium, and high"; "gpt-5-pro ... only supports high"; xhigh after gpt-5.1-codex-max), and
	// for GPT-6 the capabilities that Vercel's AI SDK keeps. A model that is not known is not told how to reason.
	{both, openAI, "", 0, "", reasons | search | toolsWithoutEffort},
	{both, openAI, "gpt-6", 128000, lmhxm, reasons54},
	{both, openAI, "gpt-6-sol", 128000, nlmhxm, reasons54},
	{both, openAI, "gpt-6-luna", 128000, nlmhxm, reasons54},
	{both, openAI, "gpt-5.6", 128000, nlmhxm, reasons54},
	{both, openAI, "gpt-5.5", 128000, nlmhx, reasons54},
	{both, openAI, "gpt-5.5-pro", 128000, "medium high xhigh", reasons54},
	{both, openAI, "gpt-5.4", 128000, nlmhx, reasons54},
	{both, openAI, "gpt-5.4-pro", 128000, "medium high xhigh", reasons54},
	{both, openAI, "gpt-5.3-codex", 128000, lmhx, reasons | search},
	{both, openAI, "gpt-5.3-chat", 16384, "medium", reasons | search},
	{both, openAI, "gpt-5.2", 128000, nlmhx, reasons | search},
	{both, openAI, "gpt-5.2-codex", 128000, lmhx, reasons | search},
	{both, openAI, "gpt-5.2-pro", 128000, "medium high xhigh", reasons | search},
	{both, openAI, "gpt-5.2-chat", 16384, "medium", reasons | search},
	{both, openAI, "gpt-5.1", 128000, "none low medium high", reasons | search},
	{both, openAI, "gpt-5.1-codex", 128000, lmh, reasons | search},
	{both, openAI, "gpt-5.1-codex-max", 128000, lmhx, reasons | search},
	{both, openAI, "gpt-5.1-chat", 16384, "medium", reasons | search},
	{both, openAI, "gpt-5", 128000, "minimal low medium high", reasons | search},
	{both, openAI, "gpt-5-codex", 128000, lmh, reasons | search},
	{both, openAI, "gpt-5-pro", 272000, "high", reasons | search},
	{both, openAI, "gpt-5-chat", 16384, "", gpt},
	{both, openAI, "gpt-5-search-api", 0, "", gpt | noSampling | noStop | chatSearch},
	{both, openAI, "codex-mini", 100000, lmh, reasons},
	{both, openAI, "o4-mini", 100000, lmh, reasons | search},
	{both, openAI, "o3", 100000, lmh, reasons | search},
	{both, openAI, "o3-mini", 100000, lmh, reasons},
	{both, openAI, "o1", 100000, lmh, reasons},
	{both, openAI, "gpt-4.1", 32768, "", gpt | search},
	{both, openAI, "gpt-4.1-nano", 32768, "", gpt},
	{both, openAI, "gpt-4o", 16384, "", gpt | search},
	{both, openAI, "gpt-4o-search-preview", 16384, "", gpt | noSampling | noStop | chatSearch},
	{both, openAI, "gpt-4o-mini-search-preview", 16384, "", gpt | noSampling | noStop | chatSearch},
	{both, openAI, "chatgpt-4o", 16384, "", gpt},
	{both, openAI, "gpt-4-turbo", 4096, "", gpt},
	{both, openAI, "gpt-4", 8192, "", gpt},
	{both, openAI, "gpt-3.5", 4096, "", gpt},

	// Responses at any other host: only the efforts that all models of a family take.
	{responses, "", "gpt-6", 0, lmh, noSampling},
	{responses, "", "gpt-5", 0, lmh, noSampling},
	{responses, "", "o4", 0, lmh, noSampling},
	{responses, "", "o3", 0, lmh, noSampling},
	{responses, "", "o1", 0, lmh, noSampling},
	{responses, "", "gpt-oss", 0, lmh, 0},

	// Anthropic, and whoever offers Claude through the Messages API. Limits: platform.claude.com/docs, models overview. Thinking:
	// .../build-with-claude/thinking (budget_tokens is refused from 4.7 on; 4.5 and older know no adaptive thinking). Efforts:
	// .../effort. Schemas: .../structured-outputs. Sampling parameters are refused from 4.7 on ("temperature is deprecated for this model").
	// Fable and Mythos refuse thinking disabled (.../models/fable-5/migration-guide), and from 5.1 on tool_choice any and tool
	// (.../models/fable-5-1/migration-guide). Role system among the messages came with Opus 4.8 (.../mid-conversation-system-messages). The newest serve for
	// names to come.
	{messages, "", "", 0, "", noFormat | caching},
	{messages, "", "claude-", 128000, lmhxm, claude5},
	{messages, "", "claude-opus-4-8", 128000, lmhxm, claude5},
	{messages, "", "claude-fable", 128000, lmhxm, claude5 | alwaysThinks | noForcedTool},
	{messages, "", "claude-fable-5", 128000, lmhxm, claude5 | alwaysThinks},
	{messages, "", "claude-fable-5-1", 128000, lmhxm, claude5 | alwaysThinks | noForcedTool},
	{messages, "", "claude-mythos", 128000, lmhxm, claude5 | alwaysThinks | noForcedTool},
	{messages, "", "claude-mythos-5", 128000, lmhxm, claude5 | alwaysThinks},
	{messages, "", "claude-mythos-5-1", 128000, lmhxm, claude5 | alwaysThinks | noForcedTool},
	{messages, "", "claude-mythos-preview", 128000, lmhxm, claude5&^systemTurns | alwaysThinks},
	{messages, "", "claude-opus-4-7", 128000, lmhxm, claude5 &^ systemTurns},
	{messages, "", "claude-opus-4-6", 128000, "low medium high max", claude4 | adaptive},
	{messages, "", "claude-sonnet-4-6", 128000, lmh, claude4 | adaptive},
	{messages, "", "claude-opus-4-5", 64000, "", claude4 | budget},
	{messages, "", "claude-sonnet-4-5", 64000, "", claude4 | budget},
	{messages, "", "claude-haiku-4-5", 64000, "", claude4 | budget},
	{messages, "", "claude-opus-4-1", 32000, "", claude4 | budget},
	{messages, "", "claude-opus-4", 32000, "", claude | search | budget},
	{messages, "", "claude-sonnet-4", 64000, "", claude | search | budget},
	{messages, "", "claude-3-7", 64000, "", claude | search | budget},
	{messages, "", "claude-3-5", 8192, "", claude | search},
	{messages, "", "claude-3", 4096, "", claude},

	// OpenRouter: openrouter.ai/docs, reasoning tokens (ChatRequestEffort; reasoning_details go back), PDF inputs.
	{both, openRouterHost, "", 0, "none minimal low medium high xhigh max", parallel | files | echoDetails},

	// DeepSeek: api-docs.deepseek.com/guides/thinking_mode (minimal, medium and xhigh are taken for others; reasoning_content goes
	// back; JSON mode without a schema). "Invalid max_tokens value, the valid range of max_tokens is [1, 393216]".
	{chat, "api.deepseek.com", "", 393216, "minimal low medium high xhigh max", echoContent | noFormat},
	{responses, "api.deepseek.com", "", 393216, "none low high max", noFormat},

	// Moonshot: platform.kimi.ai/docs, chat API. Sampling parameters of kimi models are fixed; reasoning_content goes back.
	{chat, "api.moonshot.ai", "", 0, "", completionTokens},
	{chat, "api.moonshot.ai", "kimi-", 0, "", completionTokens | noSampling | echoContent},
	{chat, "api.moonshot.ai", "kimi-k3", 0, "low high max", completionTokens | noSampling | echoContent},
	{chat, "api.moonshot.cn", "", 0, "", completionTokens},
	{chat, "api.moonshot.cn", "kimi-", 0, "", completionTokens | noSampling | echoContent},
	{chat, "api.moonshot.cn", "kimi-k3", 0, "low high max", completionTokens | noSampling | echoContent},

	// Z.ai: docs.z.ai/guides/capabilities/thinking-mode (thinking goes back with the tool results). GLM-5.3 takes max_tokens in
	// [1, 131072] and three efforts. JSON mode knows no schema.
	{chat, "api.z.ai", "", 131072, "", echoContent | noFormat},
	{chat, "api.z.ai", "glm-5.3", 131072, "low high max", echoContent | noFormat},
	{chat, "api.z.ai", "glm-4.5", 96000, "", echoContent | noFormat},
	{chat, "open.bigmodel.cn", "", 131072, "", echoContent | noFormat},
	{chat, "open.bigmodel.cn", "glm-5.3", 131072, "low high max", echoContent | noFormat},
	{chat, "open.bigmodel.cn", "glm-4.5", 96000, "", echoContent | noFormat},

	// Groq: console.groq.com/docs/api-reference and .../reasoning.
	{chat, "api.groq.com", "", 0, "", completionTokens | parallel},
	{chat, "api.groq.com", "gpt-oss", 0, lmh, completionTokens | parallel},

	// Mistral: docs.mistral.ai/api. It refuses members that it does not know: max_completion_tokens, stream_options; and ids
	// of calls that are not like its own.
	{chat, "api.mistral.ai", "", 0, "", parallel | usageUnasked | shortCallIDs},

	// xAI: docs.x.ai/developers/model-capabilities/text/reasoning. Its models refuse stop, and most of them an effort.
	{both, "api.x.ai", "", 0, "", parallel | noStop | search},
	{both, "api.x.ai", "grok-3-mini", 0, "low high", parallel | noStop},
	{both, "api.x.ai", "grok-4.3", 0, "none low medium high", parallel | noStop | search},
	{both, "api.x.ai", "grok-4.5", 0, lmh, parallel | noStop | search},
	{both, "api.x.ai", "grok-4.6", 0, lmhx, parallel | noStop | search},
	{both, "api.x.ai", "grok-4.20-multi-agent", 0, lmhx, parallel | noStop | search},

	// Google: ai.google.dev/gemini-api/docs/openai; thought signatures come and go back in extra_content, which models before
	// Gemini 3 do not demand. Thinking can't be turned off for all models.
	{chat, "generativelanguage.googleapis.com", "", 0, "", echoExtra},
	{chat, "generativelanguage.googleapis.com", "gemini-3", 65536, "minimal low medium high", echoExtra},
	{chat, "generativelanguage.googleapis.com", "gemini-2", 0, "", echoExtra | unsigned},
	{chat, "generativelanguage.googleapis.com", "gemini-2.5", 65536, "low medium high", echoExtra | unsigned},
}
