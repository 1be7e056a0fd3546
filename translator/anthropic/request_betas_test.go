package anthropic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestNeeds covers requests with and without tools that need a beta of Anthropic.
func TestNeeds(t *testing.T) {
	server, search, function := ir.Tool{Kind: ir.MCPTool}, ir.Tool{Kind: ir.ToolSearchTool}, ir.Tool{}
	require.Empty(t, needs(&ir.Request{Tools: []ir.Tool{function}}, &ir.Target{ToolSearch: true}))
	require.Empty(t, needs(&ir.Request{Tools: []ir.Tool{server, search}}, &ir.Target{}),
		"tools that the server is not given")
	require.Equal(t, []ir.Header{{Name: "anthropic-version", Value: newest}},
		needs(&ir.Request{Tools: []ir.Tool{server}}, &ir.Target{Version: newest}))
	for value, tools := range map[string][]ir.Tool{
		"mcp-client-2025-11-20":                              {function, server, server},
		"advanced-tool-use-2025-11-20":                       {search},
		"mcp-client-2025-11-20,advanced-tool-use-2025-11-20": {search, server},
	} {
		require.Equal(t, []ir.Header{{Name: "anthropic-beta", Value: value}},
			needs(&ir.Request{Tools: tools}, &ir.Target{ToolSearch: true}))
	}
}
