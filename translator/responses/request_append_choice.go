package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// toolChoice writes tool_choice. A tool that could not be offered can't be demanded either.
func (w *requestWriter) toolChoice() *ir.Error {
	choice := &w.r.ToolChoice
	if len(choice.Allowed) > 0 && w.t.OpenAI {
		return w.allowedTools(choice)
	}
	switch choice.Mode {
	case ir.ToolsAuto:
		w.raw(`,"tool_choice":"auto"`)
	case ir.ToolsRequired:
		w.raw(`,"tool_choice":"required"`)
	case ir.ToolsNone:
		w.raw(`,"tool_choice":"none"`)
	case ir.ToolsNamed:
		t := w.r.Tool(choice.Name)
		if t == nil || !isCallable(t) {
			return w.loseChoice()
		}
		w.raw(`,"tool_choice":`)
		w.toolReference(t)
	}
	return nil
}

// allowedTools writes the choice among some of the tools. Where none of them could be offered, none may be called.
func (w *requestWriter) allowedTools(choice *ir.ToolChoice) *ir.Error {
	some := false
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		some = some || w.takes(t) && w.r.Allows(t.Name)
	}
	if !some {
		w.raw(`,"tool_choice":"none"`)
		if choice.Mode == ir.ToolsRequired {
			return w.loseChoice()
		}
		return nil
	}
	w.raw(`,"tool_choice":{"type":"allowed_tools","mode":`)
	if choice.Mode == ir.ToolsRequired {
		w.raw(`"required"`)
	} else {
		w.raw(`"auto"`)
	}
	separator := `,"tools":[`
	for i := range w.r.Tools {
		if t := &w.r.Tools[i]; w.takes(t) && w.r.Allows(t.Name) {
			w.raw(separator)
			separator = `,`
			w.toolReference(t)
		}
	}
	w.raw(`]}`)
	return nil
}

// toolReference writes what a choice calls a tool.
func (w *requestWriter) toolReference(t *ir.Tool) {
	switch t.Kind {
	case ir.FunctionTool:
		w.raw(`{"type":"function","name":`)
	case ir.CustomTool:
		w.raw(`{"type":"custom","name":`)
	case ir.WebSearchTool:
		w.raw(`{"type":"web_search"}`)
		return
	default:
		w.raw(`{"type":`)
		w.literal(t.Type)
		w.raw(`}`)
		return
	}
	w.literal(openai.ToolName(t.Name))
	w.raw(`}`)
}

// isCallable reports whether the model calls a tool by its name. Others can't be demanded.
func isCallable(t *ir.Tool) bool { return t.Kind == ir.FunctionTool || t.Kind == ir.CustomTool }

// loseChoice deals with a choice that demands a tool that could not be offered.
func (w *requestWriter) loseChoice() *ir.Error {
	return w.refuseOrLose(w.r.FieldPath(ir.FieldToolChoice), "a choice of a tool that it is not offered")
}
