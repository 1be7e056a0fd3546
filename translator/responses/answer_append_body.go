package responses

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (API reference, "The response object"). It
// implements ir.BodyWriter. out is the body itself, so the items are written in their final
// position.
type bodyWriter struct{ itemWriter }

// AppendEvent appends the bytes for ev to the response.
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
		b.store(&state)
		b.out = b.appendTail(b.out, &state)
	}
	return b.out
}

// settle ends the open item, if any. goesOn means a further part of the item's message follows.
func (b *bodyWriter) settle(e ending, goesOn bool) {
	if b.isOpen {
		b.complete(e)
		b.closePart()
		if !goesOn {
			b.close(e)
		}
	}
}
