package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// functions writes functions and function_call, the older names of tools and tool_choice (API reference, "Create chat completion",
// deprecated). Nothing is strict there, and none but a certain function can be demanded.
func (w *requestWriter) functions() *ir.Error {
	n, only := 0, (*ir.Tool)(nil)
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		switch {
		case !w.r.Allows(t.Name):
			continue
		case !isDeclared(t):
			if err := w.refuseOrLose(t.At.String(), "a tool that its vendor has defined"); err != nil {
				return err
			}
			continue
		case n == 0:
			w.raw(`,"functions":[`)
		default:
			w.raw(`,`)
		}
		n, only = n+1, t
		w.raw(`{"name":`)
		w.literal(openai.ToolName(t.Name))
		w.parameters(t)
		w.raw(`}`)
		if t.Strict == ir.True {
			w.lost.Add(t.At.Path(".strict"))
		}
	}
	w.offered = n > 0
	if n > 0 {
		w.raw(`]`)
	}
	return w.functionChoice(n, only)
}

// functionChoice writes function_call, where n functions are offered, of which only is the last.
func (w *requestWriter) functionChoice(n int, only *ir.Tool) *ir.Error {
	choice := &w.r.ToolChoice
	named := only
	switch choice.Mode {
	case ir.ToolsAuto:
		if n > 0 {
			w.raw(`,"function_call":"auto"`)
		}
		return nil
	case ir.ToolsNone:
		if n > 0 {
			w.raw(`,"function_call":"none"`)
		}
		return nil
	case ir.ToolsRequired:
		if n != 1 {
			return w.loseChoice()
		}
	case ir.ToolsNamed:
		named = w.r.Tool(choice.Name)
		if named == nil || !isDeclared(named) || !w.r.Allows(named.Name) {
			return w.loseChoice()
		}
	default:
		return nil
	}
	w.raw(`,"function_call":{"name":`)
	w.literal(openai.ToolName(named.Name))
	w.raw(`}`)
	return nil
}

// functionCalls writes a turn of the assistant that calls something: a message for each call, which has room for one, with its
// result behind it.
func (w *requestWriter) functionCalls(content []ir.Content, text bool) *ir.Error {
	results := w.results
	for i := range content {
		c := &content[i]
		if !isCall(c) {
			continue
		}
		first := len(w.results) == len(results)
		w.open("assistant")
		if first && text {
			w.raw(`,"content":"`)
			w.text(content, ir.Assistant)
			w.raw(`"`)
		} else {
			w.raw(`,"content":null`)
		}
		if first {
			w.reasoning(content)
		}
		w.raw(`,"function_call":{"name":`)
		w.literal(openai.ToolName(c.Name))
		w.raw(`,"arguments":"`)
		w.arguments(c)
		w.raw(`"}}`)
		if err := w.toolMessage(c); err != nil {
			return err
		}
	}
	return nil
}
