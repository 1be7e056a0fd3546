package schema

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
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

// add notes a reference that stands at an index of the text. It returns false where there are too
// many different ones.
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

// follow reports whether a schema that is referred to leads to itself. ok is false where a
// reference leads to nothing.
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
	closure(leads[:len(r.pointers)])
	for i := range r.pointers {
		circular = circular || leads[i]>>i&1 != 0
	}
	return circular, true
}

// leads takes the $ref whose value r stands before, and cuts one that leads to no schema in the text.
func (w *walk) leads(f *frame) bool {
	at, value := w.r.Offset(), w.r
	if w.again {
		if !w.bad[at] {
			return true
		}
		w.lose("$ref")
		w.cut(f)
		f.kept--
		return false
	}
	text, _ := jsonr.Text(value.Value())
	pointer := jsonw.Unescape(text)
	if !strings.HasPrefix(pointer, "#") {
		w.refs.mark(&w.bad, at)
	} else {
		w.refs.add(pointer, at)
	}
	return true
}

func (r *refs) mark(bad *map[int]bool, at int) {
	if *bad == nil {
		*bad = map[int]bool{}
	}
	(*bad)[at] = true
}

// maxNeeds bounds how many bytes are read to find references that lead to nothing, or back.
const maxNeeds = 4 << 20

// needThemselves adds to bad where references stand that lead to nothing, and where schemas begin
// whose required properties lead back to them.
func (r *refs) needThemselves(text string, bad *map[int]bool) {
	if len(r.pointers)*len(text) > maxNeeds {
		return
	}
	var leads [maxRefs]uint64
	var needing [maxRefs][]int
	for i, p := range r.pointers {
		at, ok := locate(text, p)
		if ok {
			leads[i] = r.needs(text, at, 0, &needing[i])
			continue
		}
		for _, there := range r.places {
			if there.pointer == i {
				r.mark(bad, there.at)
			}
		}
	}
	closure(leads[:len(r.pointers)])
	for i := range r.pointers {
		for _, start := range needing[i] {
			if leads[i]>>i&1 != 0 {
				r.mark(bad, start)
			}
		}
	}
}

// needs returns the pointers, a bit each, that no value of the schema at at can do without, and
// adds to needing where the schemas begin whose required properties have them.
func (r *refs) needs(text string, at span, depth int, needing *[]int) (leads uint64) {
	if depth > maxPartDepth || at.start == at.end || text[at.start] != '{' {
		return 0
	}
	required := map[string]bool{}
	members := jsonr.NewReader(text[at.start:at.end])
	for members.OpenObject(); members.Member(); {
		if members.Key() == "required" {
			for members.OpenArray(); members.Element(); {
				name, _ := jsonr.Text(members.Value())
				required[jsonw.Unescape(name)] = true
			}
		}
	}
	inner := func(m *jsonr.Reader) span {
		start := at.start + m.Offset()
		m.Value()
		return span{start, at.start + m.Offset()}
	}
	members = jsonr.NewReader(text[at.start:at.end])
	for members.OpenObject(); members.Member(); {
		switch members.Key() {
		case "$ref":
			ref, _ := jsonr.Text(members.Value())
			for i, p := range r.pointers {
				if p == jsonw.Unescape(ref) {
					leads |= 1 << i
				}
			}
		case "allOf":
			for members.OpenArray(); members.Element(); {
				leads |= r.needs(text, inner(&members), depth+1, needing)
			}
		case "properties":
			for members.OpenObject(); members.Member(); {
				if needed := required[members.Key()]; needed {
					of := r.needs(text, inner(&members), depth+1, needing)
					if leads |= of; of != 0 {
						*needing = append(*needing, at.start)
					}
				}
			}
		}
	}
	return leads
}

// closure has each element lead to all that those lead to which it leads to (Warshall's algorithm).
func closure(leads []uint64) {
	for via := range leads {
		for i := range leads {
			if leads[i]>>via&1 != 0 {
				leads[i] |= leads[via]
			}
		}
	}
}

// locate returns where the schema stands in text that a reference within it stands for (RFC 6901,
// as a fragment). ok is false where there is none.
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
