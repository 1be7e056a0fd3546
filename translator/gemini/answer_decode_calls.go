package gemini

import (
	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxIDPart is how much of the answer's id the id of a call has that the upstream gave none.
const maxIDPart = 32

// functionCall is a functionCall as a part has it (Gemini API, "FunctionCall"). partialArgs and
// willContinue are Vertex AI's: a call whose arguments are streamed comes in several parts, of
// which the first one has the name (recorded in google-stream-tool-call-arguments).
type functionCall struct {
	id, name  ir.Escaped
	args      ir.Raw
	partial   jsonr.Reader
	continues bool // more parts of the call follow
}

// calls takes a functionCall, and the signature of its part.
func (d *decoder) calls(r *jsonr.Reader, signature ir.Escaped) {
	var f functionCall
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			f.id, _ = jsonr.Text(r.Value())
		case "name":
			f.name, _ = jsonr.Text(r.Value())
		case "args":
			f.args = r.Value()
		case "partialArgs", "partial_args":
			f.partial = r.Here()
		case "willContinue", "will_continue":
			f.continues = r.Value() == "true"
		}
	}
	whole := !jsonr.IsNothing(f.args)
	parts := f.continues || f.partial.Kind() == jsonr.Array
	switch {
	case whole && (parts || f.name == ""):
		d.out.Fail(failure.Unreadable("the arguments of a tool call come whole and in parts"))
	case whole && jsonr.KindOf(f.args) != jsonr.Object:
		d.out.Fail(failure.Unreadable("the arguments of a tool call are no object"))
	case d.goesOn(&f):
		if signature != "" { // behind the beginning of the call it has no place
			d.lost.Add(lostSignature)
		}
		d.more(&f)
	case f.name != "":
		d.beginCall(&f, signature)
		if parts {
			d.more(&f)
		} else {
			d.wholeArgs(f.args)
		}
	case parts:
		d.out.Fail(failure.Unreadable("a tool call without a name"))
	}
}

// goesOn reports whether f is more of the open call, whose first part had the name.
func (d *decoder) goesOn(f *functionCall) bool {
	return d.open == ir.ToolCallBlock && (f.name == "" || f.id != "" && d.call.IsGiven(f.id))
}

// beginCall opens a call, behind its signature. A call without an id gets one that follows from the
// id of the answer and its place there, so that the same answer always has the same ids: the Gemini
// API gives none before Gemini 3.
func (d *decoder) beginCall(f *functionCall, signature ir.Escaped) {
	d.close()
	if signature != "" {
		d.redacted("", signature)
	}
	if !d.next(ir.ToolCallBlock) {
		return
	}
	d.call, d.called = events.Call{}, true
	d.args.reset()
	if f.id != "" {
		d.out.GiveID(&d.call, f.id, d.number)
	} else {
		d.out.MakeID(&d.call, jsonw.View(d.id), maxIDPart, d.number)
	}
	if !d.hidden {
		d.out.BeginCall(ir.ToolCallBlock, "", jsonw.View(d.call.ID), d.names.Restore(f.name))
	}
}

// wholeArgs takes all arguments of the call, and ends it.
func (d *decoder) wholeArgs(v ir.Raw) {
	if jsonr.IsNothing(v) {
		v = "{}"
	}
	d.args.json, d.args.begun = append(d.args.json[:0], v...), true
	d.yieldArgs()
	d.close()
}

// more takes parts of the arguments of the open call, and ends it where none follow.
func (d *decoder) more(f *functionCall) {
	if !d.args.take(&f.partial) {
		d.out.Fail(failure.Unreadable("arguments of a tool call that make no object"))
		return
	}
	if !f.continues {
		d.args.end()
	}
	d.yieldArgs()
	if !f.continues {
		d.close()
	}
}

// yieldArgs hands out what the arguments have gained.
func (d *decoder) yieldArgs() {
	if len(d.args.json) > 0 && !d.hidden {
		d.args.quoted = jsonw.AppendQuotedRaw(d.args.quoted[:0], ir.Raw(jsonw.View(d.args.json)))
		d.out.Text(jsonw.View(d.args.quoted))
	}
	d.args.json = d.args.json[:0]
}

// closeCall ends the arguments of the open call. Where the answer goes on, or ends well, without
// the last part of the call, they are whole unless a text has been cut (vercel/ai#14358: Vertex AI
// leaves the last part out). At a limit they stay as they were cut.
func (d *decoder) closeCall() {
	switch {
	case d.stop != 0 && d.stop != ir.EndTurn:
	case len(d.args.text) > 0:
		d.out.Fail(failure.Unreadable("a tool call breaks off"))
	default:
		d.args.end()
		d.yieldArgs()
	}
}
