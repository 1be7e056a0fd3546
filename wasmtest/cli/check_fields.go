package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

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

// ledgerCommand returns the command that prints the row of the loss ledger for a case, or "".
func ledgerCommand(c *conform.Case) string {
	if field := areaFields[c.Area()][c.API()]; field != "" {
		return fmt.Sprintf("edgelingua explain %s.%s", c.API(), field)
	}
	return ""
}

// explainCase explains a case, and names the row of the loss ledger with what edgelingua carries.
func explainCase(c *conform.Case) string {
	text := c.Explain()
	if command := ledgerCommand(c); command != "" {
		text += "  ledger    " + command + "\n"
	}
	return text
}

// writeLedger names the rows of the loss ledger for the failed cases of reports.
func writeLedger(w io.Writer, reports conform.Reports) {
	var commands []string
	failed := map[string][]string{} // the IDs of cases by command
	for _, r := range reports {
		for _, x := range r.Results {
			if x.State != conform.Failed {
				continue
			}
			command := ledgerCommand(conform.Lookup(x.ID))
			if command == "" || slices.Contains(failed[command], x.ID) {
				continue
			}
			if failed[command] == nil {
				commands = append(commands, command)
			}
			failed[command] = append(failed[command], x.ID)
		}
	}
	for _, command := range commands {
		fmt.Fprintf(w, "`%s` says what edgelingua carries of this field (%s).\n", command,
			strings.Join(failed[command], ", "))
	}
}
