package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendMessageHead appends a Message up to the elements of "content". ev is the answer's Start.
// container and diagnostics are always null: the type Message of @anthropic-ai/sdk 1.11 requires
// both, but their values are unknown.
func appendMessageHead(dst []byte, ev *ir.Event, model ir.Escaped) []byte {
	dst = jsonw.AppendTextMember(dst, `{"id":`, ir.AnswerID("msg_", ev.ID))
	dst = jsonw.AppendTextMember(dst, `,"type":"message","role":"assistant","model":`, model)
	return append(dst, `,"container":null,"diagnostics":null,"content":[`...)
}
