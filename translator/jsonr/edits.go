package jsonr

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// Edits are the changes to a JSON text, in the order of their positions. Everything else stays byte
// for byte, because prompt caches depend on it (FAULTS 68).
type Edits struct {
	List []Edit
}

// Edit replaces text[Start:End] by With. If With is "", the edit removes the member at
// text[Start:End] and an adjacent comma. An edit with Start equal to End and With "" has no effect:
// it reserves a slot in the list for a change that is known only later.
type Edit struct {
	Start, End int
	With       string
}

const space = " \n\r\t"

// Add adds an edit and returns its index in List. Add has many callers, and its inlined code is
// large.
//
//go:noinline
func (e *Edits) Add(start, end int, with string) int {
	e.List = append(e.List, Edit{start, end, with})
	return len(e.List) - 1
}

// KeyOf returns the start and end in text of a member's key, with its quotes. r must be at the
// member's value. end is the index after the preceding member, or after the object's opening brace.
func KeyOf(text string, end int, r *Reader) (from, to int) {
	key := strings.TrimLeft(text[end:r.Offset()], ","+space)
	from = r.Offset() - len(key)
	return from, from + len(strings.TrimRight(key, ":"+space))
}

// Apply returns a copy of the text with all edits made. If there are no edits, the result is text
// itself.
func (e *Edits) Apply(text jsonw.Raw) jsonw.Raw {
	if len(e.List) == 0 {
		return text
	}
	size := len(text)
	for _, c := range e.List {
		size += len(c.With)
	}
	return jsonw.Raw(jsonw.View(e.Append(make([]byte, 0, size), text, 0)))
}

// Append appends the text from index done on, with all edits made. The text must be an object.
func (e *Edits) Append(b []byte, text jsonw.Raw, done int) []byte {
	for _, c := range e.List {
		if c.With == "" && c.Start == c.End {
			continue
		}
		b = append(b, text[done:c.Start]...)
		done = c.End
		if c.With != "" {
			// With is a member added at the end of an object. If all members before were removed,
			// the comma must go
			if c.With[0] == ',' {
				if at := strings.TrimRight(string(jsonw.View(b)), space); at[len(at)-1] == '{' {
					c.With = c.With[1:]
				}
			}
			b = append(b, c.With...)
			continue
		}
		rest := strings.TrimLeft(string(text[done:]), space)
		if strings.HasPrefix(rest, ",") {
			done = len(text) - len(strings.TrimLeft(rest[1:], space))
		} else {
			// the loop ends at the opening brace at the latest
			for n := len(b) - 1; strings.IndexByte(","+space, b[n]) >= 0; n-- {
				b = b[:n]
			}
		}
	}
	return append(b, text[done:]...)
}
