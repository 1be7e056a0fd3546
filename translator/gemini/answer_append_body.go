package gemini

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (Gemini API, "GenerateContentResponse"). It
// implements ir.BodyWriter.
type bodyWriter struct{ answerWriter }

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return ir.NewFolder(dst, &bodyWriter{answerWriter{request: r, model: model, plain: true}})
}

// AppendEvent appends what ev adds to the body.
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
