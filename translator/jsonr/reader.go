package jsonr

import (
	"edgelingua/translator/jsonw"
)

// Kind is the kind of a JSON value.
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

// Name returns the kind for people, such as "a string"; "" for Missing.
func (k Kind) Name() string {
	return [...]string{"", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// KindOf returns the kind of a checked value, or Missing for "".
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

// Text returns the inside of a string value, as a view of v. For any other kind it returns "" and
// false.
//
//go:noinline
func Text(v jsonw.Raw) (e jsonw.Escaped, ok bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	return jsonw.Escaped(v[1 : len(v)-1]), true
}

// Int returns the value of an integer of at most 18 digits, such as 1, -7 or 2048. For any other
// value, including 1.0 and 1e3, ok is false.
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
// If the loop body does not read a value, the value is skipped. Values and keys are views of the
// text, except for a key with an escape. On text that Check did not accept, a Reader may end early
// or return nonsense, but neither panics nor loops forever.
type Reader struct {
	trace
	s       string
	i       int     // the position in the text, unless tokens is set
	key     string  // of the current member
	tokens  []token // of an Index, or nil
	at      int32   // the position in tokens
	pending bool    // the next value was not read yet
	empty   bool    // OpenObject or OpenArray met a value of another kind
}

// NewReader returns a Reader at the value s.
func NewReader(s string) Reader {
	return Reader{s: s, i: skipSpace(s, 0), pending: true}
}

// NewElements returns a Reader inside an array, before its first element. s has the array's
// elements without the brackets.
func NewElements(s string) Reader {
	return Reader{s: s, i: skipSpace(s, 0)}
}

// Kind returns the kind of the next value, without reading the value.
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

// Value reads and returns the next value.
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

// Here returns a second Reader at the next value, and skips the value in r. It is for a value whose
// meaning depends on later members.
func (r *Reader) Here() Reader {
	if r.tokens == nil {
		return NewReader(string(r.Value()))
	}
	here := *r
	here.pending = true
	r.Value()
	return here
}

// Copy returns a Reader that reads on in the same container, while r does not move.
func (r *Reader) Copy() Reader {
	c := *r
	c.trace.copy()
	return c
}

// Offset returns the position in the text: the start of the next value, or the end of the last
// value read.
func (r *Reader) Offset() int { return r.i }

// OpenObject enters the next value, an object. A value of another kind is skipped, and appears to
// have no members.
func (r *Reader) OpenObject() { r.open(Object) }

// OpenArray enters the next value, an array. A value of another kind is skipped, and appears to
// have no elements.
func (r *Reader) OpenArray() { r.open(Array) }

func (r *Reader) open(container Kind) {
	r.trace.open()
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

// Member moves to the next member of the innermost open object. After the last member it leaves the
// object and returns false.
func (r *Reader) Member() bool {
	r.trace.next()
	if !r.next('}') {
		r.trace.close()
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

// Key returns the unescaped key of the current member.
func (r *Reader) Key() string { return r.key }

// Element moves to the next element of the innermost open array. After the last element it leaves
// the array and returns false.
//
//go:noinline
func (r *Reader) Element() bool {
	r.trace.next()
	if !r.next(']') {
		r.trace.close()
		return false
	}
	r.pending = true
	return true
}

// Len returns the number of elements of the next value, an array, without moving the Reader.
func (r Reader) Len() (n int) {
	if r.Kind() != Array {
		return 0
	}
	for r.OpenArray(); r.Element(); n++ {
	}
	return n
}

// next skips the rest of the last value and a comma. At the container's closing bracket it leaves
// the container and returns false.
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

// nextToken implements next for an Index.
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

// skip moves past the value at i.
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

// skipString returns the offset after the closing quote. i is the offset after the opening quote.
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

// skipContainer returns the offset after the bracket that closes the container at i.
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
