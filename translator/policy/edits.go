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

// edit puts with in the place of text[start:end].
type edit struct {
	start, end int
	with       string
}

// add is called from several places, and large where it is inlined.
//
//go:noinline
func (e *edits) add(start, end int, with string) {
	e.list = append(e.list, edit{start, end, with})
}

// key gives the member of text that r stands before another name. end is where the member before it ends, or where the object is
// entered.
//
//go:noinline
func (e *edits) key(text string, end int, r *jsonr.Reader, name string) {
	key := strings.TrimLeft(text[end:r.Offset()], ", \n\r\t")
	start := r.Offset() - len(key)
	e.add(start, start+len(strings.TrimRight(key, ": \n\r\t")), literal(name))
}

// apply returns the text with all edits made.
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
	}
	return jsonw.Raw(jsonw.View(append(b, text[done:]...)))
}
