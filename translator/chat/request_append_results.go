package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// toolMessages writes the results of the calls in content, in the order of the calls.
func (w *requestWriter) toolMessages(content []ir.Content) *ir.Error {
	for i := range content {
		if c := &content[i]; isCall(c) {
			if err := w.toolMessage(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// shownParts writes the images and files of results, where tool messages take text only, as the first parts of the user message behind
// them, and returns what separates them from the next.
func (w *requestWriter) shownParts() (separator string) {
	for _, result := range w.shown {
		w.raw(separator)
		separator = `,`
		w.raw(`{"type":"text","text":"Returned by the tool call `)
		w.raw(string(w.callID(result.ID)))
		w.raw(`:"}`)
		for i := range result.Parts {
			if c := &result.Parts[i]; w.form(c, ir.User) == attachment {
				w.raw(`,`)
				w.attach(c)
			}
		}
	}
	w.shown = w.shown[:0]
	return separator
}

// toolMessage writes the result of a call, which is the next one. A call without one, which the API refuses, gets a note in its
// place.
func (w *requestWriter) toolMessage(call *ir.Content) *ir.Error {
	result := w.results[0]
	w.results = w.results[1:]
	if w.t.LegacyFunctions {
		w.open("function")
		w.raw(`,"name":`)
		w.literal(openai.ToolName(call.Name))
	} else {
		w.open("tool")
		w.raw(`,"tool_call_id":`)
		w.literal(w.callID(call.ID))
	}
	w.raw(`,"content":`)
	if result == nil {
		w.raw(`"(no result)"}`)
		w.lost.Add(w.r.Path(call.At))
		return nil
	}
	if err := w.checkContent(result.Parts, ir.User); err != nil {
		return err
	}
	failed := ""
	if result.IsError {
		failed = `Error: `
	}
	attached := w.holds(result.Parts, ir.User, attachment)
	if attached && w.t.ResultImages == ir.UserTurnImages {
		w.shown = append(w.shown, result)
	}
	if attached && w.t.ResultImages == ir.NativeImages {
		w.raw(`[`)
		w.parts(result.Parts, ir.User, failed, ``)
		w.raw(`]}`)
		return nil
	}
	w.raw(`"`)
	w.raw(failed)
	begun := w.text(result.Parts, ir.User)
	if attached && w.t.ResultImages == ir.RefuseImages {
		if begun {
			w.raw(`\n\n`)
		}
		w.raw(`[An image or a file was left out: this model can't be given it.]`)
		if err := w.refuseAttachments(result.Parts); err != nil {
			return err
		}
	} else if attached && !begun {
		w.raw(`(see the `)
		w.raw(kindOf(result.Parts))
		w.raw(` in the next message)`)
	}
	w.raw(`"}`)
	return nil
}

func (w *requestWriter) refuseAttachments(list []ir.Content) *ir.Error {
	for i := range list {
		if c := &list[i]; w.form(c, ir.User) == attachment {
			if err := w.refuseOrLose(w.r.Path(c.At), "an image or a file in a tool result"); err != nil {
				return err
			}
		}
	}
	return nil
}

// kindOf says what a list holds beside text.
func kindOf(list []ir.Content) string {
	for i := range list {
		if isImage(&list[i]) {
			return `image`
		}
	}
	return `file`
}
