package rules

// Sources for Chat Completions.
var (
	chatTypes = Source{"openai 7.55.0, ChatCompletionCreateParams", read}
	chatDocs  = Source{"developers.openai.com/api/reference/resources/chat", known}
	outputs   = Source{"developers.openai.com/api/docs/guides/structured-outputs", known}
	// formatRoot also has the words of the refusal
	formatRoot = Source{"podly-pure-podcasts/podly_pure_podcasts#89", read}
	newest     = Source{"developers.openai.com/api/docs/guides/latest-model", known}
)

// Where the rules of Chat Completions apply.
const (
	walle = "MoonshotAI/walle, validator.go and keyword_validators.go"

	atOpenAI  = "api.openai.com"
	mistral   = "api.mistral.ai"
	xAI       = "api.x.ai"
	moonshot  = "api.moonshot.ai"
	groq      = "api.groq.com"
	templates = "servers that render a chat template: vLLM, SGLang, llama.cpp, LM Studio"
)

var chat = []Rule{
	{"members", "a member that the server does not know", "", Drop, chatTypes},
	{"roles", "a role that the API does not know", "", Refuse, chatTypes},
	{"content", "a message without content, except an assistant's with calls", "", Repair, chatTypes},
	{"empty-list", "empty lists of parts, calls or tools", "", Repair, chatTypes},
	{"parts", "a part in the form of another API", "", Repair, chatTypes},
	{"result-parts", "an image in the result of a tool", "", Repair, chatTypes},
	{"image-type", "an image that is not PNG, JPEG, GIF or WebP", atOpenAI, Drop,
		Source{"open-webui/open-webui#30100", read}},
	{"file-name", "a file without a name", "", Repair,
		Source{"developers.openai.com/api/docs/guides/file-inputs", known}},
	{"file-type", "a file that is not a PDF", "", Drop,
		Source{"developers.openai.com/api/docs/guides/file-inputs", known}},
	{"call-id", "an id of a call with more than 40 characters", atOpenAI, Repair,
		Source{"openclaw/openclaw#875", read}},
	{"call-id-unique", "the same id of a call twice", "", Repair, Source{"agno-agi/agno#5116", read}},
	{"tool-name", "a name of a tool outside ^[a-zA-Z0-9_-]{1,64}$", "", Repair,
		Source{"Vortiago/mcp-azure-devops#30", read}},
	{"arguments", "arguments that are not a JSON object in a string", "", Repair, chatTypes},
	{"results", "a call without one result in the next messages, or a result without its call", "", Repair,
		Source{"developers.openai.com/api/docs/guides/function-calling", known}},
	{"choice", "a tool choice without tools, or in the form of another API", "", Repair, chatDocs},
	{"chosen-tool", "a choice of a tool that is not offered", "", Refuse, chatDocs},
	{"tool-unique", "two tools with one name", "", Drop, chatDocs},
	{"schema-strict", "keywords, optional properties and open objects in a strict schema", atOpenAI,
		Repair, outputs},
	{"schema-union", "oneOf, anyOf or allOf at the root of a tool's schema", atOpenAI, Repair, outputs},
	{"schema-arrays", "an array without a schema for its elements", atOpenAI, Repair,
		Source{"developers.openai.com/api/docs/guides/function-calling", known}},
	{"one-limit", "max_tokens and max_completion_tokens together", "", Repair, chatDocs},
	{"stream-options", "stream_options without stream", "", Repair, chatDocs},
	{"stops", "more than four stop sequences", atOpenAI, Drop, chatTypes},
	{"format-name", "a schema of the answer without a name", "", Repair, chatTypes},
	{"format-root", "a schema of the answer that does not describe objects", atOpenAI, Drop, formatRoot},
	{"effort", "an effort that the model does not have", "", Repair, chatTypes},
	{"reasoning-details", "reasoning_details that the server did not send", "openrouter.ai", Drop,
		Source{"openrouter.ai/docs, reasoning tokens", known}},
	{"reasoning-content", "a turn with calls, without reasoning_content in each of its messages",
		"api.deepseek.com", Repair, Source{"api-docs.deepseek.com/guides/thinking_mode", read}},
	{"model-limit", "max_tokens", "reasoning models of OpenAI", Repair, newest},
	{"model-sampling", "temperature, top_p, penalties and log probabilities",
		"reasoning models of OpenAI", Drop, newest},
	{"metadata", "more than 16 metadata, or longer ones than 512 characters", atOpenAI, Drop,
		Source{"openai 7.55.0, Shared.Metadata", read}},
	{"model-stop", "stop", "reasoning models of OpenAI", Repair, newest},
	{"tools-effort", "functions with an effort except none", "GPT-5.4 and later", Repair, newest},
	{"custom", "a custom tool in the form of Responses", atOpenAI, Repair, chatTypes},
	{"functions", "a tool or a call that is not a function", templates, Repair,
		Source{"docs.vllm.ai, \"Tool Calling\"", known}},
	{"openai-members", "members of OpenAI's own service", templates, Drop,
		Source{"voideditor/void#128", known}},
	{"system-first", "a system message after another message", templates, Repair,
		Source{"vllm-project/vllm#41114", read}},
	{"alternate", "two messages of one role in a row", templates, Repair,
		Source{"vllm-project/vllm#6862", known}},
	{"user-after-tool", "a user message directly after a result", "Mistral's models", Repair,
		Source{"zed-industries/zed#37021", read}},
	{"text-only", "an image", "models that accept only text, as DeepSeek's", Drop,
		Source{"rikkahub/rikkahub#1433", known}},

	{"mistral-members", "max_completion_tokens, stream_options, seed and log probabilities", mistral, Repair,
		Source{"editor-code-assistant/eca#231, dnakov/anon-kode#53, Gitlawb/openclaude#739", read}},
	{"mistral-messages", "a name or reasoning in a message", mistral, Repair,
		Source{"charmbracelet/crush#1590, co-l/openfox#220", read}},
	{"mistral-seed", "a negative random_seed", mistral, Drop,
		Source{"docs.mistral.ai/api, random_seed", known}},
	{"mistral-temperature", "a temperature above 1.5", mistral, Drop, Source{"scottyeager/Pal#28", read}},
	{"mistral-call-id", "an id of a call outside ^[a-zA-Z0-9]{9}$", mistral, Repair,
		Source{"karthink/gptel#1203", read}},
	{"mistral-last", "an assistant message at the end without prefix", mistral, Repair,
		Source{"docs.mistral.ai/api, AssistantMessage.prefix", known}},
	{"xai-penalties", "penalties", xAI, Drop, Source{"miaoxworld/NativeTavern#83", read}},
	{"xai-stop", "stop", xAI, Repair,
		Source{"langchain-ai/langchain#38335, huggingface/smolagents#1766", read}},
	{"xai-effort", "an effort that the model does not have", xAI, Drop,
		Source{"acedergren/opencode-oci-provider, release 0.2.3", read}},
	{"xai-empty", "a message without a text that is not empty", xAI, Repair,
		Source{"langbot-app/LangBot#1205, AstrBotDevs/AstrBot#6447", read}},
	{"xai-image", "an image that is not JPEG or PNG", xAI, Drop,
		Source{"docs.x.ai, \"Image Understanding\", general limits", read}},
	{"moonshot-sampling", "a temperature except 1", moonshot, Drop,
		Source{"HKUDS/nanobot#202, Tencent/WeKnora#1383", read}},
	{"moonshot-reasoning", "a call without reasoning_content, while thinking is on", moonshot, Repair,
		Source{"continuedev/continue#11711", read}},
	{"moonshot-choice", "a tool choice that demands a call, while thinking is on", moonshot + ", except K3",
		Repair, Source{"UKGovernmentBEIS/inspect_ai#5152, can1357/oh-my-pi#1077", read}},
	{"moonshot-named", "a tool choice that names a tool", moonshot + ", K3", Repair,
		Source{"alibaba/page-agent#625, can1357/oh-my-pi#5994", read}},
	{"moonshot-name", "a name of a tool that does not begin with a letter", moonshot, Repair,
		Source{"MoonshotAI/kimi-cli#1773, openclaw/openclaw#79179", read}},
	{"moonshot-schema", "type next to anyOf, or a keyword both there and in a member", moonshot, Repair,
		Source{"MoonshotAI/kimi-cli#2531, XiaomiMiMo/MiMo-Code#488; " + walle, read}},
	{"moonshot-refs", "a $ref next to type or a keyword of its target, or to anything but # and $defs",
		moonshot, Repair, Source{"MoonshotAI/kimi-cli#1903, CommandCodeAI/command-code#594; " + walle, read}},
	{"moonshot-defined", "a required name without property, or an enum without type", moonshot, Repair,
		Source{"vercel/ai#18921, earendil-works/pi#5822; " + walle, read}},
	{"moonshot-items", "a list in items, true or false as a schema, or a root without type", moonshot,
		Repair, Source{"anomalyco/opencode#39995, 14790897/MiqroForge-Desktop#1165; " + walle, read}},
	{"groq-members", "log probabilities, logit_bias and store", groq, Drop,
		Source{"console.groq.com/docs/openai; fanenr/chatbot#21", read}},
	{"groq-messages", "a name or reasoning_content in a message", groq, Drop,
		Source{"console.groq.com/docs/openai; tashfeenahmed/freellmapi#1070", read}},
	{"groq-stops", "more than four stop sequences", groq, Repair,
		Source{"console.groq.com/docs/api-reference", known}},
	{"groq-format", "a JSON format together with tools", groq, Drop,
		Source{"vercel/ai#16540, agno-agi/agno#1065", read}},
	{"groq-schema", "a schema for the answer, except with gpt-oss, Llama 4 and Kimi K2", groq, Drop,
		Source{"plune-ai/cairn#36, groq/groq-changelog#11", read}},
}
