package conform

// Sources that several cases cite.
const (
	messagesDocs      = "platform.claude.com/docs/en/api/messages/create"
	messagesStreaming = "platform.claude.com/docs/en/build-with-claude/streaming"
	messagesErrors    = "platform.claude.com/docs/en/api/errors"
	messagesCaching   = "platform.claude.com/docs/en/build-with-claude/prompt-caching"
	messagesTools     = "platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use"
	messagesThinking  = "platform.claude.com/docs/en/build-with-claude/extended-thinking"
	messagesRefusals  = "platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/" +
		"handle-streaming-refusals"
	messagesTypes = "@anthropic-ai/sdk 1.11.0, "

	openAIDocs     = "developers.openai.com/api/reference/"
	openAICaching  = "developers.openai.com/api/docs/guides/prompt-caching"
	openAITools    = "developers.openai.com/api/docs/guides/function-calling"
	openAIErrors   = "developers.openai.com/api/docs/guides/error-codes"
	openAIThinking = "developers.openai.com/api/docs/guides/reasoning"
	openAITypes    = "openai 7.57 (JavaScript), "

	geminiDocs     = "ai.google.dev/api/generate-content"
	geminiCaching  = "ai.google.dev/gemini-api/docs/caching"
	geminiTools    = "ai.google.dev/gemini-api/docs/function-calling"
	geminiErrors   = "ai.google.dev/gemini-api/docs/troubleshooting"
	geminiThinking = "ai.google.dev/gemini-api/docs/thinking"
	geminiTypes    = "@google/genai 3.1.0, types.ts, "

	sse = "html.spec.whatwg.org/multipage/server-sent-events.html"
)

// The dates since when the vendors' APIs have a feature: the first release of the vendor's own SDK with
// the feature, by the changelogs of @anthropic-ai/sdk (0.11.0, 0.13.0, 0.15.0, 0.22.0, 0.26.0, 0.31.0,
// 0.33.0, 0.37.0, 0.69.0), openai (4.16.0, 4.42.0, 4.55.0, 4.67.0, 4.77.0, 4.87.0, 6.0.0, 6.6.0, 6.10.0,
// 6.23.0) and @google/genai (1.3.0, 1.7.0). Two are older than these changelogs: Chat Completions came
// with gpt-3.5-turbo-0301, and the Gemini API on 2023-12-13. "" is unknown.
var (
	sinceAPI       = by[string]{"2023-12-19", "2023-03-01", "2025-03-11", "2023-12-13"}
	sinceTools     = by[string]{"2024-05-30", "2023-11-06", "2025-03-11", ""}
	sinceImages    = by[string]{"2024-03-04", "2023-11-06", "2025-03-11", ""}
	sinceDocuments = by[string]{"2024-11-01", "", "", ""}
	sinceCaching   = by[string]{"2024-08-14", "2024-10-01", "2025-03-11", ""}
	sinceThinking  = by[string]{"2025-02-24", "2024-12-17", "2025-03-11", "2025-05-30"}
	sinceSchemas   = by[string]{"2025-11-14", "2024-08-06", "2025-03-11", "2025-06-25"}
	sinceCounts    = by[string]{"2024-11-01", "", "2025-10-20", ""}
	sinceModels    = by[string]{"2024-12-17", "2023-03-01", "2025-03-11", "2023-12-13"}
	sinceUsage     = by[string]{"2024-02-02", "2024-05-06", "2025-03-11", ""}
)

// The documents of the APIs, and those of their tools and errors.
var (
	apiDocs = by[string]{messagesDocs, openAIDocs + "chat-completions/create", openAIDocs +
		"responses/create",
		geminiDocs}
	toolDocs    = by[string]{messagesTools, openAITools, openAITools, geminiTools}
	errorDocs   = by[string]{messagesErrors, openAIErrors, openAIErrors, geminiErrors}
	cacheDocs   = by[string]{messagesCaching, openAICaching, openAICaching, geminiCaching}
	thoughtDocs = by[string]{messagesThinking, "api-docs.deepseek.com/guides/thinking_mode", openAIThinking,
		geminiThinking}
	schemaDocs = by[string]{"platform.claude.com/docs/en/build-with-claude/structured-outputs",
		"developers.openai.com/api/docs/guides/structured-outputs",
		"developers.openai.com/api/docs/guides/structured-outputs",
		"ai.google.dev/gemini-api/docs/structured-output"}
	imageDocs = by[string]{"platform.claude.com/docs/en/build-with-claude/vision",
		"developers.openai.com/api/docs/guides/images-vision",
		"developers.openai.com/api/docs/guides/images-vision",
		"ai.google.dev/gemini-api/docs/image-understanding"}
	documentDocs = by[string]{"platform.claude.com/docs/en/build-with-claude/pdf-support",
		"developers.openai.com/api/docs/guides/file-inputs",
		"developers.openai.com/api/docs/guides/file-inputs",
		"ai.google.dev/gemini-api/docs/document-processing"}
	usageTypes = by[string]{messagesTypes + "Usage", openAITypes + "CompletionUsage",
		openAITypes + "ResponseUsage", geminiTypes + "GenerateContentResponseUsageMetadata"}
	modelTypes = by[string]{messagesTypes + "ModelInfo", openAITypes + "Model", openAITypes + "Model",
		geminiTypes + "ListModelsResponse"}
)
