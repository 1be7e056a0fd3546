package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// hosted emits a call run by the upstream, once its result is known.
func (d *decoder) hosted(it *item) {
	h := hostedItem(ir.Raw(jsonw.View(it.raw)), d.finding)
	if h != d.finding {
		d.loseSearch()
	}
	switch d.finding = nil; {
	case h == nil:
		d.loseItem(it)
	case h.Done:
		for i := range h.FoundTools {
			h.FoundTools[i] = d.names.Restore(h.FoundTools[i])
		}
		if h.Kind == ir.MCPTool {
			h.Server = d.server(h.Server)
		}
		d.out.Hosted(h)
	default: // the call waits for its result, and its item is dropped
		d.finding = hostedItem(ir.Raw(strings.Clone(string(jsonw.View(it.raw)))), nil)
	}
}

// loseSearch records a tool search without a result as a loss: other APIs have no form for the call
// alone.
func (d *decoder) loseSearch() {
	if d.finding != nil {
		d.lost.Add("output[].tool_search_call")
	}
}

// server returns the client's name of the MCP server with a label.
//
//go:noinline
func (d *decoder) server(label ir.Escaped) ir.Escaped {
	for i := range d.r.Tools {
		if t := &d.r.Tools[i]; t.Kind == ir.MCPTool && serverLabel(t.MCP.Label) == label {
			return t.MCP.Label
		}
	}
	return label
}
