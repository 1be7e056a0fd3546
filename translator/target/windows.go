package target

import "strings"

// windows lists the maximum numbers of tokens of a model's prompt. The longest matching prefix
// counts. A number is the context window of @pydantic/genai-prices 0.1.8 (2026-09-23), without the
// maximum answer at vendors that subtract it (OpenAI: "1,050,000 context window. Maximum input
// tokens: 922,000", developers.openai.com/api/docs/models/gpt-6-sol; Gemini 4:
// docs.cloud.google.com, "Unified input and output token limit"). For newer models:
//
//   - GPT-6.1 Sol (2026-09-29), 6.1 Terra (2026-10-26), 6.2 Sol and Astra (2026-11-17): as GPT-6
//     (developers.openai.com/api/docs/models/gpt-6.2-sol).
//   - Claude Sonnet 5.5 and Haiku 5.5, Fable 5.2 (2026-11-09): 1M
//     (platform.claude.com/docs/en/models, "How it compares to the current lineup").
//   - Gemini 3.7, 3.8 and 4 (Argon, Carbon, Hydrogen, Neon): ai.google.dev/gemini-api/docs/models.
//
// A model without an entry, such as Qwen's, has a different window at each server.
var windows = [...]window{
	{1000000, "claude-"},
	{200000, "claude-1 claude-2 claude-3 claude-haiku-4 claude-opus-4 claude-sonnet-4"},
	{1000000, "claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-sonnet-4-6"},

	{922000, "gpt-6 gpt-5-6 gpt-5-4"},
	{967232, "gpt-4-1"},
	{872000, "gpt-5-5"},
	{272000, "gpt-5 gpt-5-4-mini gpt-5-4-nano"},
	{111616, "gpt-5-chat gpt-5-1-chat gpt-5-2-chat gpt-5-3-chat gpt-4o chatgpt-4o"},
	{100000, "o1 o3 o4 codex-mini"},
	{131072, "gpt-oss grok-3"},

	{1048576, "gemini- kimi-k3"},
	{983040, "gemini-4"},
	{1000000, "deepseek-v4 glm-5-2 glm-5-3 grok-4-3 grok-4-20"},
	{256000, "grok-4 grok-code-fast grok-build codestral-"},
	{500000, "grok-4-5 grok-4-6"},
	{2000000, "grok-4-fast grok-4-1-fast"},
	{262144, "kimi-k2-thinking kimi-k2-5 kimi-k2-6 kimi-k2-7 devstral-2512 mistral-large-2512 " +
		"mistral-medium-3-5 mistral-small-2603"},
}

// window is a maximum number of tokens, and prefixes of names as in Row.Model, separated by spaces.
type window struct {
	tokens int64
	models string
}

// Window returns the maximum number of tokens of a model's prompt at every server, or 0 if unknown.
func Window(model string) (tokens int64) {
	model = Family(strings.ToLower(model))
	longest := 0
	for i := range windows {
		for names := windows[i].models; names != ""; {
			name, others, _ := strings.Cut(names, " ")
			if len(name) > longest && isNamed(model, name) {
				longest, tokens = len(name), windows[i].tokens
			}
			names = others
		}
	}
	return tokens
}
