package vendors

import (
	"net/http"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// gated has the request members that the Messages API accepts only with a beta, and the beta.
var gated = []struct {
	path, beta string
	used       func(object) bool
}{
	{"context_management", "context-management-2025-06-27", func(r object) bool {
		return has(r, "context_management") && !compacts(r)
	}},
	{"context_management", "compact-2026-01-12", compacts},
	{"safeguards", "dangerous-tool-use-2026-09-03", func(r object) bool { return has(r, "safeguards") }},
	{"thinking.display", "thinking-display-updates-2026-08-18", func(r object) bool {
		return text(get[object](r, "thinking"), "display") == "updates"
	}},
	{"thinking.block_binding", "thinking-binding-controls-2026-08-01", func(r object) bool {
		return has(get[object](r, "thinking"), "block_binding")
	}},
	{"messages.output_config", "per-turn-control-2026-07-01", func(r object) bool {
		return slices.ContainsFunc(objects(r, "messages"),
			func(m object) bool { return has(m, "output_config") })
	}},
	{"tools.defer_loading", "advanced-tool-use-2025-11-20", func(r object) bool {
		return slices.ContainsFunc(objects(r, "tools"),
			func(t object) bool { return has(t, "defer_loading") })
	}},
	{"mcp_servers", "mcp-client-2025-11-20", func(r object) bool { return has(r, "mcp_servers") }},
	{"messages.content.tool_reference", "advanced-tool-use-2025-11-20", func(r object) (found bool) {
		for _, message := range objects(r, "messages") {
			walk(message["content"], func(o object) { found = found || text(o, "type") == "tool_reference" })
		}
		return found
	}},
}

func compacts(r object) bool {
	edits := objects(get[object](r, "context_management"), "edits")
	return slices.ContainsFunc(edits,
		func(edit object) bool { return text(edit, "type") == "compact_20260112" })
}

// checkBetas rejects gated members unless the Anthropic-Beta header names the beta.
func checkBetas(body object, header http.Header) {
	named := map[string]bool{}
	for _, line := range header.Values("Anthropic-Beta") {
		for name := range strings.SplitSeq(line, ",") {
			named[strings.TrimSpace(name)] = true
		}
	}
	for _, one := range gated {
		if one.used(body) && !named[one.beta] {
			shape.Refuse(one.path, "Extra inputs are not permitted")
		}
	}
}
