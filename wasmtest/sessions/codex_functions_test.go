package sessions_test

import (
	"testing"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Responses servers with functions as their only tools, of known and unknown hosts.
var functionServers = []*upstream{
	{
		kind: "responses", name: "OpenRouter", protocol: "responses", url: "https://openrouter.ai/api/v1",
		models: `{"*":"qwen/qwen3-coder"}`, options: vendors.Options{Functions: true},
	},
	{
		kind: "responses", name: "LM Studio", protocol: "responses", url: "http://127.0.0.1:1234/v1",
		models: `{"*":"openai/gpt-oss-20b"}`, options: vendors.Options{Functions: true},
	},
}

// TestCodexWithFunctionsOnly: sessions of Codex on servers of Codex' own protocol, without the tools
// namespace, custom and tool_search. Codex gets each call back by the kind of item of the tool.
func TestCodexWithFunctionsOnly(t *testing.T) {
	t.Parallel()
	for _, model := range clients.CodexModels {
		parallel(t, model, func(t *testing.T) {
			each(t, functionServers, func(t *testing.T, u *upstream) { codexCalls(t, u, model) })
		})
	}
}
