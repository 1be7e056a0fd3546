package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// toolChoice writes tool_choice. A demand for a tool that could not be offered is rejected or lost.
// A model that takes web_search_options searches before each answer ("Web search", Chat
// Completions), so a demand for a search needs no tool_choice.
func (w *requestWriter) toolChoice() *ir.Error {
	choice := &w.Request.ToolChoice
	mode := openai.ToolChoice(choice.Mode)
	if w.Target.NoForcedTool && (choice.Mode == ir.ToolsRequired || choice.Mode == ir.ToolsNamed) &&
		w.Request.Effort != "none" {
		if w.Target.ThinkingSwitch == ir.EffortSwitch {
			return w.RefuseOrLose(w.Request.FieldPath(ir.FieldToolChoice),
				"a tool choice that requires a tool call")
		}
		w.forced = true // the model does not think: see effort
	}
	switch choice.Mode {
	case ir.ToolsUnset:
		return nil
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		if t != nil && t.Kind == ir.WebSearchTool && w.searching {
			return nil
		}
		if t == nil || !w.offers(t) {
			return w.LoseChoice()
		}
		w.Raw(`,"tool_choice":`)
		w.namedTool(t)
		return nil
	}
	none := len(choice.Allowed) > 0 && !w.allows()
	switch {
	case !w.offered:
	case none:
		w.Raw(`,"tool_choice":"none"`)
		if !w.searching && mode != "none" {
			return w.LoseChoice()
		}
	case len(choice.Allowed) > 0 && w.Target.OpenAI && mode != "none":
		w.allowedTools(mode)
	default:
		w.Member(`,"tool_choice":`, mode)
	}
	return nil
}

// demandOnly changes the choice of a tool by name to a demand for any call, of which only that tool
// is offered.
//
//go:noinline
func (w *requestWriter) demandOnly() {
	choice := &w.Request.ToolChoice
	if t := w.Request.Tool(choice.Name); choice.Mode == ir.ToolsNamed && t != nil && w.offers(t) {
		*choice = ir.ToolChoice{Mode: ir.ToolsRequired, Allowed: []ir.Escaped{choice.Name}}
	}
}

// allows reports whether the model may call any tool that the client runs.
func (w *requestWriter) allows() bool {
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() && w.Request.Allows(t.Name) {
			return true
		}
	}
	return false
}

// namedTool writes a reference to a tool: {"type":"function","function":{"name":"f"}}.
func (w *requestWriter) namedTool(t *ir.Tool) {
	if t.Kind == ir.CustomTool && w.Target.OpenAI {
		w.toolName(t, `custom`)
	} else {
		w.toolName(t, `function`)
	}
	w.Raw(`}}`)
}

// allowedTools writes the tool_choice of OpenAI's own service that limits the model to some of the
// offered tools.
func (w *requestWriter) allowedTools(mode ir.Escaped) {
	w.Raw(`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":`)
	w.Literal(mode)
	separator := `,"tools":[`
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() && w.Request.Allows(t.Name) {
			w.Next(&separator)
			w.namedTool(t)
		}
	}
	w.Raw(`]}}`)
}
