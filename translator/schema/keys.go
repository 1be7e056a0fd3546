package schema

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxKey is how long the key of a property may be for an upstream with ir.Target.PlainKeys.
const maxKey = 64

// Keys are the properties of one tool that have another key at the upstream, because the upstream
// refuses the client's: ir.Target.PlainKeys. A key has the same replacement wherever it occurs. The
// replacement has a hash, so no other key in the arguments of a call is taken for it.
type Keys struct {
	to   map[string]string        // by the client's key: the upstream's
	from map[string]jsonw.Escaped // by the upstream's key: the client's, escaped as in a call's arguments
}

// Client returns the client's key for a key of the upstream, escaped as JSON in a JSON string. ok is
// false if both are the same.
func (k *Keys) Client(key string) (client jsonw.Escaped, ok bool) {
	client, ok = k.from[key]
	return client, ok
}

// RenameKeys returns a schema with other keys instead of those that the upstream refuses, also in
// nested schemas, and wherever the schema refers to a property: lists of required properties,
// dependencies, references, default values. A renamed property has the client's key as its title,
// unless it has a title. keys is nil if the upstream accepts all keys; then the schema is text.
func RenameKeys(text jsonw.Raw) (renamed jsonw.Raw, keys *Keys) {
	if jsonr.KindOf(text) != jsonr.Object {
		return text, nil
	}
	w := keyWalk{text: string(text)}
	w.run()
	if w.refused == nil {
		return text, nil
	}
	return w.rename()
}

// rename is RenameKeys after the first walk has found refused keys.
//
//go:noinline
func (w *keyWalk) rename() (renamed jsonw.Raw, keys *Keys) {
	w.accepted = map[string]bool{}
	w.run()
	k := &Keys{to: map[string]string{}, from: map[string]jsonw.Escaped{}}
	for _, key := range w.refused {
		if k.to[key] != "" {
			continue
		}
		to := string(ir.Identifier(jsonw.Escape(key), maxKey))
		for w.accepted[to] || k.from[to] != "" {
			to = string(ir.Identifier(jsonw.Escaped(to+"_"), maxKey))
		}
		k.to[key] = to
		k.from[to] = jsonw.View(jsonw.AppendText(nil, string(jsonw.Escape(key))))
	}
	w.keys = k
	w.run()
	return w.Apply(jsonw.Raw(w.text)), k
}

// Rename returns JSON, such as the arguments of a call, with the upstream's keys.
func (k *Keys) Rename(text jsonw.Raw) jsonw.Raw {
	w := keyWalk{text: string(text), keys: k}
	w.data(0, len(text))
	return w.Apply(text)
}

