package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestCapabilities: an entry of the list of models says which efforts a model accepts, and what else
// edgelingua carries to the model.
func TestCapabilities(t *testing.T) {
	for _, target := range []*ir.Target{
		{},
		{Efforts: []string{"low", "high"}},
		{Efforts: []string{"medium", "xhigh", "max"}, Thinking: ir.AlwaysThinking, TextOnly: true},
		{Thinks: true, Files: true, WebSearch: true, NoFormat: true},
	} {
		var entry struct {
			Capabilities map[string]any
		}
		out := appendModel(nil, &ir.Model{ID: "m", Target: target})
		require.NoError(t, json.Unmarshal(out, &entry))
		supported := func(path ...string) bool {
			at := any(entry.Capabilities)
			for _, key := range path {
				at = at.(map[string]any)[key]
			}
			if o, ok := at.(map[string]any); ok {
				at = o["supported"]
			}
			return at.(bool)
		}
		for _, effort := range []string{"low", "medium", "high", "xhigh", "max"} {
			accepted := false
			for _, e := range target.Efforts {
				accepted = accepted || e == effort
			}
			require.Equal(t, accepted, supported("effort", effort), "%s: %s", effort, out)
		}
		require.Equal(t, len(target.Efforts) > 0, supported("effort"))
		require.Equal(t, len(target.Efforts) > 0 || target.Thinks, supported("thinking"))
		require.Equal(t, len(target.Efforts) > 0 || target.Thinks, supported("thinking", "types", "adaptive"))
		require.Equal(t, target.Thinking != ir.AlwaysThinking, supported("thinking", "types", "disabled"))
		require.Equal(t, !target.TextOnly, supported("image_input"))
		require.Equal(t, target.Files, supported("pdf_input"))
		require.Equal(t, target.WebSearch, supported("server_tools"))
		require.Equal(t, target.WebSearch, supported("server_tools", "web_search"))
		require.Equal(t, !target.NoFormat, supported("structured_outputs"))
		require.False(t, supported("batch"))
	}
}
