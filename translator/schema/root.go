package schema

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Limits for a combined root; parts beyond are left out. Following a reference costs one reading of
// the schema for each name in the reference.
const (
	maxParts     = 256 // schemas
	maxPartDepth = 8   // nested references and unions; names in a reference
	maxRefs      = 64  // references
)

// flattened returns a tool's argument schema with a plain object as its root, instead of a root
// with a union, a reference, enum or not. lost are the removed keywords.
func flattened(schema jsonw.Raw) (object jsonw.Raw, lost []string) {
	r := jsonr.NewReader(string(schema))
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "anyOf", "oneOf", "allOf", "enum", "not":
			lost = append(lost, key)
		}
	}
	return jsonw.Raw(jsonw.View(newRoot(schema).append(nil))), lost
}

// isNoType reports whether a root's type must be replaced with "object". MCP servers also send null
// as the type (code-yeongyu/senpi#713). No server is known by name that sends the type "None",
// Python's form of null; "None" is repaired like null.
func isNoType(v jsonw.Raw, plain bool) bool {
	switch jsonr.KindOf(v) {
	case jsonr.Null:
		return true
	case jsonr.String:
		return v == `"None"`
	case jsonr.Array:
		return plain && HasType(v, `"object"`)
	}
	return false
}

// HasType reports whether the value of "type" is the given type, a JSON string, or a list with the
// type.
func HasType(value, name jsonw.Raw) bool { return value == name || jsonr.Holds(value, name) }

// root is a root to be rewritten. It is combined from parts: the schema itself, the schemas it
// refers to, and the members of its unions. One object replaces a union: it has the properties of
// all members, with the first definition of each name, and requires the names required by all
// members.
type root struct {
	schema   jsonw.Raw
	parts    []part
	variants []int // how many members each union has; index 0 is for parts outside unions
	dst      []byte
	written  map[string]bool
	required []jsonw.Raw // required names, as JSON strings
}

type part struct {
	object jsonw.Raw
	// 0: the part applies to all values; n: a member of union n; -1: a member of a union inside
	// another one
	union   int
	variant int // the number of the member in union n, from 1
	depth   int // the number of references and unions on the way to the part
}

//go:noinline
func newRoot(schema jsonw.Raw) *root {
	w := &root{schema: schema, parts: []part{{object: schema}}, variants: []int{0}}
	resolved := map[string]bool{} // each reference is followed once, so a circle ends
	for i := 0; i < len(w.parts); i++ {
		p := w.parts[i]
		r := jsonr.NewReader(string(p.object))
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "$ref":
				ref, _ := jsonr.Text(r.Value())
				if pointer := jsonw.Unescape(ref); !resolved[pointer] && len(resolved) < maxRefs {
					resolved[pointer] = true
					w.add(part{w.definition(pointer), p.union, p.variant, p.depth + 1})
				}
			case "allOf":
				for r.OpenArray(); r.Element(); {
					w.add(part{r.Value(), p.union, p.variant, p.depth + 1})
				}
			case "anyOf", "oneOf":
				w.addUnion(&r, &p)
			}
		}
	}
	return w
}

func (w *root) add(p part) {
	if jsonr.KindOf(p.object) == jsonr.Object && len(w.parts) < maxParts && p.depth <= maxPartDepth {
		w.parts = append(w.parts, p)
	}
}

// addUnion adds the members of a union in p. Arguments are an object: members of another type are
// left out.
func (w *root) addUnion(r *jsonr.Reader, p *part) {
	union := -1
	if p.union == 0 {
		union = len(w.variants)
		w.variants = append(w.variants, 0)
	}
	for r.OpenArray(); r.Element(); {
		v := r.Value()
		if v == "false" || isOfOtherType(v) {
			continue
		}
		variant := 0
		if union > 0 {
			w.variants[union]++
			variant = w.variants[union]
		}
		w.add(part{v, union, variant, p.depth + 1})
	}
}

func isOfOtherType(schema jsonw.Raw) bool {
	r := jsonr.NewReader(string(schema))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			v := r.Value()
			return jsonr.KindOf(v) == jsonr.String && v != `"object"`
		}
	}
	return false
}

// definition returns the schema that a reference into the schema itself refers to, or "".
func (w *root) definition(pointer string) jsonw.Raw {
	if !strings.HasPrefix(pointer, "#/") {
		return ""
	}
	at, ok := locate(string(w.schema), pointer)
	if !ok {
		return ""
	}
	return w.schema[at.start:at.end]
}

func memberOf(object jsonw.Raw, name string) jsonw.Raw {
	at, ok := memberAt(string(object), span{0, len(object)}, name)
	if !ok {
		return ""
	}
	return object[at.start:at.end]
}

