package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// hosted writes the item of a call run by the upstream. For a tool search it calls between, and
// then writes the tools found as a second item.
func (w *itemWriter) hosted(h *ir.Hosted, between func()) {
	if h.Kind == ir.ProgramTool {
		w.separate()
		w.program(h)
		w.lead = len(w.out)
		return
	}
	prefix := "mcp_"
	if h.Kind == ir.ToolSearchTool {
		prefix = "tsc_"
	}
	w.separate()
	w.out = appendHosted(w.out, h, w.hostedID(prefix, h))
	w.lead = len(w.out)
	if h.Kind != ir.ToolSearchTool {
		return
	}
	between()
	w.isOpen = true
	w.separate()
	w.out = appendFoundHead(w.out, h, w.hostedID("tso_", h))
	separator := ""
	if w.tools == nil {
		w.tools = w.request.ToolsByName()
	}
	for _, name := range h.FoundTools {
		if t := w.tools[name]; t != nil {
			// each definition is written once per answer: an upstream could otherwise make the
			// answer endlessly long
			delete(w.tools, name)
			w.raw(separator)
			w.found(t)
			separator = ","
		}
	}
	w.raw(`]}`)
	w.lead = len(w.out)
}

// hostedID returns the id of an item. The id of a search that ran here is part of it, so that the
// client's next turn has the search as this answer's rounds have it (ir.Unfold).
func (w *itemWriter) hostedID(prefix string, h *ir.Hosted) ir.Escaped {
	if strings.HasPrefix(string(h.ID), ir.RanHere) {
		return ir.Escaped(prefix) + h.ID
	}
	return ir.Escaped(prefix) + w.stem + ir.Escaped("_"+strconv.FormatInt(w.count, 10))
}

// found writes the definition of a tool found by a search, inside the tool's namespace if there is
// one.
func (w *itemWriter) found(t *ir.Tool) {
	name := t.Name
	if t.Namespace != "" {
		name = t.Local
		w.member(`{"type":"namespace","name":`, t.Namespace)
		w.member(`,"description":`, t.Namespace)
		w.raw(`,"tools":[`)
	}
	if t.Kind == ir.CustomTool {
		w.member(`{"type":"custom","name":`, name)
		w.member(`,"description":`, t.Description)
	} else {
		w.member(`{"type":"function","name":`, name)
		w.member(`,"description":`, t.Description)
		schema := t.Schema
		if schema == "" {
			schema = `{"type":"object","properties":{}}`
		}
		w.out = jsonw.AppendFlat(raw(w.out, `,"parameters":`), schema)
		w.out = strconv.AppendBool(raw(w.out, `,"strict":`), t.Strict == ir.True)
	}
	w.raw(`,"defer_loading":true}`)
	if t.Namespace != "" {
		w.raw(`]}`)
	}
}
