package gemini

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxThought bounds, in bytes, the text of a block of reasoning that goes out once more in the
// signature of a call.
const maxThought = 1 << 20

// signature is that of a block of reasoning, as it can go out.
type signature struct {
	part []byte // a part of its own, up to the end of its string
	// an envelope with the text of the reasoning, for a call; of Google's own signature that itself
	inCall []byte
	own    bool // it is Google's
}

// How parts begin that have nothing but a signature.
const (
	signsThought = `{"thought":true,"text":"","thoughtSignature":"`
	signsText    = `{"text":"","thoughtSignature":"`
)

// sign takes the signature of a block. Google's own goes out as it is: that of a thought or a text
// in a part behind it, and that of a call in the call's part. What another vendor has signed, or
// only it can read, goes out in an envelope (ir.Envelope) in base64: in the part of the call that
// follows, beside a text of the reasoning that is shown, since gemini-cli 0.61 keeps the signatures
// of calls and drops all thoughts; and also in a part of its own, where a text comes before the
// call, or no call.
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
		s.part, s.inCall = appendBase64([]byte(signsText), []byte(ev.Text)), []byte(ev.Text)
	default:
		shown, lead := len(w.thought) > 0 && w.block == ir.ReasoningBlock, signsText
		s.inCall = ir.AppendEnvelope(nil, ev.Origin, w.block == ir.RedactedBlock, jsonw.View(w.item), ev.Text)
		if shown {
			lead = signsThought
		}
		s.part = appendBase64([]byte(lead), s.inCall)
		if shown && len(w.thought) <= maxThought && ir.HidesIn(ev.Text) {
			s.inCall = ir.AppendHidden(nil, ev.Origin, jsonw.View(w.item), jsonw.View(w.thought), ev.Text)
		}
	}
	w.waiting = append(w.waiting, s)
	return dst
}

// appendSignatures appends a part for each signature that waits: no call has followed.
func (w *answerWriter) appendSignatures(dst []byte) []byte {
	for _, s := range w.waiting {
		if dst = w.appendSigned(dst, s.part); !s.own {
			w.repeated = append(w.repeated, s)
		}
	}
	w.waiting = w.waiting[:0]
	return dst
}

// appendSigned appends a part that has nothing but a signature.
func (w *answerWriter) appendSigned(dst, part []byte) []byte {
	return w.closePart(append(append(w.openPart(dst), part...), `"}`...))
}

// settle decides which signatures a call gets: where the last one is Google's, that one alone, and
// the others have parts of their own.
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
// call before, each on a line: those that stand right in front of the call, and behind an empty
// line those that stand in front of a text. The first call has one in any case.
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
	var lines []byte
	for i, s := range near {
		if i > 0 {
			lines = append(lines, '\n')
		}
		lines = append(lines, s.inCall...)
	}
	if len(near) == 0 {
		lines = append(lines, noSignature...)
	}
	if len(far) > 0 {
		lines = append(lines, '\n')
	}
	for _, s := range far {
		lines = append(append(lines, '\n'), s.inCall...)
	}
	return append(appendBase64(dst, lines), '"')
}
