package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

func (w *requestWriter) call(c *ir.Content) {
	if c.Kind == ir.CustomCallContent {
		w.item("custom_tool_call")
	} else {
		w.item("function_call")
	}
	w.raw(`,"call_id":`)
	w.literal(openai.ShortID(c.ID, openai.MaxIdentifier))
	w.raw(`,"name":`)
	w.literal(openai.ToolName(c.Name))
	if c.Kind == ir.CustomCallContent {
		w.raw(`,"input":`)
		w.literal(c.Text)
		w.raw(`}`)
		return
	}
	w.raw(`,"arguments":"`)
	w.dst = jsonw.AppendQuotedRaw(w.dst, c.Input)
	w.raw(`"}`)
}

// result writes the result of one call: a string, which all servers take, or parts where it holds more than text. A call
// without a result, which the API refuses, gets a note in its place.
func (w *requestWriter) result(call, result *ir.Content) *ir.Error {
	if call.Kind == ir.CustomCallContent {
		w.item("custom_tool_call_output")
	} else {
		w.item("function_call_output")
	}
	w.raw(`,"call_id":`)
	w.literal(openai.ShortID(call.ID, openai.MaxIdentifier))
	w.raw(`,"output":`)
	if result == nil {
		w.raw(`"(no result)"}`)
		w.lost.Add(call.At.String())
		return nil
	}
	if err := w.checkContent(result.Parts, ir.User); err != nil {
		return err
	}
	if holds(result.Parts, isMedia) || w.holdsOwnPart(result.Parts) {
		w.raw(`[`)
		w.parts(result.Parts, ir.User, result.IsError)
		w.raw(`]}`)
		return nil
	}
	w.raw(`"`)
	if result.IsError {
		w.raw(errorLead)
	}
	w.joined(result.Parts)
	w.raw(`"}`)
	return nil
}

// errorLead marks the result of a call that has failed, which the API has no member for.
const errorLead = `Error: `

func isCall(c *ir.Content) bool {
	return c.Kind == ir.ToolCallContent || c.Kind == ir.CustomCallContent
}
