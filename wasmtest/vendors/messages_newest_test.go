package vendors

import (
	"net/http"
	"slices"
	"strings"
)

var claudeCodeBetas = []string{
	"context-management-2025-06-27", "dangerous-tool-use-2026-09-03", "thinking-display-updates-2026-08-18",
	"per-turn-control-2026-07-01", "advanced-tool-use-2025-11-20",
}

func betaHeader(betas []string) http.Header {
	return http.Header{"Anthropic-Beta": {strings.Join(betas, ",")}}
}

const (
	claudeCode = `{
		"model": "claude-opus-5-5", "max_tokens": 4096,
		"thinking": {"type": "adaptive", "display": "updates"},
		"output_config": {"effort": "medium"},
		"context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
		"safeguards": [{"type": "dangerous_tool_use"}],
		"messages": [
			{"role": "user", "content": "hi"},
			{"role": "system", "content": "# Environment", "output_config": {"effort": "medium"}},
			{"role": "assistant", "content": [
				{"type": "tool_use", "id": "toolu_1", "name": "ToolSearch", "input": {}}]},
			{"role": "user", "content": [
				{"type": "tool_result", "tool_use_id": "toolu_1", "content": [
					{"type": "tool_reference", "tool_name": "WebFetch"}]},
				{"type": "text", "text": "Tool loaded."}]},
			{"role": "system", "content": [
				{"type": "text", "text": "A tool came.", "cache_control": {"type": "ephemeral"}}]}],
		"tools": [
			{"name": "ToolSearch", "input_schema": {"type": "object", "properties": {}}},
			{"name": "WebFetch", "input_schema": {"type": "object", "properties": {}}, "defer_loading": true},
			{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}]}`

	fromSystem = `{"role":"system","content":"x"}`
)

func newestMessagesRules() (all []rules) {
	all = append(all, rules{
		name: "the newest models", protocol: "anthropic", header: betaHeader(claudeCodeBetas),
		good: claudeCode,
		rows: []row{
			{"first-user", "a system message first", insert("messages[0]", fromSystem), `first message must be the user's`},
			{"system-turns", "two system messages in a row", insert("messages[5]", fromSystem),
				`last one or be followed by the assistant's`},
			{"system-turns", "a system message after the assistant's",
				drop("messages[3]").and(set("messages[3]", fromSystem)),
				`must immediately follow a user message`},
			{"system-turns", "a system message before the user's", insert("messages[5]", `{"role":"user","content":"x"}`),
				`last one or be followed by the assistant's`},
			{"system-turns", "an image in a system message", set("messages[1].content", `[{"type":"image","source":{}}]`),
				`unknown value "image"`},
			{"empty-text", "an empty system message", set("messages[1].content", `""`), `must not be empty`},
			{"system-turns", "a system message for an older model", set("model", `"claude-opus-4-7"`),
				`Input should be 'user' or 'assistant'`},
			{"system-turns", "a system message for a model with a thinking budget",
				set("model", `"claude-sonnet-4-5"`).and(drop("thinking")).and(drop("output_config")),
				`Input should be 'user' or 'assistant'`},
			{"model-thinking", "a budget", set("thinking", `{"type":"enabled","budget_tokens":1024}`),
				`enabled is not supported`},
			{"model-sampling", "a temperature", set("temperature", `1`), `temperature: is deprecated`},
			{"tool-reference", "a tool that was not offered", set("messages[3].content[0].content[0].tool_name", `"Other"`),
				`Tool reference 'Other' not found`},
			{"deferred", "only deferred tools", keep("tools", 1, 2), `All tools cannot be deferred`},
			{"deferred", "a breakpoint on a deferred tool", set("tools[1].cache_control", `{"type":"ephemeral"}`),
				`cannot have both defer_loading=true and cache_control`},
			{"schema-strict", "a strict tool with an open schema", set("tools[0].strict", `true`), `additionalProperties`},
			{"tool-reference", "a reference outside a result", set("messages[0].content",
				`[{"type":"tool_reference","tool_name":"WebFetch"}]`),
				`unknown value "tool_reference"`},
			{"search-tool", "a web search with another name",
				set("tools[2].name", `"WebSearch"`), `must be one of web_search`},
			{"search-tool", "a search with a schema", set("tools[2].input_schema", `{"type":"object"}`),
				`input_schema: unknown field`},
			{"search-tool", "both lists of domains",
				set("tools[2].allowed_domains", `["a.com"]`).
					and(set("tools[2].blocked_domains", `["a.com"]`)),
				`only one of`},
			{"search-results", "a search of another vendor", insert("messages[2].content[0]",
				`{"type":"server_tool_use","id":"ws_1","name":"web_search","input":{}}`),
				`must match /\^srvtoolu_`},
			{"search-results", "a citation without encrypted_index",
				set("messages[0].content", `[{"type":"text","text":"x","citations":[
				{"type":"web_search_result_location","cited_text":"","encrypted_index":"","title":"",
				"url":"https://a.com/"}]}]`),
				`encrypted_index: must not be empty`},
			{"thinking-edits", "clear_thinking without thinking", set("thinking", `{"type":"disabled"}`).
				and(set("model", `"claude-opus-4-8"`)),
				"clear_thinking_20251015` strategy requires"},
			{"betas", "compaction without its beta",
				insert("context_management.edits[1]", `{"type":"compact_20260112"}`),
				`context_management: Extra inputs`},
			{"search-results", "search results without encrypted_content",
				insert("messages[2].content[0]", `{"type":"web_search_tool_result",
				"tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"",
					"url":"https://a.com/"}]}`),
				`encrypted_content: required`},
		},
	})
	return all
}

