package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// unsigned is the signature of a thinking block that the upstream has not signed. Qwen Code 0.15
// ends the session at a turn with a call and a thinking block without a signature.
var unsigned = ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: ir.Unsigned, Origin: Name}

// appendThinking begins a thinking block. Reasoning that another vendor has redacted is a thinking
// block without text, the form of a model with "display": "omitted", and not redacted_thinking:
// langchaingo 0.1.14 fails at a redacted_thinking block, Strands 1.16 for TypeScript changes its
// data, and Qwen Code drops it. All three know thinking blocks.
func (w *blockWriter) appendThinking(dst []byte) []byte {
	dst = append(w.appendHead(dst), `{"type":"thinking","thinking":"`...)
	if w.plain {
		return dst
	}
	return w.appendTail(append(dst, `","signature":""}`...))
}

// settle decides, by the next event, how a block of reasoning without a signature ends. If a
// RedactedBlock of another vendor follows directly, its envelope becomes the signature of the
// thinking block. Two thinking blocks in a row would be one to Mastra 1.71, with the signature of
// the first: Google rejects the next request without the second, the signature of a call. done means
// that the event is complete.
//
//go:noinline
func (w *blockWriter) settle(dst []byte, ev *ir.Event) (_ []byte, done bool) {
	if ev.Kind == ir.BlockStart && ev.Block == ir.RedactedBlock { // its only delta decides
		w.item = append(w.item[:0], ev.ID...)
		return dst, true
	}
	w.unsettled = false
	if ev.Kind == ir.Delta && ev.Origin != Name {
		w.redacted = true
		return dst, false
	}
	dst = w.appendEnd(w.appendDelta(dst, &unsigned))
	w.block, w.shown = ir.RedactedBlock, false // ev may be the delta of Anthropic's own
	return dst, false
}

// appendSignature appends the signature of the open thinking block, escaped and without quotes. A
// signature from an upstream of this API stays unchanged. Another vendor's signature goes into an
// envelope (ir.Envelope) with the vendor's id of the reasoning. The client sends the envelope back
// with the next turn.
func (w *blockWriter) appendSignature(dst []byte, ev *ir.Event) []byte {
	if w.signed = true; ev.Origin == Name {
		return append(dst, ev.Text...)
	}
	return ir.AppendEnvelope(dst, ev.Origin, w.redacted, jsonw.View(w.item), ev.Text)
}

// appendRedacted appends a redacted_thinking block of an upstream of this API.
func appendRedacted(dst []byte, ev *ir.Event) []byte {
	dst = append(dst, `{"type":"redacted_thinking","data":"`...)
	return append(append(dst, ev.Text...), `"}`...)
}
