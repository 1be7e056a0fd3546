package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// functionName returns the name by which the upstream knows a client's tool.
func functionName(name ir.Escaped) ir.Escaped {
	return ir.Identifier(name, maxIdentifier)
}

// callID returns the id by which the upstream knows a call: the client's own, unless it is longer than the API allows.
func callID(id ir.Escaped) ir.Escaped {
	if len(id) <= maxIdentifier {
		return id
	}
	return ir.Identifier(id, maxIdentifier)
}

// tools writes tools, tool_choice and parallel_tool_calls. Without a tool none of them may be there.
func (w *requestWriter) tools() *ir.Error {
	n := 0
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		if t.Kind != ir.FunctionTool {
			if err := w.refuseOrLose(w.r.ToolPath(t), "a tool that its vendor has defined"); err != nil {
				return err
			}
			continue
		}
		if n == 0 {
			w.raw(`,"tools":[`)
		} else {
			w.raw(`,`)
		}
		n++
		w.tool(t)
	}
	if n == 0 {
		if m := w.r.ToolChoice.Mode; m == ir.ToolsRequired || m == ir.ToolsNamed {
			return w.loseChoice()
		}
		return nil
	}
	w.raw(`]`)
	if err := w.toolChoice(); err != nil {
		return err
	}
	if w.r.Parallel == ir.False {
		if w.t.ParallelFlag {
			w.raw(`,"parallel_tool_calls":false`)
		} else {
			w.lost.Add(w.r.FieldPath(ir.FieldParallel))
		}
	}
	return nil
}

func (w *requestWriter) tool(t *ir.Tool) {
	w.raw(`{"type":"function","function":{"name":`)
	w.literal(functionName(t.Name))
	if t.Description != "" {
		w.raw(`,"description":`)
		w.literal(t.Description)
	}
	w.raw(`,"parameters":`)
	var repaired bool
	w.dst, repaired = schema.Append(w.dst, t.Schema, schema.Rules{PlainRoot: w.t.PlainRoot, Subset: w.t.StrictSubset})
	if repaired {
		w.lost.Add(w.r.ToolPath(t))
	}
	w.raw(`}}`)
	if t.Strict == ir.True { // promises more about the schema than other clients' strict
		w.lost.Add(w.r.ToolPath(t) + ".strict")
	}
}

// toolChoice writes tool_choice. A tool that could not be offered can't be demanded either.
func (w *requestWriter) toolChoice() *ir.Error {
	choice := w.r.ToolChoice
	switch choice.Mode {
	case ir.ToolsAuto:
		w.raw(`,"tool_choice":"auto"`)
	case ir.ToolsRequired:
		w.raw(`,"tool_choice":"required"`)
	case ir.ToolsNone:
		w.raw(`,"tool_choice":"none"`)
	case ir.ToolsNamed:
		if !w.offers(choice.Name) {
			return w.loseChoice()
		}
		w.raw(`,"tool_choice":{"type":"function","function":{"name":`)
		w.literal(functionName(choice.Name))
		w.raw(`}}`)
	}
	return nil
}

func (w *requestWriter) offers(name ir.Escaped) bool {
	for i := range w.r.Tools {
		if t := &w.r.Tools[i]; t.Kind == ir.FunctionTool && t.Name == name {
			return true
		}
	}
	return false
}

// loseChoice deals with a choice that demands a tool that could not be offered.
func (w *requestWriter) loseChoice() *ir.Error {
	return w.refuseOrLose(w.r.FieldPath(ir.FieldToolChoice), "a choice of a tool that it is not offered")
}
