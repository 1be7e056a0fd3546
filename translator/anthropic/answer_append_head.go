package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// messageRest follows the container in a Message, up to the elements of "content". diagnostics is
// always null: the type Message of @anthropic-ai/sdk 1.11 requires diagnostics and container, even
// if both are unknown.
const (
	messageRest = `,"diagnostics":null,"content":[`
	noContainer = `null`
)

// appendMessageHead appends a Message up to its container. ev is the answer's Start.
func appendMessageHead(dst []byte, model ir.Escaped, ev *ir.Event) []byte {
	dst = jsonw.AppendTextMember(dst, `{"id":`, ir.AnswerID("msg_", ev.ID))
	dst = jsonw.AppendTextMember(dst, `,"type":"message","role":"assistant","model":`, model)
	return append(dst, `,"container":`...)
}

// appendContainer appends the container of a Start or Finish.
func appendContainer(dst []byte, ev *ir.Event) []byte {
	if ev.Container == "" {
		return append(dst, noContainer...)
	}
	return append(dst, ev.Container...)
}
