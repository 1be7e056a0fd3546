package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// tooMuch completes the error message for an answer with signatures of more than ir.MaxBuffered bytes.
const tooMuch = "it has more than 8 MB of signatures"

// textMark is the prefix of a text's signature in the hub, where it is redacted reasoning (see
// redacted). Signatures are base64, which has no dot.
const textMark = "text."

// partMark is the prefix of a whole part in the hub, as JSON, where the part is redacted reasoning.
// Such a part is about a tool of Google's servers, beside the client's functions: its input
// (toolCall) or its output (toolResponse). "The client is expected to echo this message back to the
// API" (Gemini API, "Part").
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
		d.spoken = d.spoken || kind == ir.TextBlock
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

// resume notes that the answer continues: an earlier finishReason was not its end.
func (d *decoder) resume() {
	if d.stop != 0 {
		d.stop, d.resumed = 0, true
	}
}

// text yields text or reasoning. It continues the open block if the kind is the same and the block
// has no signature; otherwise it begins a new block.
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

// begin ends the open block and opens a block of a kind other than a call. After a failure no block
// is open.
func (d *decoder) begin(kind ir.BlockKind) {
	if d.next(kind) && !d.hidden {
		d.sources.text.Reset()
		d.out.Begin(kind, "")
	}
}

// next ends the open block and counts a new one. It returns false after a failure. Afterwards
// hidden says whether the client's API lacks the new block.
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

// close ends the open block, if there is one. Before the end it yields the citations, the signature
// or the rest of the arguments.
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

// sign reads the signature of a text or of a thought. Gemini 3 sends the signature of a streamed
// text after the text, in a part with an empty text (recorded in google-reasoning-gemini3).
func (d *decoder) sign(kind ir.BlockKind, signature ir.Escaped) {
	if d.open != kind || len(d.signature) > 0 {
		if kind == ir.TextBlock {
			d.close()
			d.redacted(textMark, signature)
			return
		}
		d.begin(kind)
	}
	if d.open == kind && d.out.Reserve(len(signature), tooMuch) {
		d.signature = append(d.signature, signature...)
	}
}

// redacted yields a signature as a block of its own, since in the hub only reasoning has
// signatures. A call's signature comes right before the call. A text's signature has the prefix
// textMark and comes right after the text: when the signature arrives, the text is already yielded.
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
