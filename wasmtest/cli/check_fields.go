package cli

import (
	"fmt"

	"edgelingua/wasmtest/conform"
)

// areaFields has the member of each API that an area of cases is about, if there is one.
var areaFields = map[string]map[string]string{
	"cache": {"messages": "system.cache_control", "chat": "prompt_cache_key", "responses": "prompt_cache_key",
		"gemini": "cachedContent"},
	"tools": {"messages": "tools.strict", "chat": "tools.function.strict", "responses": "tools.parameters",
		"gemini": "tools.functionDeclarations"},
	"reasoning": {"messages": "thinking", "chat": "reasoning_effort", "responses": "reasoning.effort",
		"gemini": "generationConfig.thinkingConfig"},
	"structured": {"messages": "output_config.format", "chat": "response_format", "responses": "text.format",
		"gemini": "generationConfig.responseJsonSchema"},
	"media": {"messages": "messages.content", "chat": "messages.content", "responses": "input",
		"gemini": "contents.parts.inlineData"},
	"usage": {"messages": "usage.input_tokens", "chat": "usage.prompt_tokens",
		"responses": "usage.input_tokens", "gemini": "usageMetadata.promptTokenCount"},
	"stored":     {"responses": "previous_response_id"},
	"compaction": {"messages": "context_management", "responses": "context_management"},
}

// explainCase explains a case, and names the row of the loss ledger with what edgelingua carries.
func explainCase(c *conform.Case) string {
	text := c.Explain()
	if field := areaFields[c.Area()][c.API()]; field != "" {
		text += fmt.Sprintf("  ledger    edgelingua explain %s.%s\n", c.API(), field)
	}
	return text
}
