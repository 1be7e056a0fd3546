package policy

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// edits are the places of a JSON text that change, from its beginning to its end. All else stays byte for byte: prompt caches
// depend on it (FAULTS 68).
type edits struct {
	list []edit
}

// edit puts with in the place of text[start:end]. Where with is "" it takes the member that stands there out, with the comma
// beside it.
type edit struct {
	start, end int
	with       string
}

const space = " \n\r\t"

// add is called from several places, and large where it is inlined.
//
//go:noinline
func (e *edits) add(start, end int, with string) {
	e.list = append(e.list, edit{start, end, with})
}

// keyOf returns where the key of a member begins and ends in text. r stands before the member's value; end is the index behind
// the member before, or behind the brace that opens the object.
//
//go:noinline
func keyOf(text string, end int, r *jsonr.Reader) (from, to int) {
	key := strings.TrimLeft(text[end:r.Offset()], ","+space)
	from = r.Offset() - len(key)
	return from, from + len(strings.TrimRight(key, ":"+space))
}

// apply returns the text with all edits made: the text itself where there are none.
func (e *edits) apply(text jsonw.Raw) jsonw.Raw {
	if len(e.list) == 0 {
		return text
	}
	size := len(text)
	for _, c := range e.list {
		size += len(c.with)
	}
	b, done := make([]byte, 0, size), 0
	for _, c := range e.list {
		b = append(append(b, text[done:c.start]...), c.with...)
		done = c.end
		if c.with != "" {
			continue
		}
		rest := strings.TrimLeft(string(text[done:]), space)
		if strings.HasPrefix(rest, ",") {
			done = len(text) - len(strings.TrimLeft(rest[1:], space))
		} else {
			for n := len(b) - 1; strings.IndexByte(","+space, b[n]) >= 0; n-- { // the loop ends at the opening brace at the latest
				b = b[:n]
			}
		}
	}
	return jsonw.Raw(jsonw.View(append(b, text[done:]...)))
}
