package gemini

import (
	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxIDPart is how many characters of the answer's id go into the id of a call without one.
const maxIDPart = 32

// functionCall holds the functionCall of a part (Gemini API, "FunctionCall"). partialArgs and
// willContinue are Vertex AI's: a call with streamed arguments comes in several parts, and the
// first part has the name (recorded in google-stream-tool-call-arguments).
type functionCall struct {
	id, name  ir.Escaped
	args      ir.Raw
	partial   jsonr.Reader
	continues bool // more parts of the call follow
}

// calls reads a functionCall. signature is the signature of its part.
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
		d.out.Fail(failure.Unreadable("a tool call has both complete and partial arguments"))
	case whole && jsonr.KindOf(f.args) != jsonr.Object:
		d.out.Fail(failure.Unreadable("the arguments of a tool call are not an object"))
	case d.goesOn(&f):
		if signature != "" { // the hub has no place for a signature after the beginning of a call
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
		d.out.Fail(failure.Unreadable("a tool call has no name"))
	}
}

// goesOn reports whether f continues the open call. The first part of a call has the name.
func (d *decoder) goesOn(f *functionCall) bool {
	return d.open == ir.ToolCallBlock && (f.name == "" || f.id != "" && d.call.IsGiven(f.id))
}

// beginCall yields the signature of a call, and opens the call. If the call has no id, as before
// Gemini 3 in the Gemini API, beginCall makes one from the id of the answer and the number of the
// block: the same answer always has the same ids.
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

// wholeArgs yields all arguments of the call, and ends it.
func (d *decoder) wholeArgs(v ir.Raw) {
	if jsonr.IsNothing(v) {
		v = "{}"
	}
	d.args.json, d.args.begun = append(d.args.json[:0], v...), true
	d.yieldArgs()
	d.close()
}

// more reads parts of the arguments of the open call, and ends the call after the last part.
func (d *decoder) more(f *functionCall) {
	if !d.args.take(&f.partial) {
		d.out.Fail(failure.Unreadable("the partial arguments of a tool call do not form an object"))
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

// yieldArgs yields the arguments' new text.
func (d *decoder) yieldArgs() {
	if len(d.args.json) > 0 && !d.hidden {
		d.args.quoted = jsonw.AppendQuotedRaw(d.args.quoted[:0], ir.Raw(jsonw.View(d.args.json)))
		d.out.Text(jsonw.View(d.args.quoted))
	}
	d.args.json = d.args.json[:0]
}

// closeCall ends the arguments of the open call. Vertex AI leaves out the last part of a call
// (vercel/ai#14358). If the answer continues or ends well without the last part, the arguments are
// complete, unless a string is still open. If the answer ends at a limit, the arguments stay cut.
func (d *decoder) closeCall() {
	switch {
	case d.stop != 0 && d.stop != ir.EndTurn:
	case len(d.args.text) > 0:
		d.out.Fail(failure.Unreadable("a tool call is incomplete"))
	default:
		d.args.end()
		d.yieldArgs()
	}
}
