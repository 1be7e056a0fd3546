// Package jsonw writes JSON by appending to byte slices.
//
// Text that is already escaped, text that is not, and whole JSON values have types of their own
// (Escaped, string, Raw), so that escaping twice, or not at all, does not compile. All Append
// functions return the extended slice and keep no reference to what they were given. The caller
// writes braces, commas and fixed keys by itself.
package jsonw

import (
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Escaped is the inside of a JSON string literal without its quotes, still escaped.
type Escaped string

// Raw is one complete JSON value, byte for byte.
type Raw string

// View returns b as text without a copy. The text is good until b changes.
func View(b []byte) Escaped {
	return Escaped(unsafe.String(unsafe.SliceData(b), len(b)))
}

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string literal. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendText(dst, s)
	return append(dst, '"')
}

// AppendText appends s as AppendString does, without the quotes.
func AppendText(dst []byte, s string) []byte {
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[done:i]...)
				dst = append(dst, "\uFFFD"...)
				done = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		dst = appendEscape(dst, c)
		i++
		done = i
	}
	return append(dst, s[done:]...)
}

// appendEscape appends the escape sequence of one ASCII byte that may not stand in a literal.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// Escape returns s in its escaped form: s itself where nothing needs escaping.
func Escape(s string) Escaped {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return Escaped(AppendText(make([]byte, 0, len(s)+16), s))
		}
	}
	return Escaped(s)
}

// EscapedSize returns how many bytes s has in its escaped form at most, where s is UTF-8.
func EscapedSize(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ':
			n += 5
		case c == '"' || c == '\\':
			n++
		}
	}
	return n
}

// AppendEscaped appends e as a JSON string literal.
func AppendEscaped(dst []byte, e Escaped) []byte {
	dst = append(dst, '"')
	dst = append(dst, e...)
	return append(dst, '"')
}

// AppendTextMember appends lead as it stands, which ends with a member's key and colon (`,"url":`),
// and e as a JSON string literal.
//
//go:noinline
func AppendTextMember(dst []byte, lead string, e Escaped) []byte {
	return AppendEscaped(append(dst, lead...), e)
}

// AppendIntMember appends lead as AppendTextMember does, and n.
//
//go:noinline
func AppendIntMember(dst []byte, lead string, n int64) []byte {
	return strconv.AppendInt(append(dst, lead...), n, 10)
}

// AppendQuotedRaw appends the text of a JSON value as the inside of a string literal, without the
// quotes: from an object to a string that holds it, as the arguments of a call. Line breaks between
// tokens are escaped, nothing is reformatted.
func AppendQuotedRaw(dst []byte, r Raw) []byte {
	return AppendText(dst, string(r))
}

// AppendUnescaped appends the bytes that e stands for: from a string that holds JSON to the JSON.
// Half of a surrogate pair becomes U+FFFD. A malformed escape, which checked JSON does not hold,
// stays as it stands.
func AppendUnescaped(dst []byte, e Escaped) []byte {
	done := 0
	for i := 0; i+1 < len(e); {
		if e[i] != '\\' {
			i++
			continue
		}
		dst = append(dst, e[done:i]...)
		done = i
		switch e[i+1] {
		case '"', '\\', '/':
			dst = append(dst, e[i+1])
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, n := UnicodeEscape(e[i:])
			if n == 0 {
				i += 2
				continue
			}
			dst = utf8.AppendRune(dst, r)
			i += n
			done = i
			continue
		default:
			i += 2
			continue
		}
		i += 2
		done = i
	}
	return append(dst, e[done:]...)
}

// UnicodeEscape reads the \uXXXX that s begins with, or the pair of them that is one character. n
// is how many bytes that took, 0 where the escape is malformed.
func UnicodeEscape(s Escaped) (r rune, n int) {
	r, ok := hex4(s)
	if !ok {
		return 0, 0
	}
	if r < 0xD800 || r > 0xDFFF {
		return r, 6
	}
	if low, ok := hex4(s[6:]); ok && r < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF {
		return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), 12
	}
	return utf8.RuneError, 6
}

// Characters returns the number of characters that s stands for. Of two escapes that are one
// character the first counts and the second does not, so that the counts of the pieces of a text
// add up to the count of the text, wherever it was cut.
func Characters(s Escaped) (n int64) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] == 'u':
			if low, ok := hex4(s[i:]); !ok || low < 0xDC00 || low > 0xDFFF {
				n++
			}
			i += len(`uXXXX`)
		case c == '\\':
			n++
			i++
		case c&0xC0 != 0x80:
			n++
		}
	}
	return n
}

// hex4 reads the four digits of the \uXXXX that s begins with.
func hex4(s Escaped) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for i := 2; i < 6; i++ {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Flatten puts JSON on one line, as the data of an SSE event must be. Line breaks in JSON all stand
// between tokens; they become spaces.
func Flatten(text []byte) {
	for i, c := range text {
		if c == '\n' || c == '\r' {
			text[i] = ' '
		}
	}
}

// AppendFlat appends a JSON value on one line.
func AppendFlat(dst []byte, r Raw) []byte {
	start := len(dst)
	dst = append(dst, r...)
	Flatten(dst[start:])
	return dst
}

// Unescape returns the text that e stands for. Where e holds no escape that is e itself, not a copy.
func Unescape(e Escaped) string {
	for i := 0; i < len(e); i++ {
		if e[i] == '\\' {
			return string(AppendUnescaped(make([]byte, 0, len(e)), e))
		}
	}
	return string(e)
}

// UnitAt returns the UTF-16 unit that the escape sequence at the beginning of e stands for, and in
// how many bytes the sequence is written. A malformed sequence, which checked JSON does not hold,
// stands for its backslash.
func UnitAt(e Escaped) (unit uint16, width int) {
	if len(e) < 2 {
		return '\\', 1
	}
	switch e[1] {
	case '"', '\\', '/':
		return uint16(e[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		if r, ok := hex4(e); ok {
			return uint16(r), 6
		}
	}
	return '\\', 1
}

// IsEscape reports whether e is one escape sequence of JSON.
func IsEscape(e Escaped) bool {
	_, width := UnitAt(e)
	return width > 1 && width == len(e)
}
