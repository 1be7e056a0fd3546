package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// tooMuch completes the failure of an answer whose signatures are longer than ir.MaxHeld.
const tooMuch = "signatures of more than 8 MB"

// textMark stands in front of the signature of a text, in place of the hub's redacted reasoning
// (see redacted). Signatures are base64, which has no dot.
const textMark = "text."

// partMark stands in front of a part in which Google's servers say what a tool of their own was
// called with, or returned, beside the client's functions (toolCall, toolResponse): "The client is
// expected to echo this message back to the API" (Gemini API, "Part"). It is a part as JSON, in
// place of the hub's redacted reasoning.
const partMark = "part."

// part reads one element of parts (Gemini API, "Part").
func (d *decoder) part(r *jsonr.Reader) {
	var text, signature ir.Escaped
	var call jsonr.Reader
	kind := ir.TextBlock
	other, hosted := false, false
	whole := *r
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "text":
			text, _ = jsonr.Text(r.Value())
		case "thought":
			if r.Value() == "true" {
				kind = ir.ReasoningBlock
			}
		case "thoughtSignature", "thought_signature":
			signature, _ = jsonr.Text(r.Value())
		case "functionCall", "function_call":
			call = r.Here()
		case "toolCall", "tool_call", "toolResponse", "tool_response":
			hosted = hosted || r.Kind() == jsonr.Object
			r.Value()
		default:
			if jsonr.Asks(r.Value()) {
				other = true
				d.lost.AddNamed(lostPart, ir.Escaped(key))
			}
		}
	}
	if text != "" {
		d.resume()
		d.text(kind, text)
	}
	switch {
	case hosted:
		d.resume()
		d.redacted(partMark, jsonw.Escape(string(whole.Value())))
	case call.Kind() == jsonr.Object:
		d.resume()
		d.calls(&call, signature)
	case signature == "":
	case other && text == "":
		d.lost.Add(lostSignature)
	default:
		d.sign(kind, signature)
	}
}

// resume notes that more of the answer has come: an earlier finishReason was not its end.
func (d *decoder) resume() {
	if d.stop != 0 {
		d.stop, d.resumed = 0, true
	}
}

// text takes text or reasoning: more of the open block where that is of the same kind and has no
// signature, else a new block.
func (d *decoder) text(kind ir.BlockKind, text ir.Escaped) {
	if d.open != kind || len(d.signature) > 0 {
		d.begin(kind)
	}
	if d.hidden || d.open == 0 {
		return
	}
	if kind == ir.TextBlock {
		d.sources.text.Add(text)
		if len(d.logprobs) > 0 {
			d.out.Logprobs(ir.Raw(jsonw.View(d.logprobs)))
			d.logprobs = d.logprobs[:0]
		}
	}
	d.out.Text(text)
}

// begin ends the open block and opens one of another kind that is no call. After a failure none is
// open.
func (d *decoder) begin(kind ir.BlockKind) {
	if d.next(kind) && !d.hidden {
		d.sources.text.Reset()
		d.out.Begin(kind, "")
	}
}

// next ends the open block and counts another one. It is false after a failure. hidden says whether
// the client is shown the new one.
func (d *decoder) next(kind ir.BlockKind) bool {
	d.close()
	if d.out.Ended() || !d.out.Count() {
		return false
	}
	d.number++
	d.open, d.hidden = kind, !d.request.API.Client.Shows(kind)
	if d.hidden {
		d.lost.Add(lostOfBlock[kind])
	}
	return true
}

// close ends the open block, if one is open, with what is known of it only now.
func (d *decoder) close() {
	kind := d.open
	switch {
	case kind == 0 || d.out.Ended():
		return
	case d.hidden:
	case kind == ir.ToolCallBlock:
		d.closeCall()
	case kind == ir.TextBlock:
		d.cite()
	case len(d.signature) > 0:
		d.out.Sign(jsonw.View(d.signature), d.origin)
	}
	d.open = 0
	if kind == ir.TextBlock {
		d.out.StopMessage(d.phase)
	} else {
		d.out.Stop()
	}
	if len(d.signature) == 0 {
		return
	}
	if d.out.Release(len(d.signature)); kind == ir.TextBlock {
		d.redacted(textMark, jsonw.View(d.signature))
	}
	d.signature = d.signature[:0]
}

// sign takes the signature of a text or of a thought. Gemini 3 sends that of a streamed text in a
// part of its own, whose text is empty, behind the text (recorded in google-reasoning-gemini3).
func (d *decoder) sign(kind ir.BlockKind, signature ir.Escaped) {
	if d.open != kind || len(d.signature) > 0 {
		if kind == ir.TextBlock {
			d.close()
			d.redacted(textMark, signature)
			return
		}
		d.begin(kind)
	}
	if d.open == kind && d.out.Keep(len(signature), tooMuch) {
		d.signature = append(d.signature, signature...)
	}
}

// redacted yields a signature as a block of its own, since only blocks of reasoning have one. That
// of a call stands right before the call. That of a text has textMark in front, and stands right
// behind the text: the text has gone out when its signature comes.
func (d *decoder) redacted(mark string, signature ir.Escaped) {
	if !d.next(ir.RedactedBlock) {
		return
	}
	if !d.hidden {
		d.blob = append(append(d.blob[:0], mark...), signature...)
		d.out.Begin(ir.RedactedBlock, "")
		d.out.Sign(jsonw.View(d.blob), d.origin)
		d.out.Stop()
	}
	d.open = 0
}
