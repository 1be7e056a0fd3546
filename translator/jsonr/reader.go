package jsonr

import (
	"edgelingua/translator/jsonw"
)

// Kind is what a JSON value is.
type Kind uint8

const (
	Missing Kind = iota // no value: the end of the text
	Null
	Bool
	Number
	String
	Array
	Object
)

// KindOf returns the kind of a checked value, Missing for "".
func KindOf(v jsonw.Raw) Kind {
	if v == "" {
		return Missing
	}
	return kindOfByte(v[0])
}

func kindOfByte(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Text returns the inside of a string value, a view of v; ok is false, and the text "", for any
// other kind.
//
//go:noinline
func Text(v jsonw.Raw) (e jsonw.Escaped, ok bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	return jsonw.Escaped(v[1 : len(v)-1]), true
}

// Int returns the value of a number that is written as a whole one of at most 18 digits, as 1, -7
// or 2048. ok is false for anything else, also for 1.0 and 1e3.
func Int(v jsonw.Raw) (n int64, ok bool) {
	i, negative := 0, false
	if len(v) > 0 && v[0] == '-' {
		i, negative = 1, true
	}
	if len(v)-i < 1 || len(v)-i > 18 {
		return 0, false
	}
	for ; i < len(v); i++ {
		if !isDigit(v[i]) {
			return 0, false
		}
		n = n*10 + int64(v[i]-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// Reader walks over one JSON value that Check has accepted, in one pass:
//
//	r := jsonr.NewReader(body)
//	for r.OpenObject(); r.Member(); {
//		switch r.Key() {
//		case "model":
//			model = r.Value()
//		case "messages":
//			for r.OpenArray(); r.Element(); { ... }
//		}
//	}
//
// A value that the loop body does not take is passed over. Values and keys are views of the text.
// On text that Check did not accept a Reader ends early, or hands out nonsense, but neither panics
// nor spins.
type Reader struct {
	s       string
	i       int     // where the reader stands in the text, unless tokens says so
	key     string  // of the current member
	tokens  []token // of an Index, nil for none: the reader goes by these
	at      int32   // where the reader stands in tokens
	pending bool    // the reader stands before a value that was not taken
	empty   bool    // what was to be opened is no container of that kind
}

// NewReader returns a Reader that stands before the value that s is.
func NewReader(s string) Reader {
	return Reader{s: s, i: skipSpace(s, 0), pending: true}
}

// NewElements returns a Reader that stands before the first of the elements of an array without its
// brackets, s.
func NewElements(s string) Reader {
	return Reader{s: s, i: skipSpace(s, 0)}
}

// Kind returns the kind of the value that the reader stands before.
func (r *Reader) Kind() Kind {
	if r.tokens != nil {
		r.i = len(r.s)
		if int(r.at) < len(r.tokens) {
			r.i = int(r.tokens[r.at].start)
		}
	}
	if r.i >= len(r.s) {
		return Missing
	}
	return kindOfByte(r.s[r.i])
}

// Value takes the value that the reader stands before.
func (r *Reader) Value() jsonw.Raw {
	if r.tokens != nil {
		if int(r.at) >= len(r.tokens) {
			return ""
		}
		t := &r.tokens[r.at]
		r.at, r.pending = t.next, false
		return jsonw.Raw(r.s[t.start:t.end])
	}
	start := r.i
	r.skip()
	return jsonw.Raw(r.s[start:r.i])
}

// Here returns a Reader that stands before the same value, which r takes: for a value that can only
// be read once all members are known.
func (r *Reader) Here() Reader {
	if r.tokens == nil {
		return NewReader(string(r.Value()))
	}
	here := *r
	here.pending = true
	r.Value()
	return here
}

// Offset returns how much of the text the reader has passed: where the value begins that it stands
// before, or where the one that it took last ends.
func (r *Reader) Offset() int { return r.i }

// OpenObject enters the object that the reader stands before. A value of another kind is taken, and
// has no members.
func (r *Reader) OpenObject() { r.open(Object) }

// OpenArray enters the array that the reader stands before. A value of another kind is taken, and
// has no elements.
func (r *Reader) OpenArray() { r.open(Array) }

func (r *Reader) open(container Kind) {
	if r.Kind() != container {
		r.Value()
		r.empty = true
		return
	}
	r.pending = false
	if r.tokens != nil {
		r.at++
		return
	}
	r.i = skipSpace(r.s, r.i+1)
}

// Member goes to the next member of the object that was entered last, and leaves the object where
// there is none.
func (r *Reader) Member() bool {
	if !r.next('}') {
		return false
	}
	if r.tokens != nil {
		t := &r.tokens[r.at]
		r.key = r.s[t.start+1 : t.end-1]
		if t.next == escapedKey {
			r.key = jsonw.Unescape(jsonw.Escaped(r.key))
		}
		r.at++
		r.pending = true
		return true
	}
	if r.i >= len(r.s) || r.s[r.i] != '"' {
		return r.broken()
	}
	start := r.i + 1
	end, escaped := skipString(r.s, start)
	r.i = end
	r.key = r.s[start:max(start, end-1)]
	if escaped {
		r.key = jsonw.Unescape(jsonw.Escaped(r.key))
	}
	r.i = skipSpace(r.s, r.i)
	if r.i >= len(r.s) || r.s[r.i] != ':' {
		return r.broken()
	}
	r.i = skipSpace(r.s, r.i+1)
	r.pending = true
	return true
}

// Key returns the name of the member that Member went to, unescaped.
func (r *Reader) Key() string { return r.key }

// Element goes to the next element of the array that was entered last, and leaves the array where
// there is none.
//
//go:noinline
func (r *Reader) Element() bool {
	if !r.next(']') {
		return false
	}
	r.pending = true
	return true
}

// Len returns the number of elements of the array that the reader stands before, which stays where
// it is.
func (r Reader) Len() (n int) {
	if r.Kind() != Array {
		return 0
	}
	for r.OpenArray(); r.Element(); n++ {
	}
	return n
}

// next passes over the rest of the last value and the comma. It is false, and the container left,
// at its closing bracket.
func (r *Reader) next(closing byte) bool {
	if r.empty {
		r.empty = false
		return false
	}
	if r.tokens != nil {
		return r.nextToken()
	}
	if r.pending {
		r.skip()
	}
	r.i = skipSpace(r.s, r.i)
	if r.i < len(r.s) && r.s[r.i] == ',' {
		r.i = skipSpace(r.s, r.i+1)
	}
	if r.i >= len(r.s) {
		return false
	}
	if r.s[r.i] == closing {
		r.i++
		return false
	}
	return true
}

// nextToken does so in an Index.
func (r *Reader) nextToken() bool {
	if r.pending {
		r.at = r.tokens[r.at].next
	}
	if int(r.at) >= len(r.tokens) {
		return false
	}
	if r.tokens[r.at].end == 0 {
		r.at++
		r.pending = false
		return false
	}
	return true
}

func (r *Reader) broken() bool {
	r.i = len(r.s)
	return false
}

// skip goes behind the value at i.
func (r *Reader) skip() {
	r.pending = false
	s, i := r.s, r.i
	if i >= len(s) {
		return
	}
	switch s[i] {
	case '"':
		r.i, _ = skipString(s, i+1)
	case '{', '[':
		r.i = skipContainer(s, i)
	default:
		for i++; i < len(s); i++ {
			if c := s[i]; c == ',' || c == '}' || c == ']' || c <= ' ' {
				break
			}
		}
		r.i = i
	}
}

// skipString goes from behind the opening quote to behind the closing one.
func skipString(s string, i int) (end int, escaped bool) {
	for near := i + short; i < len(s); i++ {
		if i >= near {
			if i = plain(s, i); i == len(s) {
				break
			}
		}
		switch s[i] {
		case '"':
			return i + 1, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return len(s), escaped
}

// skipContainer goes from an opening bracket to behind the closing one.
func skipContainer(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i, _ = skipString(s, i+1)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}
