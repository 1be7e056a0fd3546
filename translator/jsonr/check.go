// Package jsonr reads JSON and leaves strings exactly as written.
//
// Check validates a text, without recursion. JSON from outside must pass Check before any other
// code of the translator reads it. Reader walks over checked JSON in one pass and returns views of
// the text. Reader never unescapes and never allocates, except for a key with an escape. (gjson
// unescapes every string it passes, with two allocations for each string with an escape.)
package jsonr

import (
	"errors"
	"strconv"

	"edgelingua/translator/scan"
)

// MaxDepth is the maximum nesting depth of arrays and objects. Code that recurses over them runs on
// a goroutine's stack of 8 to 16 KB on wasm.
const MaxDepth = 128

// ErrDepth is Check's error for a value nested deeper than MaxDepth.
var ErrDepth = errors.New("nested more than " + strconv.Itoa(MaxDepth) + " levels deep")

// SyntaxError is Check's error for a text that is not JSON.
type SyntaxError struct {
	Offset int // of the first invalid byte, or the length of a text that ends too early
}

// Error returns a message with the offset.
func (e *SyntaxError) Error() string {
	return "not JSON at offset " + strconv.Itoa(e.Offset)
}

// Check returns nil if s is exactly one JSON value (RFC 8259), nested at most MaxDepth deep. Space
// around the value is allowed. Otherwise Check returns ErrDepth or a *SyntaxError. It checks
// escapes, numbers and control characters, but not UTF-8 in strings. It makes one pass and
// allocates only the error.
func Check(s string) error {
	_, err := check(s, nil)
	return err
}

// CheckSurrogates does the same as Check. surrogates reports whether s has an escape of half a
// surrogate pair, such as \ud83d, paired or not: see jsonw.WithoutHalves.
func CheckSurrogates(s string) (surrogates bool, err error) { return check(s, nil) }

// check implements CheckSurrogates, and records the tokens in x unless x is nil.
func check(s string, x *Index) (surrogates bool, err error) {
	var objects [MaxDepth / 64]uint64 // bit d-1: the container at depth d is an object
	depth, object := 0, false         // object: the innermost container is an object
	i := 0
value:
	i = skipSpace(s, i)
	if i == len(s) {
		return surrogates, &SyntaxError{i}
	}
	switch c := s[i]; c {
	case '{', '[':
		if depth == MaxDepth {
			return surrogates, ErrDepth
		}
		if x != nil {
			x.enter(i, depth)
		}
		word, bit := depth/64, uint64(1)<<(depth%64)
		depth++
		i = skipSpace(s, i+1)
		object = c == '{'
		if !object {
			objects[word] &^= bit
			if i < len(s) && s[i] == ']' {
				goto end
			}
			goto value
		}
		objects[word] |= bit
		if i < len(s) && s[i] == '}' {
			goto end
		}
		goto key
	case '"':
		n, escapes, ok := checkString(s, i+1)
		if surrogates = surrogates || escapes == withSurrogates; !ok {
			return surrogates, &SyntaxError{n}
		}
		if x != nil {
			x.add(i, n)
		}
		i = n
	case 't', 'f', 'n':
		n, ok := checkWord(s, i)
		if !ok {
			return surrogates, &SyntaxError{n}
		}
		if x != nil {
			x.add(i, n)
		}
		i = n
	default:
		n, ok := checkNumber(s, i)
		if !ok {
			return surrogates, &SyntaxError{n}
		}
		if x != nil {
			x.add(i, n)
		}
		i = n
	}

after: // after a value
	i = skipSpace(s, i)
	if depth == 0 {
		if i < len(s) {
			return surrogates, &SyntaxError{i}
		}
		return surrogates, nil
	}
	if i == len(s) {
		return surrogates, &SyntaxError{i}
	}
	if !object {
		switch s[i] {
		case ',':
			i++
			goto value
		case ']':
			goto end
		}
		return surrogates, &SyntaxError{i}
	}
	switch s[i] {
	case ',':
		i = skipSpace(s, i+1)
		goto key
	case '}':
		goto end
	}
	return surrogates, &SyntaxError{i}

key:
	if i == len(s) || s[i] != '"' {
		return surrogates, &SyntaxError{i}
	}
	if n, escapes, ok := checkString(s, i+1); ok {
		if surrogates = surrogates || escapes == withSurrogates; x != nil {
			x.addKey(i, n, escapes != noEscapes)
		}
		i = skipSpace(s, n)
	} else {
		return surrogates, &SyntaxError{n}
	}
	if i == len(s) || s[i] != ':' {
		return surrogates, &SyntaxError{i}
	}
	i++
	goto value

end: // the end of a container, at its bracket
	depth--
	if x != nil {
		x.leave(i, depth)
	}
	if depth > 0 {
		object = objects[(depth-1)/64]>>((depth-1)%64)&1 == 1
	}
	i++
	goto after
}

// skipSpace returns the offset of the first non-space byte from i on.
func skipSpace(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			break
		}
		i++
	}
	return i
}

// short is how many bytes at the beginning of a string are read one at a time. Most strings are
// keys, ids and words. They end before reading eight bytes at once would pay off.
const short = 24

// plain returns the offset of the first quote, backslash or control character from i on, or the
// length of s.
func plain(s string, i int) int {
	for i+scan.Width <= len(s) {
		w := scan.Word(s, i)
		if mask := scan.Below(w, ' ') | scan.Equal(w, '"') | scan.Equal(w, '\\'); mask != 0 {
			return i + scan.First(mask)
		}
		i += scan.Width
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// escapes says which escapes a string has.
type escapes uint8

const (
	noEscapes escapes = iota
	withEscapes
	withSurrogates // at least one of half a surrogate pair
)

// checkString reads a string. i is the offset after the opening quote. end is the offset after the
// closing quote, or, if ok is false, the offset of the first invalid byte.
func checkString(s string, i int) (end int, has escapes, ok bool) {
	for near := i + short; i < len(s); {
		if i >= near {
			if i = plain(s, i); i == len(s) {
				break
			}
		}
		c := s[i]
		switch {
		case c == '"':
			return i + 1, has, true
		case c < ' ':
			return i, has, false
		case c != '\\':
			i++
			continue
		}
		has = max(has, withEscapes)
		i++
		if i == len(s) {
			return i, has, false
		}
		switch s[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			i++
			for end := i + 4; i < end; i++ {
				if i == len(s) || !isHex(s[i]) {
					return i, has, false
				}
			}
			if s[i-4]|0x20 == 'd' && s[i-3] >= '8' {
				has = withSurrogates
			}
		default:
			return i, has, false
		}
	}
	return i, has, false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// checkWord reads true, false or null.
func checkWord(s string, i int) (int, bool) {
	word := "true"
	switch s[i] {
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	}
	for k := 0; k < len(word); k++ {
		if i == len(s) || s[i] != word[k] {
			return i, false
		}
		i++
	}
	return i, true
}

// checkNumber reads a number: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
func checkNumber(s string, i int) (int, bool) {
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if n := skipDigits(s, i); n > i {
		i = n
	} else {
		return i, false
	}
	if i < len(s) && s[i] == '.' {
		n := skipDigits(s, i+1)
		if n == i+1 {
			return n, false
		}
		i = n
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		n := skipDigits(s, i)
		if n == i {
			return n, false
		}
		i = n
	}
	return i, true
}

func skipDigits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}