// Without the beta the API rejects a gated member as unknown.
func betaRules() (all []rules) {
	good := decode(claudeCode)
	for _, member := range []string{"context_management", "safeguards", "thinking"} {
		drop(member)(good)
	}
	keep("messages", 0, 1)(good)
	keep("tools", 0, 1)(good)
	whole := func(body any) {
		for name, value := range decode(claudeCode).(object) {
			body.(object)[name] = value
		}
	}
	for beta, says := range map[string]string{
		"context-management-2025-06-27":       `context_management: Extra inputs`,
		"dangerous-tool-use-2026-09-03":       `safeguards: Extra inputs`,
		"thinking-display-updates-2026-08-18": `thinking\.display: Extra inputs`,
		"per-turn-control-2026-07-01":         `messages\.output_config: Extra inputs`,
		"advanced-tool-use-2025-11-20":        `tools\.defer_loading: Extra inputs`,
	} {
		others := slices.DeleteFunc(slices.Clone(claudeCodeBetas),
			func(name string) bool { return name == beta })
		all = append(all, rules{
			name: "without " + beta, protocol: "anthropic", header: betaHeader(others), good: encode(good),
			rows: []row{{"betas", "the gated members", whole, says}},
		})
	}
	return all
}

func mcpRules() (all []rules) {
	all = append(all, rules{
		name: "MCP servers", protocol: "anthropic", header: betaHeader([]string{"mcp-client-2025-11-20"}),
		good: `{
			"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": [{"role": "user", "content": "hi"}],
			"mcp_servers": [{"type": "url", "name": "dice", "url": "https://dice.example/mcp"}],
			"tools": [{"type": "mcp_toolset", "mcp_server_name": "dice"}]}`,
		rows: []row{
			{"mcp", "a server without a toolset", set("tools", `[]`),
				`'dice' must be referenced by exactly one MCPToolset`},
			{"mcp", "a toolset without a server", drop("mcp_servers"), `MCP server 'dice' not found in mcp_servers`},
			{"mcp", "a toolset twice", repeat("tools[0]", "tools[1]"), `must be unique: mcp:dice`},
			{"mcp", "a server without TLS", set("mcp_servers[0].url", `"http://dice.example/mcp"`),
				`must match /\^https:`},
		},
	})
	return all
}
