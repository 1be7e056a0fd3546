// Package sse reads and writes streams of server-sent events (HTML standard, section 9.2.6).
package sse

import (
	"errors"
	"unsafe"

	"edgelingua/translator/scan"
)

// MaxEvent is the maximum size of one event, in bytes.
const MaxEvent = 8 << 20

// ErrTooLarge is a Reader's error after an event larger than MaxEvent.
var ErrTooLarge = errors.New("an event is larger than 8 MB")

// Reader splits chunks into events. The zero value is ready for use. For each chunk: call Push
// once, then Next until ok is false.
//
// Lines end with LF, CRLF or CR. Reader ignores comments, the fields id and retry, and a leading
// byte order mark. It joins several data lines with a line feed. Two forms are read as an event
// named error: a field named error, with which llama.cpp ends a failed stream, and lines of JSON
// without a field's name, in which Google sends errors within a stream (vercel/ai#5217). A chunk
// may end anywhere; no byte is searched twice. An event within one chunk is a view of the chunk;
// only the unfinished end of a chunk is copied.
type Reader struct {
	chunk []byte
	pos   int
	edge  int // see Edge

	name, data       string // of the current event: views of chunk, line, nameBuf or dataBuf
	hasData          bool
	bare             bool   // data begins with lines of JSON without a field's name
	line             []byte // an unfinished line
	nameBuf, dataBuf []byte
	nameBuffered     bool // name is a view of nameBuf
	joined           bool // data is a view of dataBuf

	begun  bool // the first line has been read
	skipLF bool // the last chunk ended with CR: a leading LF of the next chunk completes that line end
	err    error
}

// Push sets the next chunk. The caller must not change it until Next has returned ok false.
func (r *Reader) Push(chunk []byte) {
	r.chunk, r.pos, r.edge = chunk, 0, 0
	if r.skipLF && len(chunk) > 0 {
		r.skipLF = false
		if chunk[0] == '\n' {
			r.pos = 1
			r.pass()
		}
	}
}

// pass moves the edge to the current position, unless an event is unfinished there.
func (r *Reader) pass() {
	if !r.hasData && r.name == "" {
		r.edge = r.pos
	}
}

// Edge returns the length of the chunk's beginning that holds only complete events and bytes
// between events, such as comments. Right after Next has returned an event, Edge is the end of the
// event.
func (r *Reader) Edge() int { return r.edge }

// Next returns the next event. After the last complete event of the chunk, or after an error, ok is
// false. name is "" for an event without a name. Both strings are valid until the next call of any
// method.
func (r *Reader) Next() (name, data string, ok bool) {
	if r.err != nil {
		return "", "", false
	}
	for {
		line, ok := r.nextLine()
		if !ok {
			return "", "", false
		}
		if line != "" {
			r.field(line)
			if len(r.name)+len(r.data) > MaxEvent {
				r.err = ErrTooLarge
				return "", "", false
			}
			r.pass()
			continue
		}
		r.edge = r.pos
		name, data, ok = r.name, r.data, r.hasData
		r.name, r.data, r.hasData, r.bare, r.nameBuffered, r.joined = "", "", false, false, false, false
		if ok {
			return name, data, true
		}
	}
}

// End marks the end of a complete body. Next then returns the last event, even if the final blank
// line is missing.
func (r *Reader) End() {
	r.skipLF = false
	r.chunk, r.pos, r.edge = []byte("\n\n"), 0, 0
}

// Err returns ErrTooLarge after an event that was too large, otherwise nil.
func (r *Reader) Err() error { return r.err }

// nextLine returns the next line without its line end. If the chunk has no further complete line,
// ok is false. The line is valid until ok is false.
func (r *Reader) nextLine() (string, bool) {
	b := r.chunk
	i := lineEnd(view(b), r.pos)
	if i == len(b) {
		r.buffer()
		return "", false
	}
	line := b[r.pos:i]
	r.pos = i + 1
	if b[i] == '\r' {
		if r.pos == len(b) {
			r.skipLF = true
		} else if b[r.pos] == '\n' {
			r.pos++
		}
	}
	if len(r.line) > 0 {
		// The view outlives the reset: r.line is overwritten only after buffer has copied the name
		// and data that are views of r.line.
		line = append(r.line, line...)
		r.line = line[:0]
	}
	s := view(line)
	if !r.begun {
		r.begun = true
		s = trimMark(s)
	}
	return s, true
}

// lineEnd returns the offset of the first line feed or carriage return from i on, or the length of s.
func lineEnd(s string, i int) int {
	for {
		for i+scan.Width <= len(s) {
			if mask := scan.Below(scan.Word(s, i), '\r'+1); mask != 0 {
				i += scan.First(mask)
				break
			}
			i += scan.Width
		}
		if i == len(s) || s[i] == '\n' || s[i] == '\r' {
			return i
		}
		i++
	}
}

// buffer copies the chunk's part of an unfinished event, because the caller may reuse the chunk.
func (r *Reader) buffer() {
	rest := r.chunk[r.pos:]
	if len(r.line)+len(rest)+len(r.name)+len(r.data) > MaxEvent {
		r.err = ErrTooLarge
		return
	}
	if r.name != "" && !r.nameBuffered {
		r.nameBuf = append(r.nameBuf[:0], r.name...)
		r.name = view(r.nameBuf)
		r.nameBuffered = true
	}
	if r.data != "" && !r.joined {
		r.dataBuf = append(r.dataBuf[:0], r.data...)
		r.data = view(r.dataBuf)
		r.joined = true
	}
	r.line = append(r.line, rest...)
	r.chunk, r.pos = nil, 0
}

// field reads one line of an event: a field, or a comment.
func (r *Reader) field(line string) {
	name, value := line, ""
	if isBare(line, r.bare) && r.bare == r.hasData {
		name, value, r.bare = "error", line, true
	} else if len(line) > 4 && line[4] == ':' && line[:4] == "data" {
		name, value = "data", line[5:]
	} else {
		for i := 0; i < len(line); i++ {
			if line[i] == ':' {
				name, value = line[:i], line[i+1:]
				break
			}
		}
	}
	if value != "" && value[0] == ' ' {
		value = value[1:]
	}
	switch name {
	case "event":
		r.name, r.nameBuffered = value, false
	case "data", "error":
		if name == "error" {
			r.name, r.nameBuffered = name, false
		}
		if !r.hasData {
			r.data, r.hasData = value, true
			return
		}
		if !r.joined {
			r.dataBuf = append(r.dataBuf[:0], r.data...)
			r.joined = true
		}
		r.dataBuf = append(r.dataBuf, '\n')
		r.dataBuf = append(r.dataBuf, value...)
		r.data = view(r.dataBuf)
	}
}

// isBare reports whether a line is JSON without a field's name: the first line of an object or of a
// list of objects, or, if goesOn is set, a later line.
func isBare(line string, goesOn bool) bool {
	c := line[0]
	return c == '{' || c == '[' && (len(line) == 1 || line[1] == '{') ||
		goesOn && (c == ' ' || c == '}' || c == '"' || c == '[' || c == ']' || c == '\t')
}

// trimMark removes a leading byte order mark.
func trimMark(s string) string {
	const mark = "\xef\xbb\xbf"
	if len(s) >= len(mark) && s[:len(mark)] == mark {
		return s[len(mark):]
	}
	return s
}

// view returns b as a string without a copy.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
