package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxThought bounds, in bytes, the reasoning text that a call's signature repeats.
const maxThought = 1 << 20

// signature is the signature of a block of reasoning, in its two forms.
type signature struct {
	part []byte // a part of its own, up to the end of the signature's string
	// for a call: Google's own signature, or an envelope with the text of the reasoning
	inCall []byte
	own    bool // the signature is Google's
	shown  bool // the client has got the text of the reasoning
}

// The beginnings of parts that contain only a signature.
const (
	signsThought = `{"thought":true,"text":"","thoughtSignature":"`
	signsText    = `{"text":"","thoughtSignature":"`
)

// sign writes or buffers the signature of a block. Google's own signatures are written unchanged:
// the signature of a thought or a text in a part after its block, the signature of a call in the
// call's part.
//
// Another vendor's signature, or its encrypted reasoning, is packed into an envelope (ir.Envelope)
// in base64. The envelope goes into the part of the following call, together with the text of the
// reasoning if the client sees the text, since gemini-cli 0.61 stores the signatures of calls and
// drops all thoughts. If a text comes before the call, the envelope also signs the text. Only the
// envelope of a visible thought, and one that nothing follows, has a part of its own: @google/adk
// 2.0 skips a chunk or a body whose first part is empty, with the calls in it.
func (w *answerWriter) sign(dst []byte, ev *ir.Event) []byte {
	own := isGoogleOrigin(ev.Origin) && !ir.IsEnvelope(ev.Text)
	if part, isPart := strings.CutPrefix(string(ev.Text), partMark); own && isPart {
		dst = w.openPart(w.appendSignatures(dst))
		at := len(dst)
		dst = append(dst, jsonw.Unescape(ir.Escaped(part))...)
		jsonw.Flatten(dst[at:])
		return w.closePart(dst)
	}
	text, ofText := strings.CutPrefix(string(ev.Text), textMark)
	if thought := w.block == ir.ReasoningBlock; own && (thought || ofText) {
		lead := signsText
		if thought {
			lead = signsThought
		}
		return w.appendSigned(w.appendSignatures(dst), append([]byte(lead), text...))
	}
	s := signature{own: own}
	switch {
	case own:
		s.part, s.inCall = append([]byte(signsText), text...), []byte(text)
	case isGoogleOrigin(ev.Origin): // package translator has made the envelope
		s.part, s.inCall = google.AppendBase64([]byte(signsText), []byte(ev.Text)), []byte(ev.Text)
	default:
		lead := signsText
		s.shown = len(w.thought) > 0 && w.block == ir.ReasoningBlock
		s.inCall = ir.AppendEnvelope(nil, ev.Origin, w.block == ir.RedactedBlock, jsonw.View(w.item), ev.Text)
		if s.shown {
			lead = signsThought
		}
		s.part = google.AppendBase64([]byte(lead), s.inCall)
		if s.shown && len(w.thought) <= maxThought && ir.HidesIn(ev.Text) {
			s.inCall = ir.AppendHidden(nil, ev.Origin, jsonw.View(w.item), jsonw.View(w.thought), ev.Text)
		}
	}
	w.waiting = append(w.waiting, s)
	return dst
}

// appendSignatures appends a part for each waiting signature, since no text or call has followed.
func (w *answerWriter) appendSignatures(dst []byte) []byte {
	for i := range w.waiting {
		dst = w.appendAlone(dst, &w.waiting[i])
	}
	w.waiting = w.waiting[:0]
	return dst
}

// appendApart appends a part for each waiting signature that can't be in the part of a text:
// Google's own, and those of visible thoughts.
func (w *answerWriter) appendApart(dst []byte) []byte {
	rest := w.waiting[:0]
	for _, s := range w.waiting {
		if s.own || s.shown {
			dst = w.appendAlone(dst, &s)
		} else {
			rest = append(rest, s)
		}
	}
	w.waiting = rest
	return dst
}

// appendAlone appends a part that contains only a waiting signature.
func (w *answerWriter) appendAlone(dst []byte, s *signature) []byte {
	if !s.own {
		w.repeated = append(w.repeated, *s)
	}
	return w.appendSigned(dst, s.part)
}

// appendTextSignature appends the beginning of a part with text, signed by the waiting envelopes. A
// call that follows repeats the envelopes.
//
//go:noinline
func (w *answerWriter) appendTextSignature(dst []byte) []byte {
	dst = google.AppendBase64(append(dst, `{"thoughtSignature":"`...), appendLines(nil, w.waiting))
	w.repeated, w.waiting = append(w.repeated, w.waiting...), w.waiting[:0]
	return append(dst, `","text":"`...)
}

// appendLines appends envelopes, one per line.
func appendLines(dst []byte, list []signature) []byte {
	for i := range list {
		if i > 0 {
			dst = append(dst, '\n')
		}
		dst = append(dst, list[i].inCall...)
	}
	return dst
}

// appendSigned appends a part that contains only a signature.
func (w *answerWriter) appendSigned(dst, part []byte) []byte {
	return w.closePart(append(append(w.openPart(dst), part...), `"}`...))
}

// settle decides which of the waiting signatures a call gets. If the last one is Google's, the call
// gets only this signature, and the others get parts of their own.
func (w *answerWriter) settle(dst []byte) []byte {
	n := len(w.waiting)
	if n == 0 || !w.waiting[n-1].own {
		return dst
	}
	last := w.waiting[n-1]
	w.waiting = w.waiting[:n-1]
	dst = w.appendSignatures(dst)
	w.waiting, w.repeated = append(w.waiting, last), w.repeated[:0]
	return dst
}

// appendCallSignature appends the signature of a call: Google's own, or all envelopes since the
// previous call, one per line. The envelopes right before the call come first. After an empty line
// follow the envelopes that came before a text. The first call always has a signature.
func (w *answerWriter) appendCallSignature(dst []byte) []byte {
	near, far, first := w.waiting, w.repeated, !w.called
	w.waiting, w.repeated, w.called = w.waiting[:0], w.repeated[:0], true
	if len(near)+len(far) == 0 && !first {
		return dst
	}
	dst = append(dst, `,"thoughtSignature":"`...)
	if len(near) > 0 && near[0].own {
		return append(append(dst, near[0].inCall...), '"')
	}
	lines := appendLines(nil, near)
	if len(near) == 0 {
		lines = append(lines, google.NoSignature...)
	}
	if len(far) > 0 {
		lines = appendLines(append(lines, "\n\n"...), far)
	}
	return append(google.AppendBase64(dst, lines), '"')
}
