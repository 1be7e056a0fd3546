package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
	"edgelingua/translator/responses"
	"edgelingua/translator/target"
)

func TestTargets(t *testing.T) {
	reasons := func(output int64, efforts string, more func(*ir.Target)) ir.Target {
		target := ir.Target{MaxOutputTokens: output, MaxCompletionTokens: true,
			Efforts: strings.Fields(efforts), Files: true, ParallelFlag: true,
			Strict: true, PlainRoot: true, NoSampling: true, NoStop: true, OpenAI: true,
			Prefill: ir.NoPrefill}
		if more != nil {
			more(&target)
		}
		return target
	}
	search := func(t *ir.Target) { t.WebSearch = true }
	searches := func(t *ir.Target) { t.WebSearch, t.ToolSearch = true, true }
	withoutEffort := func(t *ir.Target) { t.NoToolEffort = true }
	claude5 := ir.Target{MaxOutputTokens: 128000, Efforts: []string{"low", "medium", "high", "xhigh", "max"},
		Thinking:    ir.AdaptiveThinking,
		SystemTurns: true, WebSearch: true, ToolSearch: true, Strict: true, PlainRoot: true,
		NoSampling: true, Caching: ir.AutoCaching}
	proxied5 := claude5
	proxied5.SystemTurns, proxied5.WebSearch, proxied5.ToolSearch = false, false, false
	proxied5.Strict, proxied5.Caching = false, ir.PlainCaching
	routed5 := proxied5
	routed5.Caching = ir.AutoCaching
	grok := ir.Target{NoPenalties: true, ParallelFlag: true, NoStop: true, NoEmptyText: true,
		Images: ir.PlainImages, NoAudio: true}
	always := func(unforced bool) ir.Target {
		t := claude5
		t.Thinking, t.NoForcedTool = ir.AlwaysThinking, unforced
		return t
	}
	elsewhere := func(efforts string) ir.Target {
		return ir.Target{MaxCompletionTokens: true, PlainRoot: true, Efforts: strings.Fields(efforts),
			NoSampling: true, NoStop: true, Prefill: ir.NoPrefill}
	}
	atAzure := func(t ir.Target) ir.Target {
		t.OpenAI, t.Files = false, false
		return t
	}
	openRouter := func(c ir.Caching) ir.Target {
		return ir.Target{Efforts: strings.Fields("none minimal low medium high xhigh max"),
			ParallelFlag: true, Files: true, FileURLs: true, ReasoningEcho: ir.EchoDetails, TopK: true,
			Caching: c, Images: ir.CommonImages}
	}
	moonshot := func(t ir.Target) ir.Target {
		t.Flavored, t.NoSampling, t.MaxCompletionTokens = true, true, true
		t.MaxStops, t.Images, t.Prefill = 4, ir.CommonImages, ir.NoPrefill
		return t
	}
	for _, c := range []struct {
		name                  string
		protocol, host, model string
		want                  ir.Target
	}{
		// Unknown servers get the safe set.
		{"any chat server", "chat", "upstream.example", "gpt-4o", ir.Target{}},
		{"Ollama", "chat", "127.0.0.1:11434", "qwen3-coder", ir.Target{}},
		{"LM Studio", "chat", "localhost:1234", "google/gemma-4", ir.Target{}},
		{"vLLM", "chat", "vllm.internal:8000", "Qwen/Qwen3.5-27B", ir.Target{}},
		{"any responses server", "responses", "upstream.example", "some-model", ir.Target{}},
		{"any messages server", "anthropic", "upstream.example", "some-model", ir.Target{NoFormat: true}},
		{"a host that only ends so", "chat", "notapi.openai.com.example", "gpt-5",
			elsewhere("low medium high")},
		{"a host that only ends so, too", "chat", "xapi.openai.com", "gpt-4o", ir.Target{}},

		// Facts about a model are valid for any server.
		{"", "responses", "gateway.example", "openai/gpt-5.5", elsewhere("low medium high")},
		{"", "responses", "gateway.example", "o3", elsewhere("low medium high")},
		{"LiteLLM", "chat", "litellm.internal:4000", "gpt-5.2", elsewhere("low medium high")},
		{"Cloudflare", "chat", "gateway.ai.cloudflare.com", "openai/gpt-5-mini",
			elsewhere("low medium high")},
		{"Vercel", "chat", "ai-gateway.vercel.sh", "openai/o4-mini", elsewhere("low medium high")},
		{"Copilot", "chat", "api.githubcopilot.com", "gpt-5.3-codex", elsewhere("low medium high")},
		{"Copilot", "chat", "api.githubcopilot.com", "gpt-5-chat-latest", ir.Target{PlainRoot: true,
			MaxCompletionTokens: true, Prefill: ir.NoPrefill}},
		{"", "chat", "gateway.example", "gpt-5.1-chat-latest", elsewhere("medium")},
		{"", "chat", "gateway.example", "gpt-5.2-pro", elsewhere("medium high xhigh")},
		{"vLLM", "chat", "vllm.internal:8000", "openai/gpt-oss-120b", ir.Target{Efforts: []string{"low",
			"medium", "high"}, ReasoningEcho: ir.EchoBoth}},
		{"vLLM", "chat", "vllm.internal:8000", "deepseek-ai/DeepSeek-V3.2",
			ir.Target{ReasoningEcho: ir.EchoBoth}},
		{"SGLang", "chat", "sglang.internal:30000", "MiniMaxAI/MiniMax-M2.5",
			ir.Target{ReasoningEcho: ir.EchoBoth}},
		{"Fireworks", "chat", "api.fireworks.ai", "accounts/fireworks/models/kimi-k2p6", ir.Target{
			ReasoningEcho: ir.EchoBoth, Efforts: []string{"low", "medium", "high"}}},
		{"Fireworks", "chat", "api.fireworks.ai", "accounts/fireworks/models/glm-5p1", ir.Target{
			ReasoningEcho: ir.EchoBoth, Efforts: []string{"none", "high", "max"}}},
		{"Together", "chat", "api.together.xyz", "moonshotai/Kimi-K2.6", ir.Target{
			ReasoningEcho: ir.EchoBoth, ThinkingSwitch: ir.ReasoningSwitch}},
		{"Together", "chat", "api.together.ai", "Qwen/Qwen3.5-397B-A17B", ir.Target{
			ThinkingSwitch: ir.ReasoningSwitch}},
		{"Together", "chat", "api.together.xyz", "moonshotai/Kimi-K2-Thinking", ir.Target{
			ReasoningEcho: ir.EchoBoth}},
		{"DeepInfra", "chat", "api.deepinfra.com", "Qwen/Qwen3-32B", ir.Target{
			Efforts: []string{"none", "low", "medium", "high"}}},
		{"DeepInfra", "chat", "api.deepinfra.com", "zai-org/GLM-5.1", ir.Target{
			Efforts: []string{"none", "low", "medium", "high"}, ReasoningEcho: ir.EchoBoth}},
		{"SiliconFlow", "chat", "api.siliconflow.cn", "Pro/zai-org/GLM-4.7", ir.Target{
			ReasoningEcho: ir.EchoBoth, ThinkingSwitch: ir.FlagSwitch}},
		{"SiliconFlow", "chat", "api.siliconflow.com", "Qwen/Qwen3-32B", ir.Target{
			ThinkingSwitch: ir.FlagSwitch}},
		{"SiliconFlow", "chat", "api.siliconflow.com", "Qwen/Qwen3-VL-32B-Thinking", ir.Target{}},
		{"Baseten", "chat", "inference.baseten.co", "zai-org/GLM-4.7", ir.Target{
			ReasoningEcho: ir.EchoBoth, ThinkingSwitch: ir.ArgumentSwitch}},
		{"Ollama", "chat", "127.0.0.1:11434", "glm-5:cloud", ir.Target{ReasoningEcho: ir.EchoBoth}},
		{"no word of GLM's", "chat", "127.0.0.1:11434", "chatglm-6b", ir.Target{}},
		{"Cerebras", "chat", "api.cerebras.ai", "zai-glm-4.7", ir.Target{MaxCompletionTokens: true,
			Efforts: []string{"none"}}},
		{"Cerebras", "chat", "api.cerebras.ai", "gpt-oss-120b", ir.Target{MaxCompletionTokens: true,
			Efforts: []string{"low", "medium", "high"}}},

		// Azure has OpenAI's models, and not all of OpenAI's own service.
		{"", "chat", "me.openai.azure.com", "gpt-5.2", atAzure(reasons(128000, "none low medium high xhigh",
			nil))},
		{"", "chat", "me.services.ai.azure.com", "gpt-6-sol",
			atAzure(reasons(128000, "none low medium high xhigh max", withoutEffort))},
		{"", "responses", "me.openai.azure.com", "o3", atAzure(reasons(100000, "low medium high", nil))},
		{"", "chat", "me.services.ai.azure.com", "DeepSeek-V3.2", ir.Target{ReasoningEcho: ir.EchoBoth}},
		{"", "chat", "me.openai.azure.com", "my-deployment", ir.Target{}},
		// Bedrock puts the vendor before a model's name.
		{"", "chat", "bedrock-runtime.us-east-1.amazonaws.com", "openai.gpt-oss-120b-1:0",
			ir.Target{Efforts: []string{"low", "medium", "high"}, ReasoningEcho: ir.EchoBoth,
				ThinkTags: true}},
		{"", "chat", "aiplatform.googleapis.com", "google/gemini-2.5-pro", ir.Target{Efforts: []string{"low",
			"medium", "high"}, MaxOutputTokens: 65536, NoPenalties: true, ReasoningEcho: ir.EchoExtra,
			UnsignedCalls: true, DefinedRequired: true}},
		{"", "chat", "bedrock-mantle.us-east-1.api.aws", "minimax.minimax-m2",
			ir.Target{ReasoningEcho: ir.EchoBoth}},
		{"", "responses", "bedrock-mantle.us-east-1.api.aws", "us.openai.gpt-5.6-terra",
			elsewhere("none low medium high xhigh max")},
		{"", "chat", "bedrock-mantle.us-west-2.api.aws", "openai.gpt-6-astra",
			elsewhere("none low medium high xhigh max")},
		{"", "anthropic", "bedrock-mantle.us-east-1.api.aws", "anthropic.claude-opus-5", proxied5},
		{"", "chat", "router.huggingface.co", "openai/gpt-oss-120b:groq", ir.Target{Efforts: []string{"low",
			"medium", "high"}, ReasoningEcho: ir.EchoBoth}},
		{"not Azure", "chat", "openai.azure.com.example", "gpt-4.1", ir.Target{}},
		{"", "responses", "localhost:11434", "gpt-oss:20b", ir.Target{Efforts: []string{"low", "medium",
			"high"}}},
		{"", "responses", "gateway.example", "o30-mini", ir.Target{}},

		// OpenAI.
		{"", "responses", "api.openai.com", "gpt-5", reasons(128000, "minimal low medium high", search)},
		{"", "responses", "eu.api.openai.com:443", "GPT-5", reasons(128000, "minimal low medium high",
			search)},
		{"", "chat", "api.openai.com", "gpt-5-2025-08-07", reasons(128000, "minimal low medium high", nil)},
		{"", "chat", "api.openai.com", "gpt-5-mini", reasons(128000, "minimal low medium high", nil)},
		{"", "responses", "api.openai.com", "gpt-5-codex", reasons(128000, "low medium high", search)},
		{"", "responses", "api.openai.com", "gpt-5-pro", reasons(272000, "high", search)},
		{"", "responses", "api.openai.com", "gpt-5.1-2025-11-13", reasons(128000, "none low medium high",
			search)},
		{"", "responses", "api.openai.com", "gpt-5.1-codex-max", reasons(128000, "low medium high xhigh",
			search)},
		{"", "responses", "api.openai.com", "gpt-5.2", reasons(128000, "none low medium high xhigh", search)},
		{"", "responses", "api.openai.com", "gpt-5.5", reasons(128000, "none low medium high xhigh",
			searches)},
		{"", "chat", "api.openai.com", "gpt-5.5-2026-04-23", reasons(128000, "none low medium high xhigh",
			withoutEffort)},
		{"", "responses", "api.openai.com", "gpt-5.6-terra", reasons(128000,
			"none low medium high xhigh max", searches)},
		{"", "responses", "api.openai.com", "gpt-6.1-sol", reasons(128000, "low medium high xhigh max",
			searches)},
		{"", "responses", "api.openai.com", "gpt-6.2-astra", reasons(128000, "low medium high xhigh max",
			searches)},
		{"", "responses", "api.openai.com", "gpt-6.1-terra", reasons(128000, "none low medium high xhigh max",
			searches)},
		{"", "responses", "api.openai.com", "gpt-6-luna", reasons(128000, "none low medium high xhigh max",
			searches)},
		{"", "responses", "api.openai.com", "o3-pro", reasons(100000, "low medium high", search)},
		{"", "responses", "api.openai.com", "o3-mini", reasons(100000, "low medium high", nil)},
		{"", "chat", "api.openai.com", "o4-mini-2025-04-16", reasons(100000, "low medium high", nil)},
		{"", "chat", "api.openai.com", "o1", reasons(100000, "low medium high", nil)},
		{"to come", "responses", "api.openai.com", "gpt-9", func() ir.Target {
			t := reasons(0, "", search)
			t.Efforts = nil
			return t
		}()},
		{"", "chat", "api.openai.com", "gpt-4.1", ir.Target{Prefill: ir.NoPrefill, MaxOutputTokens: 32768,
			MaxCompletionTokens: true, Files: true, ParallelFlag: true, Strict: true, PlainRoot: true,
			OpenAI: true}},
		{"fine-tuned", "responses", "api.openai.com", "ft:gpt-4o-2024-08-06:org::id",
			ir.Target{Prefill: ir.NoPrefill, MaxOutputTokens: 16384, MaxCompletionTokens: true, Files: true,
				ParallelFlag: true,
				WebSearch:    true, Strict: true, PlainRoot: true, OpenAI: true}},
		{"", "chat", "api.openai.com", "gpt-4o-search-preview", ir.Target{Prefill: ir.NoPrefill,
			MaxOutputTokens: 16384, MaxCompletionTokens: true, Files: true, ParallelFlag: true,
			WebSearch: true, Strict: true, PlainRoot: true, OpenAI: true, NoSampling: true, NoStop: true}},

		// Anthropic, and other vendors of Claude.
		{"", "anthropic", "api.anthropic.com", "claude-opus-5", claude5},
		{"", "anthropic", "api.anthropic.com", "claude-haiku-5-5", claude5},
		{"", "anthropic", "api.anthropic.com", "claude-opus-5-5", always(true)},
		{"", "anthropic", "api.anthropic.com", "claude-sonnet-5-5", always(true)},
		{"", "anthropic", "api.anthropic.com", "claude-fable-5-2", always(true)},
		{"", "anthropic", "api.anthropic.com", "claude-opus-4-8", claude5},
		{"", "anthropic", "api.anthropic.com", "claude-newer-9", claude5},
		{"", "anthropic", "api.anthropic.com", "claude-fable-5", always(false)},
		{"", "anthropic", "api.anthropic.com", "claude-fable-5-1", always(true)},
		{"to come", "anthropic", "api.anthropic.com", "claude-mythos-6", always(true)},
		{"", "anthropic", "gateway.example", "anthropic/claude-opus-5", proxied5},
		{"", "anthropic", "openrouter.ai", "anthropic/claude-opus-5", routed5},
		{"", "anthropic", "bedrock-runtime.us-east-1.amazonaws.com", "us.anthropic.claude-opus-4-8-v1:0",
			proxied5},
		{"", "anthropic", "api.anthropic.com", "claude-opus-4-6", ir.Target{MaxOutputTokens: 128000,
			Efforts:  []string{"low", "medium", "high", "max"},
			Thinking: ir.AdaptiveThinking, WebSearch: true, ToolSearch: true, Strict: true, PlainRoot: true,
			Caching: ir.AutoCaching}},
		{"", "anthropic", "api.anthropic.com", "claude-sonnet-4-5-20250929", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 64000, Thinking: ir.BudgetThinking, WebSearch: true, ToolSearch: true,
			Strict: true, PlainRoot: true, Caching: ir.AutoCaching}},
		{"a dot", "anthropic", "gateway.example", "claude-sonnet-4.5", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 64000, Thinking: ir.BudgetThinking, PlainRoot: true}},
		{"", "anthropic", "api.anthropic.com", "claude-opus-4-1-20250805", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 32000, Thinking: ir.BudgetThinking, WebSearch: true, PlainRoot: true,
			NoFormat: true, Caching: ir.AutoCaching}},
		{"", "anthropic", "api.anthropic.com", "claude-opus-4-20250514", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 32000, Thinking: ir.BudgetThinking, WebSearch: true, PlainRoot: true,
			NoFormat: true, Caching: ir.AutoCaching}},
		{"", "anthropic", "vertex.example", "claude-sonnet-4@20250514", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 64000, Thinking: ir.BudgetThinking, PlainRoot: true, NoFormat: true}},
		{"", "anthropic", "api.anthropic.com", "claude-3-7-sonnet-20250219", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 64000, Thinking: ir.BudgetThinking, WebSearch: true, PlainRoot: true,
			NoFormat: true, Caching: ir.AutoCaching}},
		{"", "anthropic", "api.anthropic.com", "claude-3-5-haiku-latest", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 8192, WebSearch: true, PlainRoot: true, NoFormat: true,
			Caching: ir.AutoCaching}},
		{"", "anthropic", "api.anthropic.com", "claude-3-haiku-20240307", ir.Target{Structured: ir.ByTool,
			MaxOutputTokens: 4096, PlainRoot: true, NoFormat: true, Caching: ir.AutoCaching}},

		// Other vendors.
		{"", "chat", "openrouter.ai", "openai/gpt-5", openRouter(ir.PlainCaching)},
		{"", "chat", "openrouter.ai", "anthropic/claude-opus-4.6", openRouter(ir.AutoCaching)},
		{"", "chat", "openrouter.ai", "google/gemini-3-pro", openRouter(ir.FullCaching)},
		{"", "chat", "openrouter.ai", "qwen/qwen3.6-plus", openRouter(ir.FullCaching)},
		{"", "chat", "ai-gateway.vercel.sh", "anthropic/claude-opus-4.6", ir.Target{Caching: ir.AutoCaching}},
		{"", "chat", "api.deepseek.com", "deepseek-flash", ir.Target{MaxOutputTokens: 393216,
			Efforts: strings.Fields("minimal low medium high xhigh max"), ReasoningEcho: ir.EchoContent,
			NoFormat: true, ThinkingSwitch: ir.ObjectSwitch, Prefill: ir.NoPrefill}},
		{"", "chat", "api.moonshot.ai", "moonshot-v1-32k", moonshot(ir.Target{})},
		{"", "chat", "api.moonshot.cn", "kimi-k2.6", moonshot(ir.Target{NoForcedTool: true,
			ReasoningEcho: ir.EchoContent, ThinkingSwitch: ir.ObjectSwitch})},
		{"", "chat", "api.moonshot.ai", "kimi-k2.7-code", moonshot(ir.Target{NoForcedTool: true,
			ReasoningEcho: ir.EchoContent})},
		{"", "chat", "api.z.ai", "glm-5.1", ir.Target{MaxOutputTokens: 131072, ReasoningEcho: ir.EchoContent,
			NoFormat: true, ThinkingSwitch: ir.ObjectSwitch}},
		{"", "chat", "dashscope.aliyuncs.com", "qwen3.7-plus", ir.Target{ThinkingSwitch: ir.FlagSwitch,
			TopK: true, Prefill: ir.NoPrefill}},
		{"", "chat", "ws-1.ap-southeast-1.maas.aliyuncs.com", "qwen3.7-plus",
			ir.Target{ThinkingSwitch: ir.FlagSwitch, TopK: true, Prefill: ir.NoPrefill}},
		{"always thinks", "chat", "dashscope-us.aliyuncs.com", "qwen3-235b-a22b-thinking-2507",
			ir.Target{TopK: true, Prefill: ir.NoPrefill}},
		{"", "chat", "api.moonshot.ai", "kimi-k3", moonshot(ir.Target{ReasoningEcho: ir.EchoContent,
			NoNamedTool: true, Efforts: []string{"low", "high", "max"}})},
		{"", "chat", "api.z.ai", "glm-5.3", ir.Target{MaxOutputTokens: 131072, ReasoningEcho: ir.EchoContent,
			NoFormat: true, Efforts: []string{"low", "high", "max"}}},
		{"", "chat", "open.bigmodel.cn", "glm-4.5-air", ir.Target{MaxOutputTokens: 96000,
			ReasoningEcho: ir.EchoContent, NoFormat: true, ThinkingSwitch: ir.ObjectSwitch}},
		{"", "chat", "api.groq.com", "openai/gpt-oss-120b", ir.Target{NoLogprobs: true,
			MaxStops: 4, FormatOrTools: true, MaxCompletionTokens: true, ParallelFlag: true, Efforts: []string{"low", "medium", "high"}}},
		{"", "chat", "api.groq.com", "qwen/qwen3-32b", ir.Target{NoLogprobs: true, MaxCompletionTokens: true,
			MaxStops: 4, FormatOrTools: true, NoFormat: true, ParallelFlag: true, Efforts: []string{"none"}}},
		{"", "chat", "api.mistral.ai", "mistral-large-latest", ir.Target{NoLogprobs: true,
			ParallelFlag: true, OmitStreamUsage: true, ShortCallIDs: true, RandomSeed: true,
			Prefill: ir.PrefixPrefill, CoolTemperature: true, Images: ir.CommonImages}},
		{"", "chat", "api.x.ai", "grok-4-fast-reasoning", grok},
		{"", "responses", "api.x.ai", "grok-4.6", ir.Target{ParallelFlag: true, NoStop: true,
			NoPenalties: true, WebSearch: true, Efforts: []string{"low", "medium", "high", "xhigh"},
			NoEmptyText: true, Images: ir.PlainImages, NoAudio: true}},
		{"", "chat", "generativelanguage.googleapis.com", "models/gemini-3-pro",
			ir.Target{DefinedRequired: true, MaxOutputTokens: 65536,
				Efforts: strings.Fields("minimal low medium high"), NoPenalties: true,
				ReasoningEcho: ir.EchoExtra}},
		{"", "chat", "generativelanguage.googleapis.com", "gemini-2.0-flash",
			ir.Target{DefinedRequired: true, NoPenalties: true, ReasoningEcho: ir.EchoExtra,
				UnsignedCalls: true}},
		{"", "chat", "generativelanguage.googleapis.com", "gemini-2.5-pro", ir.Target{DefinedRequired: true,
			MaxOutputTokens: 65536, Efforts: strings.Fields("low medium high"), NoPenalties: true,
			ReasoningEcho: ir.EchoExtra, UnsignedCalls: true}},
		{"to come", "chat", "generativelanguage.googleapis.com", "gemini-4-argon",
			ir.Target{DefinedRequired: true, NoPenalties: true, ReasoningEcho: ir.EchoExtra}},
	} {
		t.Run(c.name+" "+c.protocol+" "+c.host+" "+c.model, func(t *testing.T) {
			c.want.StoredFiles = c.protocol == "anthropic" && strings.HasSuffix(c.host, "api.anthropic.com")
			c.want.OwnCompaction = c.want.StoredFiles || c.protocol == "responses" &&
				(strings.HasPrefix(strings.TrimPrefix(c.host, "eu."), "api.openai.com") ||
					strings.HasSuffix(c.host, ".openai.azure.com"))
			if c.want.StoredFiles && c.want.NoSampling {
				c.want.Version = "2026-10-21"
			}
			c.want.Files = c.want.Files || c.protocol != "chat" && c.protocol != "responses"
			c.want.Fast = c.want.StoredFiles && (strings.HasPrefix(c.model, "claude-opus-5") ||
				strings.HasPrefix(c.model, "claude-fable-5-2"))
			got := *translator.API(c.protocol).Upstream.Target(c.host, c.model)
			got.UnknownModel = false                            // see TestUnknownModels
			got.Phases = false                                  // see TestModelsThatTakePhases
			got.TextOnly, got.AssistantAfterTool = false, false // see TestTraits
			got.CustomTools = false                             // see TestCustomTools
			got.OwnToolSearch, got.Programs = false, false      // see TestOwnToolSearch, TestProgramTargets
			got.Thinks, got.ThinksOnRequest, got.PlainKeys = false, false, false
			require.Equal(t, c.want, got)
		})
	}
}

