//go:build checkreader

package jsonr

import (
	"fmt"
	"runtime"
)

// trace records the loop that reads a container. trace panics if a loop ends before the end of the
// container and an outer loop reads on with the same Reader: the outer loop would mistake the
// members or elements of the inner container for its own.
type trace struct{ top *frame }

// frame is an open container. Frames do not change, so copies of a Reader may share frames.
type frame struct {
	above *frame
	call  uintptr // of Member or Element, in the loop over the container; 0 before the first call
}

func (t *trace) open() { t.top = &frame{above: t.top} }

func (t *trace) next() {
	if t.top == nil {
		return // the elements of NewElements
	}
	var callers [1]uintptr
	runtime.Callers(3, callers[:]) // without Callers, next, and Member or Element
	call := callers[0]
	switch {
	case t.top.call == 0:
		t.top = &frame{t.top.above, call}
	case t.top.call != call && sourceLine(t.top.call) != sourceLine(call):
		panic(fmt.Sprintf("jsonr: %s reads on in the container of %s, which was left early", sourceLine(call),
			sourceLine(t.top.call)))
	}
}

// sourceLine returns the file and the line of a call.
func sourceLine(call uintptr) string {
	f, _ := runtime.CallersFrames([]uintptr{call}).Next()
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

func (t *trace) close() {
	if t.top != nil {
		t.top = t.top.above
	}
}

// copy lets another loop read on in the container.
func (t *trace) copy() {
	if t.top != nil {
		t.top = &frame{above: t.top.above}
	}
}
