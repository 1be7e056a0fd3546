package responses

import "edgelingua/translator/ir"

// hosted writes the items of a call run by an upstream, and of its result. The tools in a
// tool_search_output are defined as in "tools".
func (w *requestWriter) hosted(h *ir.Hosted) {
	w.separate()
	if h.Kind == ir.MCPTool { // the API requires an id for an mcp_call
		w.Dst = appendHosted(w.Dst, h, w.ids.Unique(ir.AnswerID("mcp_", h.ID), 0))
		return
	}
	w.Dst = appendHosted(w.Dst, h, "")
	w.found(h)
}

// found writes the item with the result of a tool search.
func (w *requestWriter) found(h *ir.Hosted) {
	w.separate()
	w.Dst = appendFoundHead(w.Dst, h, "")
	if w.loaded == nil {
		w.loaded = map[ir.Escaped]bool{}
	}
	separator := ""
	for _, name := range h.FoundTools {
		if t := w.ToolByName(name); t != nil && w.accepts(t) && !w.loaded[name] {
			w.loaded[name] = true
			w.Next(&separator)
			w.tool(t)
		}
	}
	w.Raw(`]}`)
}
