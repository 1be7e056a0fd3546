// Package jsonr reads JSON whose strings must stay as they are written.
//
// Check validates a text, without recursion. JSON from outside must pass it before anything else in
// the translator looks at it. Reader walks over checked JSON in one pass and hands out views of it.
// It never unescapes and never allocates, but for a key with an escape: gjson unescapes every
// string that it passes, with two allocations for each string that has an escape.
package jsonr

import (
	"errors"
	"strconv"

	"edgelingua/translator/scan"
)

// MaxDepth is how deep arrays and objects may nest. What recurses over them runs on a goroutine's
// stack of 8 to 16 KB on wasm.
const MaxDepth = 128

// ErrDepth is returned for a value that nests deeper than MaxDepth.
var ErrDepth = errors.New("JSON that is nested deeper than " + strconv.Itoa(MaxDepth))

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int // of the first byte that can't stand there; the length of the text where it ends too early
}

// Error names the offset.
func (e *SyntaxError) Error() string {
	return "not JSON at offset " + strconv.Itoa(e.Offset)
}

// Check returns nil where s is exactly one JSON value by RFC 8259, with space around it allowed,
// nested at most MaxDepth deep; else ErrDepth or a *SyntaxError. Escapes, numbers and control
// characters are checked; UTF-8 in strings is not. It makes one pass, and allocates nothing but the
// error.
func Check(s string) error { return check(s, nil) }

// check does what Check does, and notes the tokens in x, unless that is nil.
func check(s string, x *Index) error {
	var objects [MaxDepth / 64]uint64 // bit d-1: the container at depth d is an object
	depth, object := 0, false         // object: the innermost one is
	i := 0
value:
	i = skipSpace(s, i)
	if i == len(s) {
		return &SyntaxError{i}
	}
	switch c := s[i]; c {
	case '{', '[':
		if depth == MaxDepth {
			return ErrDepth
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
		n, _, ok := checkString(s, i+1)
		if !ok {
			return &SyntaxError{n}
		}
		if x != nil {
			x.add(i, n)
		}
		i = n
	case 't', 'f', 'n':
		n, ok := checkWord(s, i)
		if !ok {
			return &SyntaxError{n}
		}
		if x != nil {
			x.add(i, n)
		}
		i = n
	default:
		n, ok := checkNumber(s, i)
		if !ok {
			return &SyntaxError{n}
		}
		if x != nil {
			x.add(i, n)
		}
		i = n
	}

after: // a value
	i = skipSpace(s, i)
	if depth == 0 {
		if i < len(s) {
			return &SyntaxError{i}
		}
		return nil
	}
	if i == len(s) {
		return &SyntaxError{i}
	}
	if !object {
		switch s[i] {
		case ',':
			i++
			goto value
		case ']':
			goto end
		}
		return &SyntaxError{i}
	}
	switch s[i] {
	case ',':
		i = skipSpace(s, i+1)
		goto key
	case '}':
		goto end
	}
	return &SyntaxError{i}

key:
	if i == len(s) || s[i] != '"' {
		return &SyntaxError{i}
	}
	if n, escaped, ok := checkString(s, i+1); ok {
		if x != nil {
			x.addKey(i, n, escaped)
		}
		i = skipSpace(s, n)
	} else {
		return &SyntaxError{n}
	}
	if i == len(s) || s[i] != ':' {
		return &SyntaxError{i}
	}
	i++
	goto value

end: // of a container, at its bracket
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

// skipSpace returns the offset of the first byte from i on that is not space.
func skipSpace(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			break
		}
		i++
	}
	return i
}

// short is how many bytes of a string are read one by one. Most strings are keys, ids and words:
// they end before it would pay to read eight bytes at once.
const short = 24

// plain returns the offset of the first byte from i on that is a quote, a backslash or a control
// character, or the length of s.
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

// checkString reads a string from behind its opening quote. end is the offset behind the closing
// one; where ok is false, that of the first byte that can't stand there.
func checkString(s string, i int) (end int, escaped, ok bool) {
	for near := i + short; i < len(s); {
		if i >= near {
			if i = plain(s, i); i == len(s) {
				break
			}
		}
		c := s[i]
		switch {
		case c == '"':
			return i + 1, escaped, true
		case c < ' ':
			return i, escaped, false
		case c != '\\':
			i++
			continue
		}
		escaped = true
		i++
		if i == len(s) {
			return i, escaped, false
		}
		switch s[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			i++
			for end := i + 4; i < end; i++ {
				if i == len(s) || !isHex(s[i]) {
					return i, escaped, false
				}
			}
		default:
			return i, escaped, false
		}
	}
	return i, escaped, false
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