// append appends the root. Members keep their bytes and their order; the schema's own members come
// first.
//
//go:noinline
func (w *root) append(dst []byte) []byte {
	w.dst, w.written, w.required = append(dst, '{'), map[string]bool{}, w.allRequired()
	if !w.holds("type") {
		w.member(`"type":"object"`)
	}
	if !w.holds("properties") {
		w.properties()
	}
	for _, p := range w.parts {
		if p.union != 0 {
			continue
		}
		for m := newMembers(p.object); m.next(); {
			switch m.key {
			case "$ref", "anyOf", "oneOf", "allOf", "enum", "not":
				continue
			case "properties":
				w.properties()
				continue
			case "required":
				w.names()
				continue
			case "type":
				if isNoType(m.value, true) {
					m.whole = `"type":"object"`
				}
			}
			if w.first(m.key) {
				w.member(m.whole)
			}
		}
	}
	w.names()
	return append(w.dst, '}')
}

// first reports whether a member has not been written yet, and marks it as written.
func (w *root) first(key string) bool {
	if w.written[key] {
		return false
	}
	w.written[key] = true
	return true
}

// member writes a member, after a comma except for the first one.
func (w *root) member(text string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, text...)
}

// properties writes the properties of all parts, once. If only one part has properties, they are
// unchanged.
func (w *root) properties() {
	if !w.first("properties") {
		return
	}
	w.member(`"properties":`)
	only, several := jsonw.Raw("{}"), false
	for _, p := range w.parts {
		v := memberOf(p.object, "properties")
		if jsonr.KindOf(v) == jsonr.Object && v != "{}" {
			several = only != "{}"
			only = v
		}
		if several {
			break
		}
	}
	if !several {
		w.dst = append(w.dst, only...)
		return
	}
	w.dst = append(w.dst, '{')
	written := map[string]bool{}
	for _, p := range w.parts {
		for m := newMembers(memberOf(p.object, "properties")); m.next(); {
			if !written[m.key] {
				written[m.key] = true
				w.member(m.whole)
			}
		}
	}
	w.dst = append(w.dst, '}')
}

// names writes the list of required names, once.
func (w *root) names() {
	if len(w.required) == 0 || !w.first("required") {
		return
	}
	w.member(`"required":[`)
	for i, name := range w.required {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(w.dst, name...)
	}
	w.dst = append(w.dst, ']')
}

// holds reports whether a part outside unions has a member.
func (w *root) holds(name string) bool {
	for _, p := range w.parts {
		if p.union == 0 && memberOf(p.object, name) != "" {
			return true
		}
	}
	return false
}

// allRequired returns the names required by parts outside unions, followed by the names required by
// every member of a union.
func (w *root) allRequired() (names []jsonw.Raw) {
	listed := map[jsonw.Raw]bool{}
	for union, variants := range w.variants {
		counts := map[jsonw.Raw]int{} // by name: how many members of the union require the name
		last := map[jsonw.Raw]int{}   // by name: the last member that requires the name
		for i := range w.parts {
			p := &w.parts[i]
			if p.union != union {
				continue
			}
			r := jsonr.NewReader(string(memberOf(p.object, "required")))
			for r.OpenArray(); r.Element(); {
				name := r.Value()
				if jsonr.KindOf(name) != jsonr.String || listed[name] {
					continue
				}
				if last[name] != p.variant {
					last[name] = p.variant
					counts[name]++
				}
				if union == 0 || counts[name] == variants {
					listed[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// members iterates over the members of an object, unchanged. A value that is not an object has no
// members.
type members struct {
	text  string
	r     jsonr.Reader
	end   int // index in text after the previous member
	key   string
	value jsonw.Raw
	whole string // the member: "key": value
}

func newMembers(object jsonw.Raw) *members {
	m := &members{text: string(object), r: jsonr.NewReader(string(object))}
	m.end = m.r.Offset() + 1
	m.r.OpenObject()
	return m
}

func (m *members) next() bool {
	if !m.r.Member() {
		return false
	}
	m.key, m.value = m.r.Key(), m.r.Value()
	m.whole = strings.TrimLeft(m.text[m.end:m.r.Offset()], ", \n\r\t")
	m.end = m.r.Offset()
	return true
}

// OfObjects reports whether the root of a schema has the type object, or properties and no type.
// OpenAI requires the type for an answer's schema ("schema must be a JSON Schema of 'type: \"object\"',
// got 'type: \"array\"'", podly-pure-podcasts/podly_pure_podcasts#89), and JSON modes answer only with
// objects.
//
//go:noinline
func OfObjects(schema jsonw.Raw) (objects bool) {
	r := jsonr.NewReader(string(schema))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			return r.Value() == `"object"`
		case "properties":
			objects = true
		}
	}
	return objects
}
