package target

// Traits lists the facts of models at every server, in addition to the facts of the row that Find
// chooses. Of several matching traits the one with the longest prefix counts, so a row without facts
// is an exception. Host is unused.
//
//   - TextOnly: DeepSeek ("unknown variant `image_url`, expected `text`", rikkahub/rikkahub#1433),
//     GLM before 5.3 ("messages.content.type ... ['text']", TriDefender/zcode-api#26; the models with
//     a "v" after the number accept images), MiniMax M2 (MiniMax-AI/MiniMax-M2#113), gpt-oss
//     (developers.openai.com/api/docs/models/gpt-oss-120b), GPT-3.5 and o3-mini ("Invalid content
//     type. image_url is only supported by certain models.", nextcloud/integration_openai#282).
//   - PlainKeys: Claude, also behind APIs of other vendors ("tools.14.custom.input_schema.properties:
//     Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
//     beautyfree/appstore-connect-mcp#2).
//   - AssistantAfterTool: Mistral's API and the chat templates of its models on other servers
//     ("Unexpected role 'user' after role 'tool'", zed-industries/zed#37021,
//     NousResearch/hermes-agent#20154).
//   - Thinks: Kimi since K2.5 (platform.kimi.ai/docs, thinking models), GLM since 4.5
//     (docs.z.ai/guides/capabilities/thinking-mode), Qwen 3 (qwen.readthedocs.io, "Thinking &
//     Non-Thinking Mode"), except for its instruct and coder models.
//   - ThinksOnRequest: "gpt-5.1 defaults to none, which does not perform reasoning" (ReasoningEffort
//     in OpenAI's SDKs); the same for 5.2 and 5.4 (developers.openai.com/api/docs/models).
var Traits = [...]Row{
	{Model: "deepseek-chat", Has: TextOnly},
	{Model: "deepseek-reasoner", Has: TextOnly},
	{Model: "deepseek-r1", Has: TextOnly},
	{Model: "deepseek-v3", Has: TextOnly},
	{Model: "deepseek-v4", Has: TextOnly},
	{Model: "deepseek-v4-flash-vision-exp"},
	{Model: "glm-4-5", Has: TextOnly | Thinks},
	{Model: "glm-4-5v", Has: Thinks},
	{Model: "glm-4-6", Has: TextOnly | Thinks},
	{Model: "glm-4-6v", Has: Thinks},
	{Model: "glm-4-7", Has: TextOnly | Thinks},
	{Model: "glm-5", Has: TextOnly | Thinks},
	{Model: "glm-5v", Has: Thinks},
	{Model: "glm-5-3", Has: Thinks},
	{Model: "minimax-m2", Has: TextOnly},
	{Model: "gpt-oss", Has: TextOnly},
	{Model: "gpt-3-5", Has: TextOnly},
	{Model: "o3-mini", Has: TextOnly},

	{Model: "claude-", Has: PlainKeys},

	{Model: "mistral-", Has: AssistantAfterTool},
	{Model: "ministral-", Has: AssistantAfterTool},
	{Model: "magistral-", Has: AssistantAfterTool},
	{Model: "codestral-", Has: AssistantAfterTool},
	{Model: "devstral-", Has: AssistantAfterTool},
	{Model: "pixtral-", Has: AssistantAfterTool},

	{Model: "kimi-k2-thinking", Has: Thinks},
	{Model: "kimi-k2-5", Has: Thinks},
	{Model: "kimi-k2-6", Has: Thinks},
	{Model: "kimi-k2-7", Has: Thinks},
	{Model: "kimi-k3", Has: Thinks},
	{Model: "qwen3", Has: Thinks},
	{Model: "qwen3-coder"},
	{Model: "qwen3-max"},
	{Model: "qwen3-vl"},
	{Model: "qwen3-4b-instruct"},
	{Model: "qwen3-30b-a3b-instruct"},
	{Model: "qwen3-235b-a22b-instruct"},
	{Model: "qwen3-next-80b-a3b-instruct"},

	{Model: "gpt-5-1", Has: ThinksOnRequest},
	{Model: "gpt-5-2", Has: ThinksOnRequest},
	{Model: "gpt-5-4", Has: ThinksOnRequest},
}
