package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

func (w *requestWriter) call(c *ir.Content) {
	if w.whole(c) {
		return
	}
	if c.Kind == ir.CustomCallContent {
		w.item("custom_tool_call")
	} else {
		w.item("function_call")
	}
	w.Raw(`,"call_id":`)
	w.Literal(openai.ShortID(c.ID, openai.MaxIdentifier))
	w.Raw(`,"name":`)
	w.Literal(openai.ToolName(c.Name))
	if c.Kind == ir.CustomCallContent {
		w.Raw(`,"input":`)
		w.Literal(c.Text)
		w.Raw(`}`)
		return
	}
	w.Raw(`,"arguments":"`)
	w.Dst = jsonw.AppendQuotedRaw(w.Dst, c.Input)
	w.Raw(`"}`)
}

// whole writes a call or a result as the client has written it, where its form is this API's own,
// as that of a computer_call: OpenAI's tool has safety checks, which a function's call has no place
// for.
func (w *requestWriter) whole(c *ir.Content) bool {
	if c.Raw == "" || !w.own() {
		return false
	}
	w.separate()
	w.Raw(string(c.Raw))
	return true
}

// result writes the result of a call: a string, or parts where it holds more than text. A call
// without a result, which the API refuses (FAULTS 55), gets a note in its place.
func (w *requestWriter) result(call, result *ir.Content) *ir.Error {
	if result != nil && w.whole(result) {
		return nil
	}
	if call.Kind == ir.CustomCallContent {
		w.item("custom_tool_call_output")
	} else {
		w.item("function_call_output")
	}
	w.Raw(`,"call_id":`)
	w.Literal(openai.ShortID(call.ID, openai.MaxIdentifier))
	w.Raw(`,"output":`)
	if result == nil {
		w.Raw(`"(no result)"}`)
		w.Lost.Add(call.At.String())
		return nil
	}
	if err := w.checkContent(result.Parts, ir.User); err != nil {
		return err
	}
	if holds(result.Parts, isMedia) || w.holdsOwnPart(result.Parts) {
		w.Raw(`[`)
		w.parts(result.Parts, ir.User, result.IsError)
		w.Raw(`]}`)
		return nil
	}
	w.Raw(`"`)
	if result.IsError {
		w.Raw(errorLead)
	}
	w.joined(result.Parts)
	w.Raw(`"}`)
	return nil
}

// errorLead stands in front of the result of a call that has failed: the API has no member for that
// (FAULTS 59).
const errorLead = `Error: `
