package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// toolChoice writes tool_choice. If the demanded tool could not be offered, the choice is rejected
// or lost.
func (w *requestWriter) toolChoice() *ir.Error {
	choice := &w.Request.ToolChoice
	if len(choice.Allowed) > 0 && w.Target.OpenAI {
		return w.allowedTools(choice)
	}
	switch choice.Mode {
	case ir.ToolsAuto, ir.ToolsRequired, ir.ToolsNone:
		w.Member(`,"tool_choice":`, openai.ToolChoice(choice.Mode))
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		if t == nil || !w.accepts(t) {
			return w.LoseChoice()
		}
		w.Raw(`,"tool_choice":`)
		w.toolReference(t)
	}
	return nil
}

// allowedTools writes the tool_choice that restricts the model to some of the tools. If all of
// these are missing from the offered tools, the choice is "none".
func (w *requestWriter) allowedTools(choice *ir.ToolChoice) *ir.Error {
	some := false
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		some = some || w.accepts(t) && w.Request.Allows(t.Name)
	}
	if !some {
		w.Raw(`,"tool_choice":"none"`)
		return w.LoseChoice()
	}
	w.Raw(`,"tool_choice":{"type":"allowed_tools","mode":`)
	w.Literal(openai.ToolChoice(choice.Mode))
	separator := `,"tools":[`
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; w.accepts(t) && w.Request.Allows(t.Name) {
			w.Next(&separator)
			w.toolReference(t)
		}
	}
	w.Raw(`]}`)
	return nil
}

// toolReference writes a reference to a tool, in the form used in tool_choice.
func (w *requestWriter) toolReference(t *ir.Tool) {
	switch t.Kind {
	case ir.FunctionTool, ir.CustomTool:
		if w.isCustom(t) {
			w.Raw(`{"type":"custom","name":`)
		} else {
			w.Raw(`{"type":"function","name":`)
		}
	case ir.MCPTool:
		w.Raw(`{"type":"` + mcp + `","server_label":`)
		w.Literal(serverLabel(t.MCP.Label))
		w.Raw(`}`)
		return
	case ir.ProgramTool:
		w.Raw(`{"type":"` + programTool + `"}`)
		return
	case ir.WebSearchTool:
		if !w.verbatim(t) {
			w.Raw(`{"type":"web_search"}`)
			return
		}
		fallthrough
	default:
		w.Raw(`{"type":`)
		w.Literal(t.Type)
		w.Raw(`}`)
		return
	}
	w.Literal(openai.ToolName(t.Name))
	w.Raw(`}`)
}
