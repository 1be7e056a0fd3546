package passing

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/jsonw"
)

// reading is a text with some layers of escapes undone.
type reading struct {
	text    string
	buf     []byte  // the bytes of text, if no other reading shares them
	offsets []int32 // the offset in the original text of each byte, and of the end; nil: text is the original
}

// offset returns the offset of byte i in the original text.
func (v *reading) offset(i int) int {
	if v.offsets == nil {
		return i
	}
	return int(v.offsets[i])
}

// undo undoes one layer of escapes with the first byte lead, and reports whether there was one.
// decode appends the meaning of the escape at the beginning of s, which is shorter than the escape,
// and returns the escape's width. The width is 0 if s begins with no escape, and len(s) if the end
// of s cuts the escape off.
func (v *reading) undo(lead byte, decode func(dst []byte, s string) (out []byte, width int)) (found bool) {
	first := strings.IndexByte(v.text, lead)
	if first < 0 {
		return false
	}
	if v.buf == nil {
		v.buf = []byte(v.text)
		offsets := make([]int32, len(v.buf)+1)
		for i := range offsets {
			offsets[i] = int32(v.offset(i))
		}
		v.text, v.offsets = view(v.buf), offsets
	}
	// The output overwrites bytes that have been read already.
	end := v.offsets[len(v.buf)]
	out, offsets := v.buf[:first], v.offsets[:first]
	for i := first; i < len(v.text); {
		c, begin, width := v.text[i], v.offsets[i], 0
		if c == lead {
			out, width = decode(out, v.text[i:])
		}
		if width == 0 {
			out, width = append(out, c), 1
		} else {
			found = true
		}
		for len(offsets) < len(out) {
			offsets = append(offsets, begin)
		}
		i += width
	}
	v.buf, v.text, v.offsets = out, view(out), append(offsets, end)
	return found
}

// appendJSON decodes an escape of JSON, for undo.
func appendJSON(dst []byte, s string) (out []byte, width int) {
	e := jsonw.Escaped(s)
	if len(e) > 1 && e[1] == 'u' {
		r, width := jsonw.UnicodeEscape(e)
		if width == 0 {
			return dst, cutOff(s, len(`\u0000`))
		}
		return utf8.AppendRune(dst, r), width
	}
	if unit, width := jsonw.UnitAt(e); width > 1 {
		return append(dst, byte(unit)), width
	}
	return dst, cutOff(s, 2)
}

// appendPercent decodes a percent-encoded byte (RFC 3986, 2.1), for undo.
func appendPercent(dst []byte, s string) (out []byte, width int) {
	if len(s) < 3 {
		return dst, cutOff(s, 3)
	}
	high, low := digit(s[1]), digit(s[2])
	if high > 15 || low > 15 {
		return dst, 0
	}
	return append(dst, high<<4|low), 3
}

// maxReference limits a character reference of HTML, in bytes.
const maxReference = len("&#x0010FFFF;")

// appendReference decodes a character reference of HTML, for undo: by number, or by one of the five
// names in XML.
func appendReference(dst []byte, s string) (out []byte, width int) {
	end := strings.IndexByte(s[:min(len(s), maxReference)], ';')
	if end < 0 {
		return dst, cutOff(s, maxReference)
	}
	name := s[1:end]
	switch name {
	case "amp":
		return append(dst, '&'), end + 1
	case "lt":
		return append(dst, '<'), end + 1
	case "gt":
		return append(dst, '>'), end + 1
	case "quot":
		return append(dst, '"'), end + 1
	case "apos":
		return append(dst, '\''), end + 1
	}
	if len(name) < 2 || name[0] != '#' {
		return dst, 0
	}
	base, digits := rune(10), name[1:]
	if digits[0] == 'x' || digits[0] == 'X' {
		base, digits = 16, digits[1:]
	}
	r := rune(0)
	for i := range len(digits) {
		d := rune(digit(digits[i]))
		if d >= base || r > utf8.MaxRune {
			return dst, 0
		}
		r = r*base + d
	}
	return utf8.AppendRune(dst, r), end + 1
}

// digit returns the value of a hexadecimal digit, or 255 for any other byte.
func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// cutOff returns len(s) if s is the beginning of an escape of the given width, cut off by the end
// of the text. Otherwise it returns 0.
func cutOff(s string, width int) int {
	if len(s) >= width {
		return 0
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; c != '#' && digit(c) > 15 && (c|0x20 < 'a' || c|0x20 > 'z') {
			return 0
		}
	}
	return len(s)
}
