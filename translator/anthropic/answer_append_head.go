package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The members after "model" in a Message, up to the elements of "content". The type Message of
// @anthropic-ai/sdk 1.11 requires diagnostics and container, even if both are unknown.
const (
	noDiagnostics = `,"diagnostics":null`
	messageRest   = `,"content":[`
	noContainer   = `null`
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

// appendMessageRest appends what follows the container in a Message, up to the elements of "content".
// ev is the answer's Start.
func appendMessageRest(dst []byte, ev *ir.Event) []byte {
	if ev.Own == "" {
		return append(dst, noDiagnostics+messageRest...)
	}
	return appendOwnRest(dst, ev)
}

//go:noinline
func appendOwnRest(dst []byte, ev *ir.Event) []byte {
	if v, _, _ := jsonr.LastMember(string(ev.Own), "diagnostics"); v == "" {
		dst = append(dst, noDiagnostics...)
	}
	return append(ir.AppendOwn(dst, ev.Own), messageRest...)
}