// TestUnknownModels: at the vendors' own hosts, a model without an entry of its own is unknown, and so
// is one with only its family's. Anywhere else nothing is known of the list of models.
func TestUnknownModels(t *testing.T) {
	const vendors, claudes = "api.openai.com", "api.anthropic.com"
	const googles = "generativelanguage.googleapis.com"
	for _, c := range []struct {
		protocol, host, model string
		unknown               bool
	}{
		{"responses", vendors, "gpt-9", true},
		{"responses", "eu." + vendors, "gpt-9", true},
		{"chat", vendors, "m", true},
		{"chat", vendors, "", true},
		{"chat", vendors, "gpt-6.2-sol", false},
		{"chat", vendors, "ft:gpt-4o-mini-2024-07-18:acme::x", false},
		{"chat", vendors, "codex-mini-latest", false},
		{"anthropic", claudes, "claude-opus-7", true},
		{"anthropic", claudes, "claude-fable-6", true},
		{"anthropic", claudes, "claude-haiku-5-5", false},
		{"anthropic", claudes, "claude-opus-5", false},
		{"anthropic", claudes, "claude-2.1", false},
		{"gemini", googles, "gemini-5-flash", true},
		{"gemini", googles, "gemini-flash-latest", true},
		{"gemini", googles, "gemini-3.8-flash", false},
		{"gemini", googles, "gemini-2.5-pro", false},
		{"interactions", googles, "gemini-5-flash", true},
		{"interactions", googles, "gemini-4-argon", false},
		{"chat", "api.x.ai", "grok-7", true},
		{"chat", "api.x.ai", "grok-4-fast-reasoning", false},

		{"responses", "127.0.0.1:8000", "gpt-9", false},
		{"chat", "openrouter.ai", "openai/gpt-9", false},
		{"chat", "api.openai.com.evil.example", "gpt-9", false},
		{"anthropic", "bedrock-runtime.us-east-1.amazonaws.com", "claude-opus-7", false},
		{"gemini", "aiplatform.googleapis.com", "gemini-5-flash", false},
	} {
		got := translator.API(c.protocol).Upstream.Target(c.host, c.model).UnknownModel
		require.Equal(t, c.unknown, got, "%s %s %s", c.protocol, c.host, c.model)
	}
}

