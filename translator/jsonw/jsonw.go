// Package jsonw writes JSON by appending to byte slices.
//
// Escaped text, plain text and complete JSON values have distinct types (Escaped, string, Raw).
// Escaping twice or not at all therefore does not compile. All Append functions return the extended
// slice and keep no reference to their arguments. The caller writes braces, commas and fixed keys.
package jsonw

import (
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// Escaped is the inside of a JSON string literal, still escaped, without its quotes.
type Escaped string

// Raw is one complete JSON value, byte for byte.
type Raw string

// View returns b as text without a copy. The text is valid until b changes.
func View(b []byte) Escaped {
	return Escaped(unsafe.String(unsafe.SliceData(b), len(b)))
}

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string literal. Each byte that is not valid UTF-8 becomes
// U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendText(dst, s)
	return append(dst, '"')
}

// AppendText appends s as AppendString does, but without the quotes.
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

// appendEscape appends the escape sequence of an ASCII byte that a literal must not contain.
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

// Escape returns the escaped form of s. If nothing needs escaping, the result is s itself, not a
// copy.
func Escape(s string) Escaped {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return Escaped(AppendText(make([]byte, 0, len(s)+16), s))
		}
	}
	return Escaped(s)
}

// EscapedSize returns an upper bound for the size of s in its escaped form, in bytes, if s is valid
// UTF-8.
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

// AppendTextMember appends lead unchanged, then e as a JSON string literal. lead ends with the
// member's key and colon (`,"url":`).
//
//go:noinline
func AppendTextMember(dst []byte, lead string, e Escaped) []byte {
	return AppendEscaped(append(dst, lead...), e)
}

// AppendIntMember appends lead, as AppendTextMember does, then n.
//
//go:noinline
func AppendIntMember(dst []byte, lead string, n int64) []byte {
	return strconv.AppendInt(append(dst, lead...), n, 10)
}

// AppendQuotedRaw appends the text of a JSON value as the inside of a string literal, without the
// quotes. It turns an object into the content of a string, such as the arguments of a call. Line
// breaks between tokens are escaped, and nothing is reformatted.
func AppendQuotedRaw(dst []byte, r Raw) []byte {
	return AppendText(dst, string(r))
}

// AppendUnescaped appends the text of e without escapes. It turns a string that holds JSON into the
// JSON. An unpaired surrogate becomes U+FFFD. A malformed escape, which checked JSON never has, is
// copied unchanged.
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

// UnicodeEscape reads the \uXXXX at the beginning of s, or two of them that form a surrogate pair.
// n is the number of bytes read, or 0 for a malformed escape.
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

// WithoutHalves returns text, which is JSON, with \ufffd instead of each escape of half a surrogate
// pair, such as \ud83d without the other half after it. If there is none, the result is text itself,
// not a copy.
func WithoutHalves(text []byte) []byte {
	copied := false
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		r, n := UnicodeEscape(View(text[i:]))
		if n == len(`\ufffd`) && r == utf8.RuneError {
			if !copied {
				text, copied = append([]byte(nil), text...), true
			}
			copy(text[i:], `\ufffd`)
		}
		i += max(n-1, 1)
	}
	return text
}

// Characters returns the number of characters in the text of s. Of a surrogate pair only the first
// escape counts. The counts of a text's pieces therefore add up to the count of the whole text,
// wherever the text was cut.
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

// hex4 reads the four digits of the \uXXXX at the beginning of s.
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

// Flatten puts JSON on one line, in place, as the data of an SSE event requires. In JSON, line
// breaks occur only between tokens; Flatten replaces them by spaces.
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

// Unescape returns the text of e without escapes. If e has none, the result is e itself, not a
// copy.
func Unescape(e Escaped) string {
	for i := 0; i < len(e); i++ {
		if e[i] == '\\' {
			return string(AppendUnescaped(make([]byte, 0, len(e)), e))
		}
	}
	return string(e)
}

// UnitAt reads the escape sequence at the beginning of e. It returns the sequence's UTF-16 unit and
// its length in bytes. For a malformed sequence, which checked JSON never has, it returns a
// backslash and 1.
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

// IsEscape reports whether e is exactly one well-formed escape sequence of JSON.
func IsEscape(e Escaped) bool {
	_, width := UnitAt(e)
	return width > 1 && width == len(e)
}
