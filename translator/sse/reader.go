// Package sse cuts a stream of server-sent events into events and writes them, by the HTML
// standard, section 9.2.6.
package sse

import (
	"errors"
	"unsafe"

	"edgelingua/translator/scan"
)

// MaxEvent bounds one event, in bytes.
const MaxEvent = 8 << 20

// ErrTooLarge is what a Reader returns once an event is over MaxEvent.
var ErrTooLarge = errors.New("an event that is larger than 8 MB")

// Reader cuts chunks into events. The zero value is ready. For each chunk: Push once, then Next
// until it is false.
//
// Lines end with LF, CRLF or CR. Comments, the fields id and retry and a leading byte order mark
// are ignored. Several data lines are joined by a line feed. A field error, with which llama.cpp
// ends a stream that has failed, is an event with the name error; so are lines of JSON that stand
// there without a field's name, as Google sends its errors in a stream (vercel/ai#5217). A chunk
// may end anywhere, and no byte is searched twice because of that. An event that lies in one chunk
// is handed out as a view of the chunk; only what a chunk leaves unfinished is copied.
type Reader struct {
	chunk []byte
	pos   int
	edge  int // see Edge

	name, data       string // of the event being read: views of chunk, line, or the buffers below
	hasData          bool
	bare             bool   // data begins with lines of JSON without a field's name
	line             []byte // a line whose end has not come
	nameBuf, dataBuf []byte
	nameKept         bool // name is a view of nameBuf
	joined           bool // data is a view of dataBuf

	begun  bool // the first line has been read
	skipLF bool // the last chunk ended with CR: an LF at the beginning of the next one belongs to it
	err    error
}

// Push gives the next chunk. It must stay unchanged until Next has returned false.
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

// pass moves the edge behind what was read, unless that belongs to an event whose end has not come.
func (r *Reader) pass() {
	if !r.hasData && r.name == "" {
		r.edge = r.pos
	}
}

// Edge returns how much of the chunk belongs to events that are complete, and to what stands
// between events, as comments. After Next has returned an event, that is the end of the event.
func (r *Reader) Edge() int { return r.edge }

// Next returns the next event; ok is false where the chunk holds no more, or after an error. name
// is "" where the event has none. Both strings are good until the next call of any method.
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
		r.name, r.data, r.hasData, r.bare, r.nameKept, r.joined = "", "", false, false, false, false
		if ok {
			return name, data, true
		}
	}
}

// End takes the end of a body that was not cut: Next then returns the last event, also where the
// blank line behind it is missing.
func (r *Reader) End() {
	r.skipLF = false
	r.chunk, r.pos, r.edge = []byte("\n\n"), 0, 0
}

// Err returns ErrTooLarge once an event was too large, else nil.
func (r *Reader) Err() error { return r.err }

// nextLine returns the next line without its end; ok is false where the chunk holds no whole line
// more. The line is good until then.
func (r *Reader) nextLine() (string, bool) {
	b := r.chunk
	i := lineEnd(view(b), r.pos)
	if i == len(b) {
		r.keep()
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
		// The view outlives the reset: line is written again only after keep has copied what views it.
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

// keep copies what the unfinished event has of the chunk, which the caller may use again from now on.
func (r *Reader) keep() {
	rest := r.chunk[r.pos:]
	if len(r.line)+len(rest)+len(r.name)+len(r.data) > MaxEvent {
		r.err = ErrTooLarge
		return
	}
	if r.name != "" && !r.nameKept {
		r.nameBuf = append(r.nameBuf[:0], r.name...)
		r.name = view(r.nameBuf)
		r.nameKept = true
	}
	if r.data != "" && !r.joined {
		r.dataBuf = append(r.dataBuf[:0], r.data...)
		r.data = view(r.dataBuf)
		r.joined = true
	}
	r.line = append(r.line, rest...)
	r.chunk, r.pos = nil, 0
}

// field takes one line of an event: a field, or a comment.
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
		r.name, r.nameKept = value, false
	case "data", "error":
		if name == "error" {
			r.name, r.nameKept = name, false
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

// isBare reports whether a line is JSON without a field's name, an object or a list of them, or
// goes on with such JSON.
func isBare(line string, goesOn bool) bool {
	c := line[0]
	return c == '{' || c == '[' && (len(line) == 1 || line[1] == '{') ||
		goesOn && (c == ' ' || c == '}' || c == '"' || c == '[' || c == ']' || c == '\t')
}

// trimMark cuts a leading byte order mark.
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