// TestProgramTargets: whose code can call tools of the client. Claude Haiku's can't, and Azure may have no
// such code.
func TestProgramTargets(t *testing.T) {
	for _, c := range []struct {
		protocol, host, models string
		runs                   bool
	}{
		{"responses", "api.openai.com", "gpt-5.6 gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6.1-sol gpt-6.1-terra", true},
		{"responses", "api.openai.com", "gpt-5.5 gpt-5.4 gpt-4.1 o3", false},
		{"responses", "x.openai.azure.com", "gpt-5.6", false},
		{"responses", "openrouter.ai", "openai/gpt-5.6", false},
		{"chat", "api.openai.com", "gpt-5.6 gpt-6", false},
		{"anthropic", "api.anthropic.com", "claude-opus-4-5 claude-sonnet-4-5-20250929 claude-opus-4-6 claude-opus-5-5 " +
			"claude-fable-5 claude-sonnet-6", true},
		{"anthropic", "api.anthropic.com", "claude-haiku-4-5 claude-haiku-5-5 claude-opus-4-1 claude-sonnet-4", false},
		{"anthropic", "bedrock-runtime.us-east-1.amazonaws.com", "us.anthropic.claude-opus-4-8-v1:0", false},
	} {
		for model := range strings.FieldsSeq(c.models) {
			got := translator.API(c.protocol).Upstream.Target(c.host, model)
			require.Equal(t, c.runs, got.Programs, "%s %s", c.host, model)
		}
	}
}

