package schema

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// refs are the references of a schema.
type refs struct {
	pointers  []string
	positions []refPosition
}

// refPosition is the position of a reference.
type refPosition struct {
	offset  int // index in the text
	pointer int // index in pointers
}

// add notes a reference at an index of the text. It returns false if there are too many different
// references.
func (r *refs) add(pointer string, at int) bool {
	for i, p := range r.pointers {
		if p == pointer {
			r.positions = append(r.positions, refPosition{at, i})
			return true
		}
	}
	if len(r.pointers) == maxRefs {
		return false
	}
	r.positions = append(r.positions, refPosition{at, len(r.pointers)})
	r.pointers = append(r.pointers, pointer)
	return true
}

// follow reports whether a referenced schema refers to itself, directly or through others. ok is
// false if a reference has no target.
func (r *refs) follow(text string) (circular, ok bool) {
	var leads [maxRefs]uint64 // by pointer: a bit for each reference in the referenced schema
	for i, p := range r.pointers {
		at, ok := locate(text, p)
		if !ok {
			return false, false
		}
		for _, there := range r.positions {
			if at.start <= there.offset && there.offset < at.end {
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

// IsRecursive reports whether a schema refers to itself, or has a reference without a target in it.
func IsRecursive(text ir.Raw) bool {
	const key = `"$ref"`
	var r refs
	rest := string(text)
	for {
		_, after, found := strings.Cut(rest, key)
		if !found {
			break
		}
		rest = strings.TrimLeft(after, " \t\r\n:")
		pointer, _ := jsonr.Text(ir.Raw(stringAt(rest)))
		if !strings.HasPrefix(string(pointer), "#") || !r.add(jsonw.Unescape(pointer), len(text)-len(rest)) {
			return true
		}
	}
	circular, ok := r.follow(string(text))
	return circular || !ok
}

// stringAt returns the string literal at the beginning of text, "" for any other value.
func stringAt(text string) string {
	if end := strings.IndexByte(text[min(len(text), 1):], '"'); strings.HasPrefix(text, `"`) && end >= 0 {
		return text[:end+2]
	}
	return ""
}

// leads reads the $ref whose value r is at, and removes the $ref if it has no target in the text.
func (w *walk) leads(f *frame) bool {
	at, value := w.r.Offset(), w.r
	flavored := w.rules&Flavored != 0
	if flavored && !w.bad[at] && strings.HasPrefix(w.text[at:], `"#/definitions/`) && w.definesElsewhere() {
		w.Add(at+len(`"#/`), at+len(`"#/definitions`), `$defs`)
		flavored = false
	}
	if w.secondPass {
		if !w.bad[at] {
			return true
		}
		w.lose("$ref")
		w.cut(f)
		f.strictMembers--
		return false
	}
	text, _ := jsonr.Text(value.Value())
	pointer := jsonw.Unescape(text)
	if !strings.HasPrefix(pointer, "#") ||
		flavored && pointer != "#" && !strings.HasPrefix(pointer, "#/$defs/") {
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

// maxNeeds limits how many bytes are read to find references without a target and circular ones.
const maxNeeds = 4 << 20

// needThemselves adds to bad the positions of references without a target, and of schemas whose
// required properties refer back to them.
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
		for _, there := range r.positions {
			if there.pointer == i {
				r.mark(bad, there.offset)
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

// needs returns the pointers needed by every value of the schema at at, a bit each. It adds to
// needing the positions of schemas with such pointers in required properties.
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

// closure computes the transitive closure of leads (Warshall).
func closure(leads []uint64) {
	for via := range leads {
		for i := range leads {
			if leads[i]>>via&1 != 0 {
				leads[i] |= leads[via]
			}
		}
	}
}

// locate returns the position in text of the schema that pointer refers to (RFC 6901, as a
// fragment). ok is false if there is no such schema.
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

// memberAt returns the position in text of a member's value. of is the position of the member's
// object.
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
