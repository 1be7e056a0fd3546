package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/target"
)

const (
	vendorHost = "api.anthropic.com"
	// cachingHosts are other servers with prompt caching: openrouter.ai/docs, prompt caching;
	// Vertex AI, cloud.google.com/vertex-ai, Claude, prompt-caching.
	cachingHosts = "openrouter.ai aiplatform.googleapis.com"

	// vendorOnly are features that only Anthropic is known to have: other servers of Claude's
	// Messages API may lack them, for example Bedrock.
	vendorOnly = target.Search | target.ToolSearch | target.Programs | target.Strict | target.SystemTurns |
		target.Caching

	// The facts that most rows have in common. target.Strict is for models that follow a schema
	// strictly. Anthropic rejects unions at the root of a schema ("input_schema does not support
	// oneOf, allOf, or anyOf at the top level").
	claude  = target.PlainRoot | target.NoFormat | target.AnswerTool | target.Caching
	claude4 = target.PlainRoot | target.Strict | target.AnswerTool | target.Search | target.Caching
	// agents-and-tools/tool-use/tool-search-tool, and the models of .../mcp-connector
	claude45 = claude4 | target.ToolSearch
	// Code that calls tools: Opus 4.5, Sonnet 4.5 and later (.../code-execution-tool, "Model
	// compatibility"), but not Haiku 4.5. No page says that a later Haiku has it.
	claude46 = claude45&^target.AnswerTool | target.Adaptive | target.Programs
	claude5  = claude46 | target.NoSampling | target.SystemTurns

	lmh   = "low medium high"
	lmhxm = "low medium high xhigh max"
)

// Target returns the facts about model at the server host. The caller owns the result.
func (Upstream) Target(host, model string) *ir.Target {
	lacks := target.Facts(0)
	if !target.IsHost(host, vendorHost) {
		lacks = vendorOnly
		if target.IsHost(host, cachingHosts) {
			lacks &^= target.Caching
		}
	}
	t := target.Find(host, model, lacks&^target.ToolSearch, Targets[:])
	// Bedrock, Vertex AI and Foundry have the search for tools, with headers of their own
	if t.ToolSearch && lacks&target.ToolSearch != 0 {
		t.OwnToolSearch, t.ToolSearch = true, false
	}
	t.StoredFiles = target.IsHost(host, vendorHost)
	t.OwnCompaction, t.Files = t.StoredFiles, true
	t.Fast = t.StoredFiles && hasFastMode(model)
	if t.StoredFiles && t.NoSampling { // nothing is lost by the newest version; it may replace the older
		t.Version = newest
	}
	return t
}

// Targets lists the facts about models of the Messages API, from Anthropic's documentation or from
// error messages of its servers.
var Targets = [...]target.Row{
	// Anthropic, and other providers of Claude through the Messages API. Limits:
	// platform.claude.com/docs, models overview. Thinking: .../build-with-claude/thinking (4.7 and
	// later reject budget_tokens; 4.5 and older have no adaptive thinking). Efforts: .../effort.
	// Schemas: .../structured-outputs. 4.7 and later reject sampling parameters ("temperature is
	// deprecated for this model"). Fable and Mythos reject disabled thinking
	// (.../models/fable-5/migration-guide), and since 5.1 also tool_choice any and tool
	// (.../models/fable-5-1/migration-guide; Fable 5.2 of 2026-11-09 follows 5.1). So do Opus 5.5 of
	// 2026-09-22 (.../models/opus-5-5/whats-new-opus-5-5: "Thinking can't be disabled", "Forced tool
	// use returns an error") and Sonnet 5.5 (.../models/sonnet-5-5/whats-new-sonnet-5-5), but not
	// Haiku 5.5 (.../models/haiku-5-5/migration-guide). Opus 4.8 introduced the role system among the
	// messages (.../mid-conversation-system-messages). A model without a row gets what the newest
	// models accept, by the row of its family or by "claude-".
	{Has: target.NoFormat | target.PlainKeys | target.Caching},
	{Model: "claude-", Output: 128000, Efforts: lmhxm, Has: claude5},
	{Model: "claude-opus-5 claude-sonnet-5", Output: 128000, Efforts: lmhxm, Has: claude5},
	{Model: "claude-haiku-", Output: 128000, Efforts: lmhxm, Has: claude5 &^ target.Programs},
	{Model: "claude-haiku-5", Output: 128000, Efforts: lmhxm, Has: claude5 &^ target.Programs},
	{Model: "claude-opus-5-5", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-sonnet-5-5", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-opus-4-8", Output: 128000, Efforts: lmhxm, Has: claude5},
	{Model: "claude-fable-", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-fable-5", Output: 128000, Efforts: lmhxm, Has: claude5 | target.AlwaysThinks},
	{Model: "claude-fable-5-1", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-fable-5-2", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-mythos-", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-mythos-5", Output: 128000, Efforts: lmhxm, Has: claude5 | target.AlwaysThinks},
	{Model: "claude-mythos-5-1", Output: 128000, Efforts: lmhxm,
		Has: claude5 | target.AlwaysThinks | target.NoForcedTool},
	{Model: "claude-mythos-preview", Output: 128000, Efforts: lmhxm,
		Has: claude5&^target.SystemTurns | target.AlwaysThinks},
	{Model: "claude-opus-4-7", Output: 128000, Efforts: lmhxm, Has: claude5 &^ target.SystemTurns},
	{Model: "claude-opus-4-6", Output: 128000, Efforts: "low medium high max", Has: claude46},
	{Model: "claude-sonnet-4-6", Output: 128000, Efforts: lmh, Has: claude46},
	{Model: "claude-opus-4-5", Output: 64000, Has: claude45 | target.Programs | target.Budget},
	{Model: "claude-sonnet-4-5", Output: 64000, Has: claude45 | target.Programs | target.Budget},
	{Model: "claude-haiku-4-5", Output: 64000, Has: claude45 | target.Budget},
	{Model: "claude-opus-4-1", Output: 32000, Has: claude | target.Search | target.Budget},
	{Model: "claude-opus-4", Output: 32000, Has: claude | target.Search | target.Budget},
	{Model: "claude-sonnet-4", Output: 64000, Has: claude | target.Search | target.Budget},
	{Model: "claude-3-7", Output: 64000, Has: claude | target.Search | target.Budget},
	{Model: "claude-3-5", Output: 8192, Has: claude | target.Search},
	{Model: "claude-3", Output: 4096, Has: claude},
}
