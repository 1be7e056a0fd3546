package responses

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (API reference, "The response object"). It
// implements ir.BodyWriter. The items go right where they belong: out is the body.
type bodyWriter struct{ itemWriter }

// AppendEvent appends what ev adds to the response.
func (b *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		b.identify(ev)
		b.out = b.appendHead(dst)
		b.first, b.whole = len(b.out), len(b.out)
	case ir.BlockStart:
		b.settle(onward, b.isPart(ev))
		b.open(ev)
	case ir.Delta:
		b.add(ev)
	case ir.BlockStop:
		b.end(ev)
	case ir.Finish:
		b.settle(b.endingOf(ev), false)
		state := b.finished(ev)
		b.keep(&state)
		b.out = b.appendTail(b.out, &state)
	}
	return b.out
}

// settle ends the open item, where one is open. goesOn says that its message gets a further part.
func (b *bodyWriter) settle(e ending, goesOn bool) {
	if b.isOpen {
		b.complete(e)
		b.closePart()
		if !goesOn {
			b.close(e)
		}
	}
}
