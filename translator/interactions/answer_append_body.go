package interactions

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (Interaction of @google/genai). It implements
// ir.BodyWriter. If the answer is stored, the body is also its copy.
type bodyWriter struct {
	answerWriter
	from, first int // where in dst the body and its steps begin
}

func newBody(r *ir.Request, model ir.Escaped) *bodyWriter {
	return &bodyWriter{answerWriter: answerWriter{request: r, model: model, plain: true}}
}

// AppendEvent appends the part of the body for ev.
//
//go:noinline
func (b *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		b.start()
		b.from = len(dst)
		dst = append(b.appendResource(append(dst, '{'), false), `,"steps":[`...)
		b.first = len(dst)
		return dst
	case ir.Finish:
		dst = b.appendLast(dst, ev)
		whole := len(dst)
		dst = append(b.appendState(append(dst, `],`...), ev), '}')
		if k := b.request.AnswerCopy; k != nil {
			k.Done = true
			k.Head, k.Items, k.Tail = dst[b.from:b.first:b.first], dst[b.first:whole:whole], dst[whole:]
		}
		return dst
	}
	return b.appendBlockEvent(dst, ev)
}