// TestTraits checks facts of models that hold at every server and in every protocol.
func TestTraits(t *testing.T) {
	type traits struct{ text, tool, thinks, request, keys bool }
	of := func(protocol, host, model string) traits {
		t := translator.API(protocol).Upstream.Target(host, model)
		return traits{t.TextOnly, t.AssistantAfterTool, t.Thinks, t.ThinksOnRequest, t.PlainKeys}
	}
	const vllm = "vllm.internal:8000"
	for _, c := range []struct {
		host, model string
		want        traits
	}{
		{"api.deepseek.com", "deepseek-v4-pro", traits{text: true}},
		{"api.deepseek.com", "deepseek-v4-flash", traits{text: true}},
		{"api.deepseek.com", "deepseek-v4-flash-vision-exp", traits{}},
		{vllm, "deepseek-ai/DeepSeek-V4-Flash", traits{text: true}},
		{"openrouter.ai", "deepseek/deepseek-v3.2", traits{text: true}},
		{vllm, "deepseek-ai/deepseek-vl2", traits{}},
		{"api.z.ai", "glm-4.7", traits{text: true, thinks: true}},
		{"api.z.ai", "glm-4.6v", traits{thinks: true}},
		{vllm, "zai-org/GLM-5.1-FP8", traits{text: true, thinks: true}},
		{"api.z.ai", "glm-5v-turbo", traits{thinks: true}},
		{"api.z.ai", "glm-5.3", traits{thinks: true}},
		{"api.minimax.io", "MiniMax-M2.7", traits{text: true}},
		{"api.minimax.io", "MiniMax-M3", traits{}},
		{"api.groq.com", "openai/gpt-oss-120b", traits{text: true}},
		{"api.openai.com", "gpt-3.5-turbo", traits{text: true}},
		{"api.openai.com", "o3-mini", traits{text: true}},
		{"api.openai.com", "o3", traits{}},
		{"api.openai.com", "gpt-5", traits{}},
		{"api.openai.com", "gpt-5.1", traits{request: true}},
		{"me.openai.azure.com", "gpt-5.4-mini", traits{request: true}},
		{"api.openai.com", "gpt-5.5", traits{}},
		{"api.mistral.ai", "mistral-large-latest", traits{tool: true}},
		{vllm, "mistralai/Devstral-2-123B", traits{tool: true}},
		{"openrouter.ai", "mistralai/ministral-8b", traits{tool: true}},
		{"bedrock-runtime.us-east-1.amazonaws.com", "mistral.magistral-small-2509", traits{tool: true}},
		{vllm, "moonshotai/Kimi-K2.6", traits{thinks: true}},
		{vllm, "moonshotai/Kimi-K2-Instruct-0905", traits{}},
		{"api.fireworks.ai", "accounts/fireworks/models/kimi-k2p6", traits{thinks: true}},
		{"api.fireworks.ai", "accounts/fireworks/models/glm-4p7", traits{text: true, thinks: true}},
		{vllm, "Qwen/Qwen3.5-27B", traits{thinks: true}},
		{vllm, "Qwen/Qwen3-Coder-480B-A35B-Instruct", traits{}},
		{"api.anthropic.com", "claude-opus-5-5", traits{keys: true}},
		{"openrouter.ai", "anthropic/claude-sonnet-4.5", traits{keys: true}},
		{"bedrock-runtime.us-east-1.amazonaws.com", "us.anthropic.claude-opus-4-5-v1:0", traits{keys: true}},
	} {
		for _, protocol := range upstreams {
			want := c.want
			want.keys = want.keys || protocol == "anthropic" // any server of the API may run Claude
			require.Equal(t, want, of(protocol, c.host, c.model), "%s at %s, %s", c.model, c.host, protocol)
		}
	}
	require.Equal(t, traits{tool: true}, of("chat", "api.mistral.ai", "an-agent"))
}

