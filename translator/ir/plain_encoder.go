package ir

// BodyWriter writes the plain body of one answer for a client.
type BodyWriter interface {
	// AppendEvent appends ev's part of the body. dst must be the result of the call for the
	// previous event. ev is never a Failure.
	AppendEvent(dst []byte, ev *Event) []byte
}

// NewPlainEncoder returns a PlainEncoder that appends the body to dst with w.
func NewPlainEncoder(dst []byte, w BodyWriter) PlainEncoder {
	return &plainEncoder{writer: w, dst: dst, start: len(dst)}
}

type plainEncoder struct {
	writer BodyWriter
	dst    []byte
	start  int // where the body begins in dst
	err    *Error
}

// Event implements Sink.
func (e *plainEncoder) Event(ev *Event) {
	if ev.Kind == Failure {
		e.err = ev.Err
		return
	}
	e.dst = e.writer.AppendEvent(e.dst, ev)
}

// Body implements PlainEncoder.
func (e *plainEncoder) Body() ([]byte, *Error) {
	if e.err != nil {
		return e.dst[:e.start], e.err
	}
	return e.dst, nil
}
