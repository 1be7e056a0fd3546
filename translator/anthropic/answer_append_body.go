package anthropic

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (Messages API, "Create a Message", response). It
// implements ir.BodyWriter.
type bodyWriter struct {
	blockWriter
	container int // the index in the body of the container: null until the end
}

// AppendEvent appends the part of the message for ev.
func (b *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	if b.unsettled {
		var done bool
		if dst, done = b.settle(dst, ev); done {
			return dst
		}
	}
	switch ev.Kind {
	case ir.Start:
		dst = appendMessageHead(dst, b.model, ev)
		b.container = len(dst)
		return appendMessageRest(append(dst, noContainer...), ev)
	case ir.Finish:
		dst = b.appendStopReason(append(dst, `],`...), ev)
		u := b.answerUsage(ev, ev.Usage)
		dst = append(dst, `,"usage":`...)
		from := len(dst)
		dst = b.appendIterations(appendUsage(dst, u, &b.search, ownTier(ev)), u)
		dst = ir.AppendMissing(dst, from, ev.OwnUsage)
		dst = append(b.appendEdits(dst, ev), '}')
		if ev = b.ended(ev); ev.Container != "" {
			return b.insertContainer(dst, ev.Container)
		}
		return dst
	}
	return b.appendBlockEvent(dst, ev)
}

// insertContainer replaces the null of a message's beginning with the container.
//
//go:noinline
func (b *bodyWriter) insertContainer(dst []byte, container ir.Raw) []byte {
	rest := string(dst[b.container+len(noContainer):])
	return append(append(dst[:b.container], container...), rest...)
}

// appendPiece appends a delta to the open block's text, or buffers a later member of the block.
func (w *blockWriter) appendPiece(dst []byte, ev *ir.Event) []byte {
	switch {
	case w.block == ir.ToolCallBlock:
		w.held = append(w.held, ev.Text...)
	case ev.Delta == ir.SignatureDelta:
		w.held = w.appendSignature(w.held, ev)
	case ev.Delta == ir.CitationDelta:
		if len(w.held) > 0 {
			w.held = append(w.held, ',')
		}
		w.held = appendCitation(w.held, ev.Citation)
	default:
		dst = append(dst, ev.Text...)
	}
	return dst
}