// TestTargetTables checks the rules that target.Find relies on: the rows are in lower case, their
// efforts exist, and no row is twice in the tables of a protocol.
func TestTargetTables(t *testing.T) {
	for _, tables := range [][][]target.Row{{anthropic.Targets[:]}, {chat.Targets[:], openai.Targets[:]},
		{responses.Targets[:], openai.Targets[:]}} {
		seen := map[string]bool{}
		for _, table := range tables {
			for _, r := range table {
				key := r.Host + " " + r.Model
				require.Equal(t, strings.ToLower(key), key)
				require.False(t, seen[key], "twice: "+key)
				seen[key] = true
				for _, effort := range strings.Fields(r.Efforts) {
					require.Contains(t, []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"},
						effort)
				}
				require.Equal(t, r.Model, target.Family(r.Model), "a model's name can never be this")
			}
		}
	}
}

// TestModelsThatTakePhases: the model decides, at any host.
func TestModelsThatTakePhases(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-5.3-codex": true, "gpt-5.3-codex-spark": true, "gpt-5.4": true, "GPT-5.4-Pro": true,
		"openai/gpt-5.5": true, "gpt-5.6-terra": true,
		"gpt-6": true, "gpt-6.1-sol": true, "ft:gpt-5.4:org::id": true,
		"": false, "gpt-5": false, "gpt-5.3": false, "gpt-5.3-chat-latest": false, "gpt-5.2-codex": false,
		"gpt-60": false, "gpt-5.40": false, "claude-opus-5-5": false, "gpt-oss-120b": false,
	} {
		for _, host := range []string{"api.openai.com", "gateway.example"} {
			require.Equal(t, want, translator.API("responses").Upstream.Target(host, model).Phases,
				"%s at %s", model, host)
		}
		require.False(t, translator.API("chat").Upstream.Target("api.openai.com", model).Phases)
	}
}

