package interactions

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// content reads an element of a step's content, or of a thought's summary (Content of
// @google/genai).
func (d *decoder) content(s *step, kind ir.BlockKind, r *jsonr.Reader) {
	var typ, text ir.Escaped
	var annotations jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			typ, _ = jsonr.Text(r.Value())
		case "text":
			text, _ = jsonr.Text(r.Value())
		case "annotations":
			annotations = r.Here()
		}
	}
	if typ != "text" {
		if kind == ir.ReasoningBlock {
			d.lost.AddNamed(lostSummary, typ)
		} else {
			d.lost.AddNamed(lostDelta, typ)
		}
		return
	}
	d.words(s, kind, text)
	d.annotations(&annotations)
}

// words yields text or reasoning. It continues the open block if the kind and the step are the
// same; otherwise it begins a new block.
func (d *decoder) words(s *step, kind ir.BlockKind, text ir.Escaped) {
	if text == "" {
		return
	}
	if d.open != kind || s.blocks == 0 {
		if !d.next(s, kind) {
			return
		}
		d.sources.text.Reset()
		if !d.hidden {
			d.out.Begin(kind, "")
		}
	}
	if d.hidden {
		return
	}
	if kind == ir.TextBlock {
		d.sources.text.Add(text)
	}
	d.out.Text(text)
}

// next ends the open block and counts a new one of the step. It returns false after a failure.
// Afterwards hidden says whether the client's API lacks the new block.
func (d *decoder) next(s *step, kind ir.BlockKind) bool {
	d.close()
	if s.blocks++; d.out.Ended() || s.blocks > 1 && !d.out.Count() {
		return false
	}
	d.open, d.hidden = kind, !d.request.API.Client.Shows(kind)
	if d.hidden {
		d.lost.Add(lostOfBlock[kind])
	}
	return true
}

// close ends the open block, if one is open.
func (d *decoder) close() {
	switch {
	case d.open == 0 || d.out.Ended():
		return
	case d.open == ir.TextBlock:
		d.out.StopMessage(d.phase)
	default:
		d.out.Stop()
	}
	d.open = 0
}

// keepSignature buffers the signature of a thought until its step ends. The signature may come
// before the summary, but comes last in a hub block.
func (d *decoder) keepSignature(s *step, signature ir.Escaped) {
	if d.out.Reserve(len(signature), tooMuch) {
		s.signature = append(s.signature, signature...)
	}
}

// loseSignature notes the signature of a step other than a thought as lost: the step is not sent
// back in later requests.
func (d *decoder) loseSignature(signature ir.Escaped) {
	if signature != "" {
		d.lost.Add(lostOfBlock[ir.RedactedBlock])
	}
}

// sign yields the signature of a thought at its end. If the upstream shows no text of the thought,
// the signature gets a block of its own.
func (d *decoder) sign(s *step) {
	signed := len(s.signature) > 0
	switch {
	case signed && d.open == ir.ReasoningBlock && s.blocks > 0:
		if !d.hidden {
			d.out.Sign(jsonw.View(s.signature), Name)
		}
		d.close()
	case signed:
		if d.next(s, ir.RedactedBlock) && !d.hidden {
			d.out.Begin(ir.RedactedBlock, "")
			d.out.Sign(jsonw.View(s.signature), Name)
		}
		d.close()
	case d.open == ir.ReasoningBlock:
		d.close()
	}
}
