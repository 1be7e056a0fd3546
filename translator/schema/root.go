package schema

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Limits of what a root is put together from: more is left out.
const (
	maxParts     = 256 // objects
	maxPartDepth = 8   // of references and unions in one another
)

// appendRoot appends a schema whose root is an object with properties. What servers of tools in fact send besides are a type or
// a list of required names that is null, which is what other languages make of none, and "None". plain also resolves a
// reference and flattens unions there.
func appendRoot(dst []byte, schema jsonw.Raw, plain bool) (out []byte, repaired bool) {
	hasType, hasProperties, empty := false, false, true
	r := jsonr.NewReader(string(schema))
	for r.Open(); r.Member(); {
		empty = false
		switch r.Key() {
		case "type":
			hasType = true
			repaired = repaired || isNoType(r.Value(), plain)
		case "properties":
			hasProperties = true
			repaired = repaired || r.Kind() == jsonr.Null
		case "required":
			repaired = repaired || r.Kind() == jsonr.Null
		case "$ref", "anyOf", "oneOf", "allOf", "enum", "not":
			repaired = repaired || plain
		}
	}
	if repaired {
		return newRoot(schema, plain).append(dst), true
	}
	if hasType && hasProperties {
		return append(dst, schema...), false
	}
	dst = append(dst, '{')
	if !hasType {
		dst = append(dst, `"type":"object"`...)
	}
	if !hasProperties {
		if !hasType {
			dst = append(dst, ',')
		}
		dst = append(dst, `"properties":{}`...)
	}
	if !empty {
		dst = append(dst, ',')
	}
	return append(dst, schema[1:]...), false
}

// isNoType reports whether a root's type has to become "object".
func isNoType(v jsonw.Raw, plain bool) bool {
	switch jsonr.KindOf(v) {
	case jsonr.Null:
		return true
	case jsonr.String:
		return v == `"None"`
	case jsonr.Array:
		return plain && listHas(v, `"object"`)
	}
	return false
}

func listHas(list jsonw.Raw, element jsonw.Raw) bool {
	r := jsonr.NewReader(string(list))
	for r.Open(); r.Element(); {
		if r.Value() == element {
			return true
		}
	}
	return false
}

// root is a root that has to be written anew. It is put together from parts: the schema itself, what it refers to, and the
// members of its unions. One object takes the place of a union: with the properties of all of its members, the first
// definition of a name, and with the names that all of them require.
type root struct {
	schema   jsonw.Raw
	plain    bool
	parts    []part
	variants []int // how many members each union has
}

type part struct {
	object  jsonw.Raw
	union   int // 0: it holds in any case; n: it is a member of union n; -1: of a union in one
	variant int // which member
	depth   int
}

