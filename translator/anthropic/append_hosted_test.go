package anthropic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestFoundTools: the result of a search for tools has a reference to each known tool.
func TestFoundTools(t *testing.T) {
	for references, found := range map[string][]ir.Escaped{
		"": nil,
		`{"type":"tool_reference","tool_name":"a"}`: {"a", "unknown"},
		`{"type":"tool_reference","tool_name":"a"},` +
			`{"type":"tool_reference","tool_name":"b"},` +
			`{"type":"tool_reference","tool_name":"c"}`: {"a", "unknown", "b", "c"},
	} {
		h := &ir.Hosted{Kind: ir.ToolSearchTool, FoundTools: found}
		out := appendHostedResult(nil, h, []byte("srvtoolu_1"), func(name ir.Escaped) bool {
			return name != "unknown"
		})
		require.JSONEq(t, `{"type":"tool_search_tool_result","tool_use_id":"srvtoolu_1","content":`+
			`{"type":"tool_search_tool_search_result","tool_references":[`+references+`]}}`, string(out))
	}
}
