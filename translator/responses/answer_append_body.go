package responses

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (API reference, "The response object"). It implements ir.BodyWriter. The items
// go right where they belong: out is the body.
type bodyWriter struct{ itemWriter }

// AppendEvent appends what ev adds to the response.
func (b *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		b.identify(ev)
		b.out = b.appendHead(dst)
		b.first, b.whole = len(b.out), len(b.out)
	case ir.BlockStart:
		b.open(ev)
	case ir.Delta:
		b.add(ev)
	case ir.BlockStop:
		b.complete()
		b.closePart()
		b.close()
	case ir.Finish:
		state := b.finished(ev)
		b.keep(&state)
		b.out = b.appendTail(b.out, &state)
	}
	return b.out
}
