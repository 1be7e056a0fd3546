package anthropic

import "edgelingua/translator/ir"

// toolChoice writes tool_choice, including disable_parallel_tool_use. A demand for a tool that the
// upstream does not get is refused or lost, and so is any demand if the upstream accepts none
// (FAULTS 81). After a loss the model may call any tool.
func (w *requestWriter) toolChoice() *ir.Error {
	choice, mode := &w.Request.ToolChoice, ""
	var name ir.Escaped
	switch choice.Mode {
	case ir.ToolsAuto:
		mode = "auto"
	case ir.ToolsRequired:
		mode = "any"
	case ir.ToolsNone:
		mode = "none"
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		// the API can't demand a call of just any tool of a server
		if t == nil || t.Kind == ir.MCPTool || !w.accepts(t) || !w.Request.Allows(t.Name) {
			if err := w.LoseChoice(); err != nil {
				return err
			}
			break
		}
		mode, name = "tool", toolName(t.Name)
		switch model, _ := t.CalledBy(); {
		case t.Kind == ir.WebSearchTool:
			name = webSearch
		case t.Kind == ir.ProgramTool && !w.own:
			name = codeExecution
		case !model && w.calledByCode(t): // the API can't demand calls by code
			if err := w.RefuseOrLose(w.Request.FieldPath(ir.FieldToolChoice),
				"a tool choice of a tool that only code may call"); err != nil {
				return err
			}
			mode, name = "", ""
		}
	}
	if w.Target.NoForcedTool && (mode == "any" || mode == "tool") {
		if err := w.RefuseOrLose(w.Request.FieldPath(ir.FieldToolChoice),
			"a tool choice that requires a tool call"); err != nil {
			return err
		}
		mode, name = "auto", ""
	}
	serial := w.Request.Parallel == ir.False && mode != "none"
	if serial && w.Programs && !w.own { // "`disable_parallel_tool_use: true` is not supported"
		w.Lose(ir.FieldParallel)
		serial = false
	}
	if mode == "" && serial {
		mode = "auto"
	}
	if mode == "" {
		return nil
	}
	w.forced = mode == "any" || mode == "tool"
	w.Raw(`,"tool_choice":{"type":"`)
	w.Raw(mode)
	w.Raw(`"`)
	w.Member(`,"name":`, name)
	if serial {
		w.Raw(`,"disable_parallel_tool_use":true`)
	}
	w.Raw(`}`)
	return nil
}
