package jsonr

import (
	"strings"

	"edgelingua/translator/jsonw"
)

// Edits are the places of a JSON text that change, from its beginning to its end. All else stays
// byte for byte: prompt caches depend on it (FAULTS 68).
type Edits struct {
	List []Edit
}

// Edit puts With in the place of text[Start:End]. Where With is "" it takes the member that stands
// there out, with the comma beside it. An edit of nothing to nothing changes nothing: it keeps a
// place in the list for what is only known later.
type Edit struct {
	Start, End int
	With       string
}

const space = " \n\r\t"

// Add notes an edit and returns its index in List. It is called from many places, and large where
// it is inlined.
//
//go:noinline
func (e *Edits) Add(start, end int, with string) int {
	e.List = append(e.List, Edit{start, end, with})
	return len(e.List) - 1
}

// KeyOf returns where the key of a member begins and ends in text. r stands before the member's
// value; end is the index behind the member before, or behind the brace that opens the object.
func KeyOf(text string, end int, r *Reader) (from, to int) {
	key := strings.TrimLeft(text[end:r.Offset()], ","+space)
	from = r.Offset() - len(key)
	return from, from + len(strings.TrimRight(key, ":"+space))
}

// Apply returns the text with all edits made: the text itself where there are none.
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

// Append appends the text from an index on, with all edits made. The text is an object.
func (e *Edits) Append(b []byte, text jsonw.Raw, done int) []byte {
	for _, c := range e.List {
		if c.With == "" && c.Start == c.End {
			continue
		}
		b = append(b, text[done:c.Start]...)
		done = c.End
		if c.With != "" {
			// a member at the end of its object, whose other members may all have been taken out
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
