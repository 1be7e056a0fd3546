package anthropic

import "edgelingua/translator/ir"

// toolChoice writes tool_choice, of which disable_parallel_tool_use is a part. A tool that could not be offered can't be
// demanded either.
func (w *requestWriter) toolChoice() *ir.Error {
	choice, mode := &w.r.ToolChoice, ""
	var name ir.Escaped
	switch choice.Mode {
	case ir.ToolsAuto:
		mode = "auto"
	case ir.ToolsRequired:
		mode = "any"
	case ir.ToolsNone:
		mode = "none"
	case ir.ToolsNamed:
		t := w.r.Tool(choice.Name)
		if t == nil || !w.offers(t) || !w.r.Allows(t.Name) {
			if err := w.loseChoice(); err != nil {
				return err
			}
			break
		}
		mode, name = "tool", toolName(t.Name)
		if t.Kind == ir.WebSearchTool {
			name = webSearch
		}
	}
	if w.t.NoForcedTool && (mode == "any" || mode == "tool") {
		if err := w.refuseOrLose(w.r.FieldPath(ir.FieldToolChoice), "a tool_choice that demands a call"); err != nil {
			return err
		}
		mode, name = "auto", ""
	}
	serial := w.r.Parallel == ir.False && mode != "none"
	if mode == "" && serial {
		mode = "auto"
	}
	if mode == "" {
		return nil
	}
	w.forced = mode == "any" || mode == "tool"
	w.raw(`,"tool_choice":{"type":"`)
	w.raw(mode)
	w.raw(`"`)
	w.member(`,"name":`, name)
	if serial {
		w.raw(`,"disable_parallel_tool_use":true`)
	}
	w.raw(`}`)
	return nil
}

// loseChoice deals with a choice that demands a tool that could not be offered.
func (w *requestWriter) loseChoice() *ir.Error {
	return w.refuseOrLose(w.r.FieldPath(ir.FieldToolChoice), "a choice of a tool that it is not offered")
}
