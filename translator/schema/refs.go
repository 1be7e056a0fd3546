package schema

import (
	"strings"

	"edgelingua/translator/jsonr"
)

// refs are the references of a schema.
type refs struct {
	pointers []string
	places   []place
}

// place is where a reference stands.
type place struct {
	at      int // index in the text
	pointer int // index in pointers
}

// add notes a reference that stands at an index of the text. It returns false where there are too many different ones.
func (r *refs) add(pointer string, at int) bool {
	for i, p := range r.pointers {
		if p == pointer {
			r.places = append(r.places, place{at, i})
			return true
		}
	}
	if len(r.pointers) == maxRefs {
		return false
	}
	r.places = append(r.places, place{at, len(r.pointers)})
	r.pointers = append(r.pointers, pointer)
	return true
}

// follow reports whether a schema that is referred to leads to itself. ok is false where a reference leads to nothing.
func (r *refs) follow(text string) (circular, ok bool) {
	var leads [maxRefs]uint64 // by pointer: those that stand in the schema that it refers to, a bit each
	for i, p := range r.pointers {
		at, ok := locate(text, p)
		if !ok {
			return false, false
		}
		for _, there := range r.places {
			if at.start <= there.at && there.at < at.end {
				leads[i] |= 1 << there.pointer
			}
		}
	}
	n := len(r.pointers)
	for via := range n { // Warshall's algorithm
		for i := range n {
			if leads[i]>>via&1 != 0 {
				leads[i] |= leads[via]
			}
		}
	}
	for i := range n {
		circular = circular || leads[i]>>i&1 != 0
	}
	return circular, true
}

// locate returns where the schema stands in text that a reference within it stands for (RFC 6901, as a fragment). ok is false
// where there is none.
//
//go:noinline
func locate(text, pointer string) (at span, ok bool) {
	at = span{0, len(text)}
	path := pointer[1:]
	if strings.Count(path, "/") > maxPartDepth {
		return at, false
	}
	for path != "" {
		if path[0] != '/' {
			return at, false
		}
		name := path[1:]
		if i := strings.IndexByte(name, '/'); i >= 0 {
			name = name[:i]
		}
		path = path[1+len(name):]
		if strings.Contains(name, "~") {
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		}
		if at, ok = memberAt(text, at, name); !ok {
			return at, false
		}
	}
	return at, true
}

// memberAt returns where the value of a member stands in text, whose object stands at of.
//
//go:noinline
func memberAt(text string, of span, name string) (at span, ok bool) {
	r := jsonr.NewReader(text[of.start:of.end])
	for r.OpenObject(); r.Member(); {
		if r.Key() == name {
			at.start = of.start + r.Offset()
			r.Value()
			at.end = of.start + r.Offset()
			return at, true
		}
	}
	return of, false
}
