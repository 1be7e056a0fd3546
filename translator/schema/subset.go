package schema

import (
	"strings"
	"unsafe"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// A schema is cut down to what both vendors document for their strict modes, so that it is right for either:
//
//   - OpenAI, developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas": "All fields must be required",
//     "additionalProperties: false must always be set in objects", no allOf, not, dependentRequired, dependentSchemas, if, then,
//     else; a format is one of a list. Its own SDK for Python makes all properties required as well (ensure_strict_json_schema).
//   - Anthropic, platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations", and the function
//     transformJSONSchema of its SDK: no bounds of numbers, strings and arrays but minItems 0 and 1, no oneOf, a list of formats.
//
// oneOf and allOf become anyOf, which means the same for one member and is the nearest that both take for several. Keywords
// beside a $ref are left out, as the SDKs do: OpenAI refuses them ("$ref cannot have keywords").

// keywords are those that strict modes take, some of them in another form. Each stands between commas.
const keywords = ",type,properties,required,additionalProperties,items,anyOf,oneOf,allOf,enum,const,$ref,$defs,definitions,$schema,$id,$anchor,$comment,title,description,"

// formats are the formats of strings that both vendors take.
const formats = ",date-time,time,date,duration,email,hostname,ipv4,ipv6,uuid,"

// subset cuts a schema down. It walks over the schema once, without recursion, and copies what it keeps as it stands.
type subset struct {
	text   string
	r      jsonr.Reader
	dst    []byte
	cut    bool
	frames []frame
	names  []jsonw.Raw // names of the properties of all open schemas
}

// frame is an array or object that is open.
type frame struct {
	holds    content
	start    int  // index in dst where its inside begins
	end      int  // index in text behind the last member or element, kept or not
	kept     int  // how many members or elements were kept
	only     bool // a $ref was kept: nothing else of the schema is
	object   bool // the schema is one of objects
	closed   bool // the schema has additionalProperties
	union    bool // the schema has its anyOf: a second union is left out
	required int  // index in dst of its list of required names; 0: there is none
	names    int  // index in names where its own properties begin
}

// content is what stands in an array or object.
type content uint8

const (
	aSchema    content = iota // keywords
	properties                // schemas by the names of properties
	byName                    // schemas by other names
	inList                    // schemas
)

func appendSubset(dst []byte, text string) (out []byte, cut bool) {
	s := subset{text: text, r: jsonr.NewReader(text), dst: dst, frames: make([]frame, 0, 16)}
	s.open(aSchema)
	for len(s.frames) > 0 {
		f := s.top()
		switch {
		case f.holds == inList && !s.r.Element(), f.holds != inList && !s.r.Member():
			s.close()
		case f.holds == aSchema:
			s.keyword(f)
		default:
			if f.holds == properties {
				s.names = append(s.names, s.name(f))
			}
			s.keep(f)
			s.schema(f)
		}
	}
	return s.dst, s.cut
}

func (s *subset) top() *frame { return &s.frames[len(s.frames)-1] }

// open enters the array or object that r stands before.
func (s *subset) open(holds content) {
	at := s.r.Offset()
	s.dst = append(s.dst, s.text[at])
	s.frames = append(s.frames, frame{holds: holds, start: len(s.dst), end: at + 1, names: len(s.names)})
	if holds == inList {
		s.r.OpenArray()
	} else {
		s.r.OpenObject()
	}
}

// close leaves the open array or object. Strict modes demand that the schema of an object requires all properties and takes no
// others.
func (s *subset) close() {
	f := s.top()
	if f.object && !f.only {
		s.requireAll(f)
		if !f.closed {
			s.put(f, `"additionalProperties":false`)
		}
	}
	s.dst = append(s.dst, s.text[f.end:s.r.Offset()]...)
	if f.holds == aSchema {
		s.names = s.names[:f.names]
	}
	s.frames = s.frames[:len(s.frames)-1]
	if len(s.frames) > 0 {
		s.top().end = s.r.Offset()
	}
}

// value copies the value that r stands before.
func (s *subset) value(f *frame) {
	s.dst = append(s.dst, s.r.Value()...)
	f.end = s.r.Offset()
}

// schema enters the schema that r stands before: an object, or true or false, which is copied.
func (s *subset) schema(f *frame) {
	if s.r.Kind() == jsonr.Object {
		s.open(aSchema)
		return
	}
	s.value(f)
}

// drop leaves out the member whose value r stands before.
func (s *subset) drop(f *frame) {
	s.cut = true
	s.r.Value()
	f.end = s.r.Offset()
}

// lead returns the text between the last member and the value that r stands before: space, a comma, a key.
func (s *subset) lead(f *frame) string { return s.text[f.end:s.r.Offset()] }

// name returns the key of the member whose value r stands before, as it stands.
func (s *subset) name(f *frame) jsonw.Raw {
	return jsonw.Raw(strings.TrimRight(strings.TrimLeft(s.lead(f), ", \n\r\t"), ": \n\r\t"))
}

// keep copies the lead. In front of the first member that is kept it leaves out the comma that stood behind those before, which
// were left out.
func (s *subset) keep(f *frame) {
	lead := s.lead(f)
	if f.kept == 0 {
		lead = strings.Replace(lead, ",", "", strings.Count(lead[:len(lead)-len(strings.TrimLeft(lead, ", \n\r\t"))], ","))
	}
	f.kept++
	s.dst = append(s.dst, lead...)
}

// put writes a member that the text does not have.
func (s *subset) put(f *frame, member string) {
	s.cut = true
	if f.kept > 0 {
		s.dst = append(s.dst, ',')
	}
	f.kept++
	s.dst = append(s.dst, member...)
}

// keyword deals with one member of a schema.
func (s *subset) keyword(f *frame) {
	key, kind := s.r.Key(), s.r.Kind()
	var value jsonw.Raw // only of keywords whose value matters: reading all values would read deep schemas over and over
	switch key {
	case "type", "additionalProperties", "format", "pattern", "minItems":
		r := s.r
		value = r.Value()
	}
	switch {
	case f.only, key == "items" && kind == jsonr.Array, !isTaken(key, value):
		s.drop(f)
		return
	case key == "anyOf", key == "oneOf", key == "allOf":
		if f.union || kind != jsonr.Array {
			s.drop(f)
			return
		}
		f.union = true
		if key == "anyOf" {
			s.keep(f)
		} else {
			s.put(f, `"anyOf":`)
		}
		s.open(inList)
		return
	case key == "additionalProperties":
		f.closed = true
		if value != "false" {
			s.put(f, `"additionalProperties":false`)
			s.drop(f)
			return
		}
	case key == "$ref" && len(s.frames) > 1: // a $ref at the root has the definitions beside it, which stay
		s.cut = s.cut || f.kept > 0
		s.dst, s.names = s.dst[:f.start], s.names[:f.names]
		f.kept, f.only = 0, true
	}
	s.keep(f)
	switch {
	case key == "type":
		f.object = f.object || HasType(value, `"object"`)
	case key == "required" && kind == jsonr.Array:
		f.required = len(s.dst)
	case key == "properties" && kind == jsonr.Object:
		f.object = true
		s.open(properties)
		return
	case (key == "$defs" || key == "definitions") && kind == jsonr.Object:
		s.open(byName)
		return
	case key == "items":
		s.schema(f)
		return
	}
	s.value(f)
}

// requireAll adds the properties of an object that are not required to its list of required names, behind those that are.
func (s *subset) requireAll(f *frame) {
	names := s.names[f.names:]
	if len(names) == 0 {
		return
	}
	if f.required == 0 {
		s.put(f, `"required":[`)
		f.required = len(s.dst) - 1
		s.dst = append(s.dst, ']')
	}
	tail := s.dst[f.required:]
	r := jsonr.NewReader(unsafe.String(unsafe.SliceData(tail), len(tail)))
	size := len(r.Value())
	listed := map[jsonw.Raw]bool{}
	r = jsonr.NewReader(unsafe.String(unsafe.SliceData(tail), size))
	for r.OpenArray(); r.Element(); {
		listed[r.Value()] = true
	}
	var more []byte
	for _, name := range names {
		if listed[name] {
			continue
		}
		if len(listed) > 0 {
			more = append(more, ',')
		}
		listed[name] = true
		more = append(more, name...)
	}
	if more != nil {
		s.cut = true
		end := f.required + size - 1
		s.dst = append(s.dst, more...) // makes room; the bytes are moved below
		copy(s.dst[end+len(more):], s.dst[end:])
		copy(s.dst[end:], more)
	}
}

// isTaken reports whether strict modes take a keyword with this value, as it is or in another form.
func isTaken(key string, value jsonw.Raw) bool {
	text, ok := jsonr.Text(value)
	switch key {
	case "format":
		return ok && TakesFormat(text)
	case "pattern":
		return ok && isPlainPattern(jsonw.Unescape(text))
	case "minItems":
		return value == "0" || value == "1"
	}
	return strings.Contains(keywords, ","+key+",")
}

// TakesFormat reports whether strict modes know a format of strings.
func TakesFormat(format jsonw.Escaped) bool { return strings.Contains(formats, ","+string(format)+",") }

// isPlainPattern reports whether a regular expression has nothing that strict modes can't follow: lookaround, references to
// groups, word boundaries, \0 (FAULTS 67).
func isPlainPattern(p string) bool {
	for i := 0; i+1 < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
			if c := p[i]; '0' <= c && c <= '9' || c == 'b' || c == 'B' || c == 'k' {
				return false
			}
		case '(':
			if p[i+1] == '?' && !strings.HasPrefix(p[i:], "(?:") {
				return false
			}
		}
	}
	return true
}
