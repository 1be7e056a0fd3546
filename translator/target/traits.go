package target

// traits lists the facts of models at every server, in addition to the facts of the row that Find
// chooses. Of several matching prefixes the longest counts, so a trait without facts is an exception.
//
//   - TextOnly: DeepSeek ("unknown variant `image_url`, expected `text`", rikkahub/rikkahub#1433),
//     GLM before 5.3 ("messages.content.type ... ['text']", TriDefender/zcode-api#26; the models with
//     a "v" after the number accept images), MiniMax M2 (MiniMax-AI/MiniMax-M2#113), gpt-oss
//     (developers.openai.com/api/docs/models/gpt-oss-120b), GPT-3.5 and o3-mini ("Invalid content
//     type. image_url is only supported by certain models.", nextcloud/integration_openai#282).
//   - PlainKeys: Claude, also by APIs of other vendors ("tools.14.custom.input_schema.properties:
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
var traits = [...]trait{
	{"deepseek-chat deepseek-reasoner deepseek-r1 deepseek-v3 deepseek-v4 minimax-m2 gpt-oss gpt-3-5 " +
		"o3-mini", TextOnly},
	{"deepseek-v4-flash-vision-exp", 0},
	{"glm-4-5 glm-4-6 glm-4-7 glm-5", TextOnly | Thinks},
	{"glm-4-5v glm-4-6v glm-5v glm-5-3", Thinks},

	{"claude-", PlainKeys},

	{"mistral- ministral- magistral- codestral- devstral- pixtral-", AssistantAfterTool},

	{"kimi-k2-thinking kimi-k2-5 kimi-k2-6 kimi-k2-7 kimi-k3 qwen3", Thinks},
	{"qwen3-coder qwen3-max qwen3-vl qwen3-4b-instruct qwen3-30b-a3b-instruct qwen3-235b-a22b-instruct " +
		"qwen3-next-80b-a3b-instruct", 0},

	{"gpt-5-1 gpt-5-2 gpt-5-4", ThinksOnRequest},
}

// trait is facts of models. models has prefixes of names as in Row.Model, separated by spaces.
type trait struct {
	models string
	has    Facts
}

// traitsOf returns the facts of a model, given as Family returns it.
func traitsOf(model string) (has Facts) {
	longest := 0
	for i := range traits {
		if n := prefixOf(model, traits[i].models); n > longest {
			longest, has = n, traits[i].has
		}
	}
	return has
}
