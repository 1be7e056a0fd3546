package chat

import "edgelingua/translator/ir"

// toolChoice writes tool_choice, where n tools are offered. A tool that could not be offered can't be demanded either.
func (w *requestWriter) toolChoice(n int) *ir.Error {
	choice := &w.Request.ToolChoice
	mode := ""
	switch choice.Mode {
	case ir.ToolsAuto:
		mode = "auto"
	case ir.ToolsRequired:
		mode = "required"
	case ir.ToolsNone:
		mode = "none"
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		if t == nil || !w.offers(t) {
			return w.LoseChoice()
		}
		w.Raw(`,"tool_choice":`)
		w.namedTool(t)
		return nil
	default:
		return nil
	}
	if len(choice.Allowed) > 0 && n > 0 {
		if n = w.allowed(); n == 0 && mode == "auto" {
			n, mode = 1, "none"
		}
	}
	switch {
	case n == 0 && mode == "required":
		return w.LoseChoice()
	case n == 0:
	case len(choice.Allowed) > 0 && w.Target.OpenAI && mode != "none":
		w.allowedTools(mode)
	default:
		w.Raw(`,"tool_choice":"`)
		w.Raw(mode)
		w.Raw(`"`)
	}
	return nil
}

// allowed returns how many of the tools that the client runs may be called.
func (w *requestWriter) allowed() (n int) {
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() && w.Request.Allows(t.Name) {
			n++
		}
	}
	return n
}

// namedTool writes what points at a tool.
func (w *requestWriter) namedTool(t *ir.Tool) {
	if t.Kind == ir.CustomTool && w.Target.OpenAI {
		w.toolName(t, `custom`)
	} else {
		w.toolName(t, `function`)
	}
	w.Raw(`}}`)
}

// allowedTools writes a tool_choice that leaves some tools out of those that are offered.
func (w *requestWriter) allowedTools(mode string) {
	w.Raw(`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"`)
	w.Raw(mode)
	w.Raw(`","tools":[`)
	n := 0
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() && w.Request.Allows(t.Name) {
			if n > 0 {
				w.Raw(`,`)
			}
			n++
			w.namedTool(t)
		}
	}
	w.Raw(`]}}`)
}
