package ir

// BodyWriter writes the plain body of one answer for a client.
type BodyWriter interface {
	// AppendEvent appends ev's part of the body. dst must be the result of the call for the
	// previous event. No event is a Failure.
	AppendEvent(dst []byte, ev *Event) []byte
}

// NewFolder returns a Folder that appends the body to dst with w.
func NewFolder(dst []byte, w BodyWriter) Folder {
	return &folder{writer: w, dst: dst, start: len(dst)}
}

type folder struct {
	writer BodyWriter
	dst    []byte
	start  int // where the body begins in dst
	err    *Error
}

// Event implements Sink.
func (f *folder) Event(ev *Event) {
	if ev.Kind == Failure {
		f.err = ev.Err
		return
	}
	f.dst = f.writer.AppendEvent(f.dst, ev)
}

// Body implements Folder.
func (f *folder) Body() ([]byte, *Error) {
	if f.err != nil {
		return f.dst[:f.start], f.err
	}
	return f.dst, nil
}
