package translator

import (
	"errors"
	"io"

	"edgelingua/translator/ir"
)

// copied is the size of the buffer of Copy, in bytes.
const copied = 32 << 10

// ReadError is an error of the upstream's reader in Copy.
type ReadError struct{ Err error }

// Error returns the reader's message.
func (e *ReadError) Error() string { return "reading the upstream's stream: " + e.Err.Error() }

// Unwrap returns the reader's error.
func (e *ReadError) Unwrap() error { return e.Err }

// WriteError is an error of the client's writer in Copy.
type WriteError struct{ Err error }

// Error returns the writer's message.
func (e *WriteError) Error() string { return "writing the client's stream: " + e.Err.Error() }

// Unwrap returns the writer's error.
func (e *WriteError) Unwrap() error { return e.Err }

// Copy reads the upstream's stream from src, translates it with s, and writes the client's stream to dst,
// until the answer is complete. Each chunk is written at once, and flushed if dst has a method
// Flush or FlushError, as an http.ResponseWriter and a bufio.Writer have. Copy closes neither side.
//
// A failed answer ends the client's stream with the error event of the client's protocol. Copy then
// returns a ReadError if src failed, and the upstream's *ir.Error if the upstream reported the
// failure or ended the stream too early. A WriteError says that the client is gone: cancel the
// request to the upstream. The client's event has no text of src's error, unless the error is an
// *ir.Error or wraps one. If src fails after a complete answer, Copy returns nil.
//
// If Exchange.Waits after Copy, the answer continues in another round: call Copy again with the
// next round's answer.
func Copy(dst io.Writer, src io.Reader, s *Stream) error {
	buffer := make([]byte, copied)
	for {
		n, failed := src.Read(buffer)
		out, done := s.Push(buffer[:n])
		if err := writeOut(dst, out); err != nil {
			return err
		}
		if !done && failed != nil {
			if err := writeOut(dst, s.Close(causeOf(failed))); err != nil {
				return err
			}
			if failed != io.EOF && s.output.failure != nil {
				return &ReadError{failed}
			}
			done = true
		}
		if done {
			return s.output.failure.Err()
		}
	}
}

// causeOf returns the client's error for an error of the upstream's reader, nil for the stream's
// end.
func causeOf(failed error) error {
	var e *ir.Error
	switch {
	case failed == io.EOF:
		return nil
	case errors.As(failed, &e):
		return e.Err()
	}
	return &ir.Error{Kind: ir.Unavailable, Message: "The connection to the upstream broke."}
}

// writeOut writes output to the client and flushes it. The error is a WriteError.
func writeOut(dst io.Writer, out []byte) error {
	if len(out) == 0 {
		return nil
	}
	n, err := dst.Write(out)
	if err == nil && n < len(out) {
		err = io.ErrShortWrite
	}
	if err == nil {
		switch f := dst.(type) {
		case interface{ FlushError() error }:
			err = f.FlushError()
		case interface{ Flush() error }:
			err = f.Flush()
		case interface{ Flush() }:
			f.Flush()
		}
	}
	if err != nil {
		return &WriteError{err}
	}
	return nil
}
