package bridge

// Exports has the functions that the program offers to the host for a request. The package comment
// says when the host calls which method. The module's exports call these methods, and so does a
// host in the same process. Returned bytes belong to the program, and are valid until the next
// call.
type Exports struct {
	faults       faults
	stream       Stream
	closeAccount func() *Statements // the argument of Account; nil: Account was not called
	reporter     Reporter           // nil: there is no report
	remember     func() []byte      // nil: the connection remembers nothing new
}

// Next is what follows after an output of a stream.
type Next uint8

const (
	SameBody Next = iota // the stream continues with the same body
	Nothing              // the stream has ended
	NextCall             // the body has ended, and the stream continues with a further call
)

// Head is the export stream_head, for the head of an upstream's response.
func (e *Exports) Head(status int, lines string) (again bool) { return e.stream.Head(status, lines) }

// Push is the export stream_push, for a chunk of the body. If the output is in pieces, pieces is the
// whole output. Else pieces is nil, and out is the output.
func (e *Exports) Push(chunk []byte) (out []byte, pieces [][]byte, next Next) {
	e.faults.atPush()
	out, done := e.stream.Push(chunk)
	return e.output(out, done)
}

// Complete is the export stream_complete: see Stream.Complete.
func (e *Exports) Complete() bool { return e.stream.Complete() }

// Close is the export stream_close, for the end of the body. It returns its output like Push.
func (e *Exports) Close(cause Cause) (out []byte, pieces [][]byte, next Next) {
	return e.output(e.stream.Close(cause), true)
}

func (e *Exports) output(out []byte, done bool) ([]byte, [][]byte, Next) {
	var pieces [][]byte
	if s, ok := e.stream.(PieceStream); ok {
		pieces = s.Pieces()
	}
	next := SameBody
	if done {
		next = Nothing
		if c, ok := e.stream.(Rounds); ok && c.NextRound() {
			next = NextCall
		}
	}
	return out, pieces, next
}

// End is the export stream_end, after the stream's last output. It returns packed statements, nil for none.
func (e *Exports) End() []byte {
	e.faults.atEnd()
	if s := e.stream.(Storer).Store(); s != nil {
		return s.packed
	}
	return nil
}

// Ended is the export stream_ended. err is the failure of the statements; nil: they ran, or there
// were none.
func (e *Exports) Ended(err error) []byte { return e.stream.(Storer).Stored(err) }

// Remember is the export remember: what the connection of a WebSocket is to remember.
func (e *Exports) Remember() []byte {
	if e.remember == nil {
		return nil
	}
	return e.remember()
}

// Account is the export account: the end of the request's account. It returns packed statements,
// nil for none.
func (e *Exports) Account() []byte {
	if e.closeAccount == nil {
		return nil
	}
	return e.closeAccount().packed
}

// Report is the export report: the line for the log.
func (e *Exports) Report() []byte {
	if e.reporter == nil {
		return nil
	}
	return e.reporter.AppendReport(nil)
}
