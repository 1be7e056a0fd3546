package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendMessageHead appends a Message up to the elements of "content". ev is the answer's Start.
func appendMessageHead(dst []byte, ev *ir.Event, model ir.Escaped) []byte {
	dst = jsonw.AppendTextMember(dst, `{"id":`, messageID(ev.ID))
	dst = jsonw.AppendTextMember(dst, `,"type":"message","role":"assistant","model":`, model)
	return append(dst, `,"content":[`...)
}

// messageID returns the id of the answer, made of the upstream's: msg_ID, where ID keeps the letters, digits, "-" and "_" of the
// upstream's id.
func messageID(upstream ir.Escaped) ir.Escaped {
	if upstream == "" {
		return "msg_unnamed"
	}
	if len(upstream) > 4 && upstream[:4] == "msg_" {
		return ir.Identifier(upstream, 0)
	}
	return "msg_" + ir.Identifier(upstream, 0)
}
