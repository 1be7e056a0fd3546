package policy

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/schema"
)

// rules say what to change in a schema: required is Policy.ShrinkRequired, formats
// Policy.StripFormats.
type rules struct {
	required, formats bool
	params            []Param  // renamed top-level properties
	drop              []string // tool names to remove from descriptions
	cut               Cut      // of descriptions
	// increased by the number of bytes cut from the schema's descriptions; must be set if cut is
	// set
	bytes *int64
}

// rewriter walks over a schema once, without recursion, and notes the edits required by the rules.
// A property may be left out if its schema has a default, accepts null or a boolean, or has a
// description that says so.
type rewriter struct {
	jsonr.Edits
	rules
	text     string
	r        jsonr.Reader
	frames   []frame
	optional []string // names of properties that may be left out, of all open schemas
	words    []byte   // buffer for the words of a description
	shrunk   bool     // a list of required names has become shorter
	double   string   // the result of doubleName
}

// frame is an open array or object.
type frame struct {
	holds    content
	end      int    // index in text after the last member read
	name     string // the name of the schema's property
	top      bool   // the schema, or list of schemas, describes the whole arguments
	optional bool   // a value of the schema may be left out
	null     bool   // a value of the schema may be null
	union    bool   // the list is the value of anyOf or oneOf
	typed    bool   // text is known
	text     bool   // the schema describes strings
	// number of the edit, from 1, with the schema's list of required names; 0: none
	required int
	key      int // index in text of the member "required"
	names    int // index in optional of the schema's own first property
}

// content says what an array or object contains.
type content uint8

const (
	aSchema    content = iota // keywords
	properties                // schemas by the names of properties
	byName                    // schemas by other names
	inList                    // schemas
)

// rewritten returns a schema changed by the rules. shrunk reports whether fewer names are required;
// double is the result of doubleName.
func rewritten(text jsonw.Raw, rules rules) (out jsonw.Raw, shrunk bool, double string) {
	if !rules.required && !rules.formats && rules.params == nil && rules.drop == nil &&
		rules.cut == (Cut{}) || jsonr.KindOf(text) != jsonr.Object {
		return text, false, ""
	}
	w := rewriter{rules: rules, text: string(text), r: jsonr.NewReader(string(text)), frames: make([]frame,
		0, 16)}
	w.open(aSchema, true)
	for len(w.frames) > 0 {
		f := w.top()
		switch {
		case f.holds == inList && !w.r.Element(), f.holds != inList && !w.r.Member():
			w.close()
		case f.holds == aSchema:
			w.keyword(f)
		default:
			w.schema(f)
		}
	}
	return w.Apply(text), w.shrunk, w.double
}

func (w *rewriter) top() *frame { return &w.frames[len(w.frames)-1] }

// open enters the array or object that r is at. top is frame.top.
func (w *rewriter) open(holds content, top bool) {
	w.frames = append(w.frames, frame{holds: holds, end: w.r.Offset() + 1, name: w.r.Key(), top: top,
		names: len(w.optional)})
	if holds == inList {
		w.r.OpenArray()
	} else {
		w.r.OpenObject()
	}
}

// schema enters the schema that r is at: an object, or true or false, without content. A top-level
// property gets its new name.
func (w *rewriter) schema(f *frame) {
	if f.holds == properties && f.top {
		if to, ok := renamedParam(w.params, w.r.Key(), false); ok {
			from, until := jsonr.KeyOf(w.text, f.end, &w.r)
			w.Add(from, until, literal(to))
		}
	}
	if w.r.Kind() == jsonr.Object {
		w.open(aSchema, f.top && f.holds != properties)
		return
	}
	w.r.Value()
	f.end = w.r.Offset()
}

