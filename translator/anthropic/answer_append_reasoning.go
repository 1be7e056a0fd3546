package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendSignature appends the signature of a thinking block, or the data of a redacted one, escaped
// and without quotes. A signature from an upstream of this API stays unchanged. Another vendor's
// signature goes into an envelope (ir.Envelope) with item, the vendor's id of the reasoning. The
// client sends the envelope back with the next turn.
func appendSignature(dst []byte, ev *ir.Event, redacted bool, item []byte) []byte {
	if ev.Origin == Name {
		return append(dst, ev.Text...)
	}
	return ir.AppendEnvelope(dst, ev.Origin, redacted, jsonw.View(item), ev.Text)
}

// appendRedacted appends a redacted_thinking block.
func appendRedacted(dst []byte, ev *ir.Event, item []byte) []byte {
	dst = append(dst, `{"type":"redacted_thinking","data":"`...)
	dst = appendSignature(dst, ev, true, item)
	return append(dst, `"}`...)
}