// TestOwnToolSearch: whose own clients' searches for tools stay with the upstream.
func TestOwnToolSearch(t *testing.T) {
	for _, c := range []struct {
		protocol, host, model string
		own, others           bool // whether the upstream searches for clients of its API, and of others
	}{
		{"anthropic", "api.anthropic.com", "claude-opus-4-8", true, true},
		{"anthropic", "api.anthropic.com", "claude-opus-4-1", false, false},
		{"anthropic", "gateway.example", "claude-opus-4-8", true, false},
		{"anthropic", "aiplatform.googleapis.com", "claude-sonnet-4-5", true, false},
		{"anthropic", "gateway.example", "claude-opus-4-1", false, false},
		{"anthropic", "api.deepseek.com", "deepseek-chat", false, false},
		{"responses", "api.openai.com", "gpt-5.4", true, true},
		{"responses", "api.openai.com", "gpt-5.2", false, false},
		{"responses", "api.openai.com", "gpt-9", true, false},
		{"responses", "gateway.example", "gpt-5.5", true, false},
		{"responses", "gateway.example", "qwen3-coder", false, false},
		{"responses", "api.x.ai", "grok-4.6", false, false},
		{"chat", "api.openai.com", "gpt-5.4", false, false},
		{"gemini", "generativelanguage.googleapis.com", "gemini-3-pro", false, false},
		{"interactions", "generativelanguage.googleapis.com", "gemini-3-pro", false, false},
	} {
		up := translator.API(c.protocol).Upstream
		target := up.Target(c.host, c.model)
		others := up.Runs(ir.ToolSearchTool, target)
		require.Equal(t, c.others, others, "%v", c)
		require.Equal(t, c.own, others || target.OwnToolSearch, "%v", c)
	}
}
