package anthropic

import "edgelingua/translator/ir"

// The betas that Anthropic requires for tools of other APIs' clients: mcp_servers ("MCP
// connector"), and a search for deferred tools. For the search Claude Code 2.1.329 and LangChain
// 1.3 send a beta.
const (
	betaServers = "mcp-client-2025-11-20"
	betaTools   = "advanced-tool-use-2025-11-20"
)

// needs returns the headers with the version and the betas of a request. A server that gets none of
// these tools (requestWriter.takes) gets no beta: Claude on Bedrock, also through LiteLLM, rejects
// advanced-tool-use-2025-11-20 ("invalid beta flag": anthropics/claude-code#30926).
func needs(r *ir.Request, t *ir.Target) (headers []ir.Header) {
	if t.Version != "" {
		headers = append(headers, ir.Header{Name: version.Header, Value: t.Version})
	}
	betas, separator := "", ""
	if t.Fast && hasFastTier(r) {
		betas, separator = betaFast, ","
	}
	for _, beta := range [...]struct {
		kind ir.ToolKind
		name string
	}{{ir.MCPTool, betaServers}, {ir.ToolSearchTool, betaTools}} {
		for i := range r.Tools {
			if t.ToolSearch && r.Tools[i].Kind == beta.kind {
				betas += separator + beta.name
				separator = ","
				break
			}
		}
	}
	if betas != "" {
		headers = append(headers, ir.Header{Name: "anthropic-beta", Value: betas})
	}
	return headers
}
