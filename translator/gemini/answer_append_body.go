package gemini

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (Gemini API, "GenerateContentResponse"). It
// implements ir.BodyWriter.
type bodyWriter struct{ answerWriter }

// NewPlainEncoder returns an encoder of one plain answer, appended to dst. model is the model's name in
// the answer.
func (Client) NewPlainEncoder(r *ir.Request, model ir.Escaped, dst []byte) ir.PlainEncoder {
	return ir.NewPlainEncoder(dst, &bodyWriter{answerWriter{request: r, model: model, plain: true}})
}

// AppendEvent appends the part of the body for ev.
func (b *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		b.start(ev)
		return append(dst, contentLead...)
	case ir.Finish:
		dst = b.appendSignatures(b.endCalls(dst, isCut(ev)))
		if b.parts == 0 {
			dst = append(dst, `{"text":""}`...)
		}
		return b.appendFinish(b.endText(dst), ev)
	}
	return b.appendBlockEvent(dst, ev)
}
