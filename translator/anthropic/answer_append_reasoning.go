package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendSignature appends a signature, or what is hidden, escaped and without quotes: Anthropic's own as it is, another vendor's
// in an envelope with its id of the item, which the client sends back.
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
