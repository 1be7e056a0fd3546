package responses

import "edgelingua/translator/ir"

// folder writes the plain body of one answer (API reference, "The response object"). The items go right where they belong.
type folder struct {
	answer
	start int // of the body
	err   *ir.Error
}

// Event takes the next event.
func (f *folder) Event(ev *ir.Event) {
	switch ev.Kind {
	case ir.Start:
		f.identify(ev)
		f.out = f.appendHead(f.out)
		f.first, f.whole = len(f.out), len(f.out)
	case ir.BlockStart:
		f.open(ev)
	case ir.Delta:
		f.add(ev)
	case ir.BlockStop:
		f.complete()
		f.closePart()
		f.close()
	case ir.Finish:
		end := f.ended(ev)
		f.keep(&end)
		f.out = f.appendTail(f.out, &end)
	case ir.Failure:
		f.err = ev.Err
	}
}

// Body returns the response, or the failure.
func (f *folder) Body() ([]byte, *ir.Error) {
	if f.err != nil {
		return f.out[:f.start], f.err
	}
	return f.out, nil
}
