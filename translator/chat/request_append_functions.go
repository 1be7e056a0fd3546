package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// functions writes functions and function_call, the older form of tools and tool_choice (API
// reference, "Create chat completion", deprecated). In this form a function is never strict, and a
// client can demand a call only of a named function.
//
//go:noinline
func (w *requestWriter) functions() *ir.Error {
	separator, n, only := `,"functions":[`, 0, (*ir.Tool)(nil)
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		told, err := w.Offers(t, t.Kind.RunByClient(), true)
		if err != nil {
			return err
		}
		if !told {
			continue
		}
		w.Next(&separator)
		n, only = n+1, t
		w.Raw(`{"name":`)
		w.Literal(w.Target.ToolName(t.Name, openai.MaxIdentifier))
		loose := *t
		loose.Strict = ir.Unset
		w.parameters(&loose)
		w.Raw(`}`)
		if t.Strict == ir.True {
			w.Lost.Add(t.StrictPath())
		}
	}
	if w.offered = n > 0; !w.offered {
		return w.NoTools()
	}
	w.Raw(`]`)
	return w.functionChoice(n, only)
}

// functionChoice writes function_call. n is the number of offered functions, at least one; only is
// the last of them. If any call is demanded and n is 1, the call of only is demanded.
func (w *requestWriter) functionChoice(n int, only *ir.Tool) *ir.Error {
	choice := &w.Request.ToolChoice
	named := only
	switch choice.Mode {
	case ir.ToolsAuto, ir.ToolsNone:
		w.Member(`,"function_call":`, openai.ToolChoice(choice.Mode))
		return nil
	case ir.ToolsRequired:
		if n != 1 {
			return w.RefuseOrLose(w.Request.FieldPath(ir.FieldToolChoice),
				"a tool choice that requires a call of any one of several functions")
		}
	case ir.ToolsNamed:
		named = w.Request.Tool(choice.Name)
		if named == nil || !named.Kind.RunByClient() || !w.Request.Allows(named.Name) {
			return w.LoseChoice()
		}
	default:
		return nil
	}
	w.Raw(`,"function_call":{"name":`)
	w.Literal(w.Target.ToolName(named.Name, openai.MaxIdentifier))
	w.Raw(`}`)
	return nil
}

// functionCalls writes an assistant turn with function calls. A message has room for one call, so
// each call gets a message, followed by its result. The first message has the turn's text and
// reasoning.
func (w *requestWriter) functionCalls(content []ir.Content, text bool) *ir.Error {
	first := true
	for i := range content {
		c := &content[i]
		if !c.Kind.IsCall() {
			continue
		}
		w.open("assistant")
		if first && text {
			w.Raw(`,"content":"`)
			w.text(content, ir.Assistant)
			w.Raw(`"`)
		} else {
			w.Raw(`,"content":null`)
		}
		if first {
			w.reasoning(content)
		}
		w.Raw(`,"function_call":{"name":`)
		w.Literal(w.Target.ToolName(c.Name, openai.MaxIdentifier))
		w.Raw(`,"arguments":"`)
		w.arguments(c)
		w.Raw(`"}}`)
		first = false
		if err := w.toolMessage(c, w.callID(c.ID)); err != nil {
			return err
		}
	}
	return nil
}