// close leaves the open array or object. If the property may be left out, close notes its name for
// the surrounding schema.
func (w *rewriter) close() {
	// A property that is a $ref counts as required, whatever the reference means. If a parameter
	// was required after all, the tool itself asks for it.
	f := *w.top()
	w.frames = w.frames[:len(w.frames)-1]
	if f.holds == aSchema {
		if f.required > 0 {
			list := &w.List[f.required-1]
			if w.required && len(w.optional) > f.names {
				w.shrink(list, w.optional[f.names:])
			}
			if list.With == "" {
				list.Start = f.key
			} else if f.top {
				list.With = renamedNames(list.With, w.params)
			}
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
	case around.holds == properties && (f.optional || f.null):
		w.optional = append(w.optional, f.name)
	case around.union && f.null:
		w.frames[len(w.frames)-2].null = true
	}
}

// keyword reads one member of a schema. Schemas under not and if are unchanged, because values are
// only tested against them.
func (w *rewriter) keyword(f *frame) {
	key, kind := w.r.Key(), w.r.Kind()
	switch key {
	case "properties", "$defs", "definitions", "patternProperties":
		if kind != jsonr.Object {
			break
		}
		holds := byName
		if key == "properties" {
			holds = properties
			if f.top && w.double == "" {
				names := w.r
				w.double = doubleName(&names, w.params)
			}
		}
		w.open(holds, f.top && holds == properties)
		return
	case "anyOf", "oneOf", "allOf", "prefixItems":
		if kind == jsonr.Array {
			w.open(inList, f.top && key != "prefixItems")
			w.top().union = key == "anyOf" || key == "oneOf"
			return
		}
	case "items", "additionalProperties", "propertyNames", "contains", "then", "else":
		switch {
		case kind == jsonr.Object:
			w.open(aSchema, f.top && (key == "then" || key == "else"))
			return
		case kind == jsonr.Array && key == "items":
			w.open(inList, false)
			return
		}
	}
	start := w.r.Offset()
	member, _ := jsonr.KeyOf(w.text, f.end, &w.r)
	value := w.r.Value()
	switch {
	case key == "format" && w.formats && w.refuses(f, value):
		w.Add(member, w.r.Offset(), "")
	case key == "required" && kind == jsonr.Array && (w.required || f.top && w.params != nil):
		w.Add(start, w.r.Offset(), string(value))
		f.required, f.key = len(w.List), member
	case key == "type":
		f.typed, f.text = true, schema.HasType(value, `"string"`)
		f.null = f.null || schema.HasType(value, `"null"`)
		f.optional = f.optional || value == `"boolean"`
	case key == "nullable" && value == "true", key == "const" && value == "null",
		key == "enum" && jsonr.Holds(value, "null"):
		f.null = true
	case key == "default":
		f.optional = true
	case key == "description":
		text, _ := jsonr.Text(value)
		f.optional = f.optional || w.required && w.saysOptional(text)
		w.describe(start, text)
	}
	f.end = w.r.Offset()
}

// describe changes the description from index start to r's position. A cut needs no copy of the
// text.
func (w *rewriter) describe(start int, text jsonw.Escaped) {
	whole := unmentioned(text, w.drop)
	said := w.cut.of(whole)
	if len(said) < len(whole) {
		*w.bytes += int64(len(whole) - len(said))
	}
	switch {
	case whole != text:
		w.Add(start, w.r.Offset(), `"`+string(said)+`"`)
	case len(said) < len(text):
		w.Add(start+len(`"`)+len(said), w.r.Offset(), `"`)
	}
}

// refuses reports whether a format is a string format unknown to strict modes. If "type" follows
// "format", refuses looks ahead for the type, once per schema. A schema without a type counts as a
// schema of strings.
func (w *rewriter) refuses(f *frame, value jsonw.Raw) bool {
	format, ok := jsonr.Text(value)
	if !ok || schema.AcceptsFormat(format) {
		return false
	}
	if !f.typed {
		f.typed, f.text = true, true
		for r := w.r.Copy(); r.Member(); {
			if r.Key() == "type" {
				f.text = schema.HasType(r.Value(), `"string"`)
				break
			}
		}
	}
	return f.text
}

// shrink removes names from a list of required names. If no name is left, the edit removes the
// whole member: JSON Schema draft 4 forbids an empty list ("must have at least one element",
// 5.4.3), and Google refuses an empty list.
func (w *rewriter) shrink(list *jsonr.Edit, optional []string) {
	drop := make(map[string]bool, len(optional))
	for _, name := range optional {
		drop[name] = true
	}
	text := list.With
	r := jsonr.NewReader(text)
	kept, end, n, fewer := []byte{'['}, r.Offset()+1, 0, false
	for r.OpenArray(); r.Element(); end = r.Offset() {
		start := r.Offset()
		value := r.Value()
		if name, ok := jsonr.Text(value); ok && drop[jsonw.Unescape(name)] {
			fewer = true
			continue
		}
		lead := text[end:start]
		if n == 0 {
			lead = strings.TrimLeft(lead, ", \n\r\t")
		}
		n++
		kept = append(append(kept, lead...), value...)
	}
	w.shrunk = w.shrunk || fewer
	if list.With = string(append(kept, text[end:]...)); fewer && n == 0 {
		list.With = ""
	}
}

// optionally are phrases of descriptions that say that a parameter may be left out, as used by
// tools of Claude Code, Codex and MCP servers. No letter may follow a phrase. A dot and a space
// also match the beginning of the description.
//
// The list lacks phrases that describe what a tool does just as often: "by default", "if needed",
// "if any", "ignored when".
var optionally = [...]string{
	"optional", "optionally", "not required", "not mandatory", "can be omitted", "may be omitted",
	"can be left out", "may be left out",
	"defaults to", "default is", "default:", "(default", "(defaults",
	"if not specified", "if not provided", "if not given", "if not set", "if omitted", "if unspecified",
	"if unset", "if absent", "if left empty",
	"when not specified", "when not provided", "when not set", "when omitted", "when unspecified",
	"unless specified", "unless provided",
	"if provided", "if specified", "if set", "when provided", "when specified", "when set",
	"set to true to", "set to false to", "set this to true", "set this to false",
	"leave empty", "leave blank", "leave unset", "leave out to", "leave this empty", "leave this blank",
	". omit", "; omit", "(omit", ", omit", "ignored otherwise", "only applicable to", "only needed for",
	"only required for",
}

// onlyAt are words between "only" and "if" or "when" with the same meaning: "Only provide if the
// file is too large".
const onlyAt = " provide provided set specify specified use used include pass needed required applicable " +
	"applies relevant "

// unless are words before a phrase of optionally that reverse its meaning: "not optional", "an
// error if omitted".
var unless = [...]string{"not ", "n't ", "non-", "error ", "fail ", "fails ", "rejected ", "refused ",
	"must be ", "never "}

// saysOptional reports whether a description contains one of these phrases, in small letters or
// capitals and also across a line break.
func (w *rewriter) saysOptional(description jsonw.Escaped) bool {
	w.words = jsonw.AppendUnescaped(append(w.words[:0], ". "...), description)
	n := 0
	for _, c := range w.words {
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '\n', c == '\r', c == '\t':
			c = ' '
		}
		if c != ' ' || n == 0 || w.words[n-1] != ' ' {
			w.words[n] = c
			n++
		}
	}
	text := string(jsonw.View(w.words[:n]))
	for i := range text {
		if i == 0 || !startsWithLetter(text[i-1:]) || !startsWithLetter(text[i:]) {
			if allows(text[i:]) && !isDenied(text[:i]) {
				return true
			}
		}
	}
	return false
}

// allows reports whether a text begins with a phrase that says that a parameter may be left out.
func allows(text string) bool {
	for _, words := range optionally {
		if words[0] == text[0] && strings.HasPrefix(text, words) && !startsWithLetter(text[len(words):]) {
			return true
		}
	}
	rest, found := strings.CutPrefix(text, "only ")
	if !found {
		return false
	}
	word, rest, _ := strings.Cut(rest, " ")
	return strings.Contains(onlyAt, " "+word+" ") && (strings.HasPrefix(rest, "if ") ||
		strings.HasPrefix(rest, "when "))
}

func startsWithLetter(s string) bool { return s != "" && 'a' <= s[0] && s[0] <= 'z' }

func isDenied(before string) bool {
	for _, words := range unless {
		if strings.HasSuffix(before, words) {
			return true
		}
	}
	return false
}