func newRoot(schema jsonw.Raw, plain bool) *root {
	w := &root{schema: schema, plain: plain, parts: []part{{object: schema}}, variants: []int{0}}
	if !plain {
		return w
	}
	resolved := map[string]bool{} // a reference in a circle ends
	for i := 0; i < len(w.parts); i++ {
		p := w.parts[i]
		r := jsonr.NewReader(string(p.object))
		for r.Open(); r.Member(); {
			switch r.Key() {
			case "$ref":
				ref, _ := jsonr.Text(r.Value())
				if pointer := jsonw.Unescape(ref); !resolved[pointer] {
					resolved[pointer] = true
					w.add(part{w.definition(pointer), p.union, p.variant, p.depth + 1})
				}
			case "allOf":
				for r.Open(); r.Element(); {
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

// addUnion adds the members of a union in p. Arguments are an object, so a member of another type is none of it.
func (w *root) addUnion(r *jsonr.Reader, p *part) {
	union := -1
	if p.union == 0 {
		union = len(w.variants)
		w.variants = append(w.variants, 0)
	}
	for r.Open(); r.Element(); {
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
	for r.Open(); r.Member(); {
		if r.Key() == "type" {
			v := r.Value()
			return jsonr.KindOf(v) == jsonr.String && v != `"object"`
		}
	}
	return false
}

// definition returns what a reference into the schema itself stands for (RFC 6901, as a fragment), or "".
func (w *root) definition(pointer string) jsonw.Raw {
	path, ok := strings.CutPrefix(pointer, "#/")
	if !ok {
		return ""
	}
	v := w.schema
	for path != "" {
		var name string
		name, path, _ = strings.Cut(path, "/")
		if strings.Contains(name, "~") {
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		}
		if v = memberOf(v, name); v == "" {
			return ""
		}
	}
	return v
}

func memberOf(object jsonw.Raw, name string) jsonw.Raw {
	r := jsonr.NewReader(string(object))
	for r.Open(); r.Member(); {
		if r.Key() == name {
			return r.Value()
		}
	}
	return ""
}

// append appends the root. Members keep their bytes and their order, those of the schema itself first.
func (w *root) append(dst []byte) []byte {
	begun := false
	next := func() {
		if begun {
			dst = append(dst, ',')
		}
		begun = true
	}
	dst = append(dst, '{')
	written := map[string]bool{}
	if w.plain {
		written = map[string]bool{"$ref": true, "anyOf": true, "oneOf": true, "allOf": true, "enum": true, "not": true}
	}
	required := w.required()
	if !w.holds("type") {
		next()
		dst = append(dst, `"type":"object"`...)
	}
	if !w.holds("properties") {
		next()
		dst = w.appendProperties(append(dst, `"properties":`...))
		written["properties"] = true
	}
	for _, p := range w.parts {
		if p.union != 0 {
			continue
		}
		for m := newMembers(p.object); m.next(); {
			if written[m.key] {
				continue
			}
			written[m.key] = true
			if m.key == "required" {
				if required != nil {
					next()
					dst = appendList(append(dst, `"required":`...), required)
				}
				continue
			}
			next()
			switch {
			case m.key == "properties":
				dst = w.appendProperties(append(dst, `"properties":`...))
			case m.key == "type" && isNoType(m.value, w.plain):
				dst = append(dst, `"type":"object"`...)
			default:
				dst = append(dst, m.whole...)
			}
		}
	}
	if !written["required"] && required != nil {
		next()
		dst = appendList(append(dst, `"required":`...), required)
	}
	return append(dst, '}')
}

// holds reports whether a part that holds in any case has a member.
func (w *root) holds(name string) bool {
	for _, p := range w.parts {
		if p.union == 0 && memberOf(p.object, name) != "" {
			return true
		}
	}
	return false
}

// appendProperties appends the properties of all parts: as they stand where one part has all of them.
func (w *root) appendProperties(dst []byte) []byte {
	only, several := jsonw.Raw("{}"), false
	for _, p := range w.parts {
		v := memberOf(p.object, "properties")
		if jsonr.KindOf(v) != jsonr.Object || v == "{}" {
			continue
		}
		several = only != "{}"
		if several {
			break
		}
		only = v
	}
	if !several {
		return append(dst, only...)
	}
	dst = append(dst, '{')
	written := map[string]bool{}
	for _, p := range w.parts {
		for m := newMembers(memberOf(p.object, "properties")); m.next(); {
			if written[m.key] {
				continue
			}
			if len(written) > 0 {
				dst = append(dst, ',')
			}
			written[m.key] = true
			dst = append(dst, m.whole...)
		}
	}
	return append(dst, '}')
}

func appendList(dst []byte, elements []jsonw.Raw) []byte {
	for i, v := range elements {
		if i == 0 {
			dst = append(dst, '[')
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

// required returns the names that are required in any case, and those that every member of a union requires.
func (w *root) required() (names []jsonw.Raw) {
	type inUnion struct {
		union int
		name  jsonw.Raw
	}
	type count struct{ members, last int }
	counts := map[inUnion]count{}
	each := func(take func(p *part, name jsonw.Raw)) {
		for i := range w.parts {
			r := jsonr.NewReader(string(memberOf(w.parts[i].object, "required")))
			for r.Open(); r.Element(); {
				if r.Kind() == jsonr.String {
					take(&w.parts[i], r.Value())
				}
			}
		}
	}
	each(func(p *part, name jsonw.Raw) {
		key := inUnion{p.union, name}
		if c := counts[key]; p.union > 0 && c.last != p.variant {
			counts[key] = count{c.members + 1, p.variant}
		}
	})
	written := map[jsonw.Raw]bool{}
	each(func(p *part, name jsonw.Raw) {
		holds := p.union == 0 || p.union > 0 && counts[inUnion{p.union, name}].members == w.variants[p.union]
		if holds && !written[name] {
			written[name] = true
			names = append(names, name)
		}
	})
	return names
}

// members walks over an object, where it is one, and hands out its members as they stand.
type members struct {
	text  string
	r     jsonr.Reader
	end   int // of the member before
	key   string
	value jsonw.Raw
	whole string // "key": value
}

func newMembers(object jsonw.Raw) *members {
	m := &members{text: string(object), r: jsonr.NewReader(string(object))}
	m.end = m.r.Offset() + 1
	m.r.Open()
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