// isPlainKey reports whether an upstream with ir.Target.PlainKeys accepts a key.
func isPlainKey(key string) bool {
	for i := 0; i < len(key); i++ {
		c := key[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return key != "" && len(key) <= maxKey
}

// keyWalk walks over a schema without recursion: first it collects the refused keys of properties,
// then all keys, if there are refused ones, then the edits.
type keyWalk struct {
	jsonr.Edits
	text     string
	keys     *Keys // nil: keys are still collected
	r        jsonr.Reader
	frames   []keyFrame
	refused  []string
	accepted map[string]bool // all keys; nil: not collected
}

// keyFrame is an open array or object. names says that the schema describes names of properties.
type keyFrame struct {
	holds content
	names bool
	end   int // index in text after the last member
}

func (w *keyWalk) run() {
	w.r = jsonr.NewReader(w.text)
	w.open(aSchema, false)
	for len(w.frames) > 0 {
		f := &w.frames[len(w.frames)-1]
		switch {
		case f.holds == inList && !w.r.Element(), f.holds != inList && !w.r.Member():
			w.frames = w.frames[:len(w.frames)-1]
			if n := len(w.frames); n > 0 {
				w.frames[n-1].end = w.r.Offset()
			}
		case f.holds == aSchema:
			w.keyword(f)
		default:
			if f.holds == properties {
				w.property(f)
			}
			w.schema(f)
		}
	}
}

// open enters the array or object that r is at.
func (w *keyWalk) open(holds content, names bool) {
	w.frames = append(w.frames, keyFrame{holds, names, w.r.Offset() + 1})
	if holds == inList {
		w.r.OpenArray()
	} else {
		w.r.OpenObject()
	}
}

// property handles the key of a property, whose value r is at.
func (w *keyWalk) property(f *keyFrame) {
	key := w.r.Key()
	if w.keys == nil {
		switch {
		case w.accepted != nil:
			w.accepted[key] = true
		case !isPlainKey(key):
			w.refused = append(w.refused, key)
		}
		return
	}
	to, ok := w.keys.to[key]
	if !ok {
		return
	}
	from, until := jsonr.KeyOf(w.text, f.end, &w.r)
	w.Add(from, until, `"`+to+`"`)
	if w.r.Kind() != jsonr.Object {
		return
	}
	value := w.r.Copy()
	at, title := w.r.Offset()+1, `"title":`+string(jsonw.AppendString(nil, key))
	for value.OpenObject(); value.Member(); {
		if value.Key() == "title" {
			return
		}
		if title[len(title)-1] != ',' {
			title += ","
		}
	}
	w.Add(at, at, title)
}

// schema enters the schema, or the list of names, that r is at.
func (w *keyWalk) schema(f *keyFrame) {
	switch w.r.Kind() {
	case jsonr.Object:
		w.open(aSchema, false)
	case jsonr.Array:
		w.list()
		f.end = w.r.Offset()
	default:
		w.r.Value()
		f.end = w.r.Offset()
	}
}

// keyword handles one member of a schema.
func (w *keyWalk) keyword(f *keyFrame) {
	key, kind := w.r.Key(), w.r.Kind()
	switch key {
	case "properties", "dependentSchemas", "dependentRequired", "dependencies":
		if kind == jsonr.Object {
			w.open(properties, false)
			return
		}
	case "$defs", "definitions", "patternProperties":
		if kind == jsonr.Object {
			w.open(byName, false)
			return
		}
	case "anyOf", "oneOf", "allOf", "prefixItems", "items", "additionalItems", "additionalProperties",
		"unevaluatedItems", "unevaluatedProperties", "not", "if", "then", "else", "contains",
		"contentSchema", "propertyNames":
		switch kind {
		case jsonr.Object:
			w.open(aSchema, key == "propertyNames")
			return
		case jsonr.Array:
			w.open(inList, false)
			return
		}
	case "required":
		w.list()
		f.end = w.r.Offset()
		return
	case "discriminator": // of OpenAPI
		for w.r.OpenObject(); w.r.Member(); {
			if w.r.Key() == "propertyName" {
				w.name()
			}
		}
		f.end = w.r.Offset()
		return
	}
	start := w.r.Offset()
	names := f.names && (key == "enum" || key == "const")
	if names && kind == jsonr.Array {
		w.list()
	} else if names {
		w.name()
	} else {
		w.r.Value()
	}
	f.end = w.r.Offset()
	switch {
	case w.keys == nil || names:
	case key == "$ref", key == "$dynamicRef":
		w.reference(start)
	case key == "default", key == "const", key == "enum", key == "examples", key == "example":
		w.data(start, f.end)
	}
}

// list handles a list of properties' names, which r is at.
func (w *keyWalk) list() {
	for w.r.OpenArray(); w.r.Element(); {
		w.name()
	}
}

// name handles the name of a property, a string that r is at.
func (w *keyWalk) name() {
	start := w.r.Offset()
	text, ok := jsonr.Text(w.r.Value())
	if w.keys == nil || !ok {
		return
	}
	if to, ok := w.keys.to[jsonw.Unescape(text)]; ok {
		w.Add(start, w.r.Offset(), `"`+to+`"`)
	}
}

// data renames the keys of all objects in a value, which is not a schema. A string is a key if a
// colon follows.
func (w *keyWalk) data(start, end int) {
	for i := start; i < end; i++ {
		if w.text[i] != '"' {
			continue
		}
		begin := i
		for i++; i < end && w.text[i] != '"'; i++ {
			if w.text[i] == '\\' {
				i++
			}
		}
		if i >= end || !strings.HasPrefix(strings.TrimLeft(w.text[i+1:end], " \n\r\t"), ":") {
			continue
		}
		if to, ok := w.keys.to[jsonw.Unescape(jsonw.Escaped(w.text[begin+1:i]))]; ok {
			w.Add(begin, i+1, `"`+to+`"`)
		}
	}
}

// reference renames the properties in the pointer of a reference (RFC 6901, as a fragment), a string
// at index start.
func (w *keyWalk) reference(start int) {
	text, _ := jsonr.Text(jsonw.Raw(w.text[start:w.r.Offset()]))
	part, rest, more := strings.Cut(jsonw.Unescape(text), "/")
	if part != "#" {
		return
	}
	pointer, changed, in := []byte{'"', '#'}, false, aSchema
	for more {
		part, rest, more = strings.Cut(rest, "/")
		switch {
		case in == properties:
			if to, ok := w.keys.to[unpointed(part)]; ok {
				part, changed = to, true
			}
			in = aSchema
		case in == byName:
			in = aSchema
		case part == "properties", part == "dependentSchemas", part == "dependencies":
			in = properties
		case part == "$defs", part == "definitions", part == "patternProperties":
			in = byName
		}
		pointer = jsonw.AppendText(append(pointer, '/'), part)
	}
	if changed {
		w.Add(start, w.r.Offset(), string(append(pointer, '"')))
	}
}

// unpointed returns the name in a part of a pointer: "%20" is a space, "~1" a slash, "~0" a tilde.
func unpointed(part string) string {
	name := make([]byte, 0, len(part))
	for i := 0; i < len(part); i++ {
		c := part[i]
		switch rest := part[i+1:]; {
		case c == '~' && rest != "" && rest[0]-'0' < 2:
			c, i = "~/"[rest[0]-'0'], i+1
		case c == '%' && len(rest) > 1:
			if n, err := strconv.ParseUint(rest[:2], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
		}
		name = append(name, c)
	}
	return string(name)
}
