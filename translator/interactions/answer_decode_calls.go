package interactions

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxIDPart is how many characters of the answer's id go into the id of a call without one.
const maxIDPart = 32

// beginCall opens a call. The arguments come in deltas, or are in the call's start. Only thoughts
// and Google's own tools have signatures (ai.google.dev/gemini-api/docs/thinking): a call's
// signature is empty (recorded in tool-call-step1).
func (d *decoder) beginCall(s *step, f *start) {
	if f.name == "" {
		d.out.Fail(failure.Unreadable("a tool call has no name"))
		return
	}
	d.loseSignature(f.signature)
	if !d.next(s, ir.ToolCallBlock) {
		return
	}
	d.called = true
	number := d.out.Len()
	if f.id != "" {
		d.out.GiveID(&s.call, f.id, number)
	} else {
		d.out.MakeID(&s.call, jsonw.View(d.id), maxIDPart, number)
	}
	if jsonr.Asks(f.arguments) && d.out.Reserve(len(f.arguments), tooMuch) {
		s.arguments = strings.Clone(string(f.arguments))
	}
	if !d.hidden {
		d.out.BeginCall(ir.ToolCallBlock, "", jsonw.View(s.call.ID), d.names.Restore(f.name))
	}
}

// moreArguments yields a part of the JSON text of a call's arguments.
func (d *decoder) moreArguments(s *step, v ir.Raw) {
	text, isText := jsonr.Text(v)
	switch {
	case s.form != callForm:
		d.out.Fail(failure.Unreadable("a step has arguments but is not a tool call"))
	case !isText && !jsonr.IsNothing(v):
		d.out.Fail(failure.Unreadable("the arguments of a tool call are not a string"))
	case text != "":
		s.streamed = true
		if !d.hidden {
			d.out.Text(text)
		}
	}
}

// endCall yields the arguments that did not come in deltas, and ends the call.
func (d *decoder) endCall(s *step) {
	arguments := ir.Raw(s.arguments)
	switch {
	case d.open != ir.ToolCallBlock: // the call has failed
		return
	case d.hidden, s.streamed:
	case arguments != "" && jsonr.KindOf(arguments) != jsonr.Object:
		d.out.Fail(failure.Unreadable("the arguments of a tool call are not an object"))
		return
	case arguments == "":
		d.out.Text(`{}`)
	default:
		d.out.Text(jsonw.View(jsonw.AppendQuotedRaw(make([]byte, 0, len(arguments)+len(arguments)/8),
			arguments)))
	}
	d.close()
}
