package policy

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/schema"
)

// rules say what changes in a schema.
type rules struct{ required, formats bool }

// rewriter walks over a schema once, without recursion, and notes what changes in it.
type rewriter struct {
	edits
	rules
	text     string
	r        jsonr.Reader
	frames   []frame
	optional []string // properties that need not be given, of the open schemas
	shrunk   bool
}

// frame is an array or object that is open.
type frame struct {
	holds    content
	end      int    // where the last member ends
	members  int    // how many stay
	name     string // of the property whose schema it is
	optional bool   // the value need not be given
	null     bool   // the value is null
	union    bool   // the schemas are those that a value may follow
	typed    bool   // the schema has a type,
	text     bool   // which is that of strings
	required int    // which of the edits is its list of required names, from 1; 0: there is none
	names    int    // where its properties begin in optional
}

// content is what stands in an array or object.
type content uint8

const (
	aSchema    content = iota // keywords
	properties                // schemas by the names of properties
	byName                    // schemas by other names
	inList                    // schemas
)

// rewritten returns a schema that follows the rules, and whether fewer names are required.
func rewritten(text jsonw.Raw, rules rules) (out jsonw.Raw, shrunk bool) {
	if !rules.required && !rules.formats || jsonr.KindOf(text) != jsonr.Object {
		return text, false
	}
	w := rewriter{rules: rules, text: string(text), r: jsonr.NewReader(string(text)), frames: make([]frame, 0, 16)}
	w.open(aSchema)
	for len(w.frames) > 0 {
		f := w.top()
		switch {
		case f.holds == inList && !w.r.Element(), f.holds != inList && !w.r.Member():
			w.close()
		case f.holds == aSchema:
			w.keyword(f)
		default:
			w.schema()
		}
	}
	return w.apply(text), w.shrunk
}

func (w *rewriter) top() *frame { return &w.frames[len(w.frames)-1] }

// open enters the array or object that comes.
//
//go:noinline
func (w *rewriter) open(holds content) {
	w.frames = append(w.frames, frame{holds: holds, end: w.r.Offset() + 1, name: w.r.Key(), names: len(w.optional)})
	if holds == inList {
		w.r.OpenArray()
	} else {
		w.r.OpenObject()
	}
}

// schema enters the schema that comes: an object, or true or false.
func (w *rewriter) schema() {
	if w.r.Kind() == jsonr.Object {
		w.open(aSchema)
	}
}

// close leaves it, and tells the schema around it what it is.
func (w *rewriter) close() {
	f := *w.top()
	w.frames = w.frames[:len(w.frames)-1]
	if f.holds == aSchema {
		if f.required > 0 && len(w.optional) > f.names {
			w.shrink(&w.list[f.required-1], w.optional[f.names:])
		}
		w.optional = w.optional[:f.names]
	}
	if len(w.frames) == 0 {
		return
	}
	around := w.top()
	around.end = w.r.Offset()
	switch {
	case f.holds != aSchema:
	case around.holds == properties && f.optional:
		w.optional = append(w.optional, f.name)
	case around.union && f.null:
		w.frames[len(w.frames)-2].optional = true
	}
}

// keyword deals with one member of a schema.
func (w *rewriter) keyword(f *frame) {
	key, kind := w.r.Key(), w.r.Kind()
	f.members++
	switch key {
	case "properties", "$defs", "definitions":
		if kind == jsonr.Object {
			holds := byName
			if key == "properties" {
				holds = properties
			}
			w.open(holds)
			return
		}
	case "anyOf", "oneOf", "allOf":
		if kind == jsonr.Array {
			w.open(inList)
			w.top().union = key != "allOf"
			return
		}
	case "items", "additionalProperties":
		switch {
		case kind == jsonr.Object:
			w.open(aSchema)
			return
		case kind == jsonr.Array && key == "items":
			w.open(inList)
			return
		}
	}
	start := w.r.Offset()
	value := w.r.Value()
	switch {
	case key == "format" && w.formats && w.refuses(f, value):
		f.members--
		w.remove(f)
		return
	case key == "required" && w.required && kind == jsonr.Array:
		w.add(start, w.r.Offset(), string(value))
		f.required = len(w.list)
	case key == "type":
		f.typed, f.text = true, value == `"string"` || has(value, `"string"`)
		f.null = value == `"null"`
		f.optional = f.optional || f.null || value == `"boolean"` || has(value, `"null"`)
	case key == "default",
		key == "nullable" && value == "true",
		key == "description" && saysOptional(value):
		f.optional = true
	}
	f.end = w.r.Offset()
}

// refuses reports whether a format is one of strings that strict modes don't know. The type may stand behind it.
func (w *rewriter) refuses(f *frame, value jsonw.Raw) bool {
	format, ok := jsonr.Text(value)
	if !ok || schema.TakesFormat(format) {
		return false
	}
	for r := w.r; !f.typed && r.Member(); {
		if r.Key() == "type" {
			v := r.Value()
			return v == `"string"` || has(v, `"string"`)
		}
	}
	return f.text || !f.typed
}

// remove takes the member that was read last out, with the comma before it, or behind it where it is the first one.
func (w *rewriter) remove(f *frame) {
	end := w.r.Offset()
	if f.members == 0 {
		if rest := strings.TrimLeft(w.text[end:], " \n\r\t"); strings.HasPrefix(rest, ",") {
			end = len(w.text) - len(rest) + 1
		}
	}
	w.add(f.end, end, "")
	f.end = end
}

// shrink takes names out of a list of required ones.
func (w *rewriter) shrink(list *edit, optional []string) {
	drop := make(map[string]bool, len(optional))
	for _, name := range optional {
		drop[name] = true
	}
	text := list.with
	r := jsonr.NewReader(text)
	kept, end, n := []byte{'['}, r.Offset()+1, 0
	for r.OpenArray(); r.Element(); end = r.Offset() {
		start := r.Offset()
		value := r.Value()
		if name, ok := jsonr.Text(value); ok && drop[jsonw.Unescape(name)] {
			w.shrunk = true
			continue
		}
		lead := text[end:start]
		if n == 0 {
			lead = strings.TrimLeft(lead, ", \n\r\t")
		}
		n++
		kept = append(append(kept, lead...), value...)
	}
	list.with = string(append(kept, text[end:]...))
}

// optionally are the words by which a description says that a parameter need not be given.
var optionally = [...]string{"optional", "defaults to", "if not specified", "set to true to", "if provided", "can be omitted", "not required"}

func saysOptional(description jsonw.Raw) bool {
	text, _ := jsonr.Text(description)
	plain := strings.ToLower(jsonw.Unescape(text))
	for _, words := range optionally {
		if strings.Contains(plain, words) {
			return true
		}
	}
	return false
}

// has reports whether a value is a list with an element.
//
//go:noinline
func has(list, element jsonw.Raw) bool {
	r := jsonr.NewReader(string(list))
	if r.Kind() != jsonr.Array {
		return false
	}
	for r.OpenArray(); r.Element(); {
		if r.Value() == element {
			return true
		}
	}
	return false
}
