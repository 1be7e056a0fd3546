package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

func (w *requestWriter) call(c *ir.Content) {
	if w.whole(c) {
		w.ids.Unique(c.ID, 0)
		w.sent = append(w.sent, c.ID)
		return
	}
	id := w.ids.Unique(openai.ShortID(c.ID, openai.MaxIdentifier), openai.MaxIdentifier)
	w.sent = append(w.sent, id)
	if w.isCustomCall(c) {
		w.item("custom_tool_call")
	} else {
		w.item("function_call")
	}
	w.Raw(`,"call_id":`)
	w.Literal(id)
	w.caller(c)
	w.Raw(`,"name":`)
	w.Literal(openai.ToolName(c.Name))
	switch {
	case w.isCustomCall(c):
		w.Raw(`,"input":`)
		w.Literal(c.Text)
		w.Raw(`}`)
		return
	case c.Kind == ir.CustomCallContent:
		w.Raw(`,"arguments":"{\"input\":\"`)
		w.Dst = jsonw.AppendQuotedRaw(w.Dst, jsonw.Raw(c.Text))
		w.Raw(`\"}"}`)
		return
	}
	w.Raw(`,"arguments":"`)
	w.Dst = jsonw.AppendQuotedRaw(w.Dst, c.Input)
	w.Raw(`"}`)
}

// caller writes who made a call, for a program at OpenAI that goes on with the result. c is the call,
// or its result. No upstream gets another vendor's program as a caller.
func (w *requestWriter) caller(c *ir.Content) {
	switch {
	case c.Caller == "":
	case !w.own():
		if h := w.ProgramOf(c); h != nil {
			w.Raw(`,"caller":{"type":"program","caller_id":`)
			w.Literal(h.ID)
			w.Raw(`}`)
		}
	case c.Program != nil:
		w.Lost.Add(c.At.Path(".caller"))
	default:
		w.Raw(`,"caller":`)
		w.Raw(string(c.Caller))
	}
}

// whole writes a call or a result unchanged if only this API has its form, such as a computer_call:
// OpenAI's tool has safety checks, and function calls have no member for them.
func (w *requestWriter) whole(c *ir.Content) bool {
	if c.Raw == "" || !w.own() {
		return false
	}
	w.separate()
	w.Raw(string(c.Raw))
	return true
}

// result writes the result of a call, with the upstream's id of the call: a string, or parts if it
// contains more than text. The API rejects a call without a result (FAULTS 55), so a missing result
// is replaced by a note.
func (w *requestWriter) result(call, result *ir.Content, id ir.Escaped) *ir.Error {
	if result != nil && w.whole(result) {
		return nil
	}
	if w.isCustomCall(call) {
		w.item("custom_tool_call_output")
	} else {
		w.item("function_call_output")
	}
	w.Raw(`,"call_id":`)
	w.Literal(id)
	if result != nil && w.own() {
		w.caller(result)
	} else {
		w.caller(call)
	}
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

// errorLead precedes the result of a failed call: the API has no member for failures (FAULTS 59).
const errorLead = `Error: `
