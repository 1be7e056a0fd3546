package js

import (
	"strings"
	"unicode/utf8"
)

// Decode turns bytes into a string as a TextDecoder does: a leading byte order mark is dropped, and
// each maximal part of an ill-formed sequence becomes U+FFFD (Unicode, section 3.9, table 3-8).
func Decode(b []byte) string {
	if len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF {
		b = b[3:]
	}
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = illFormed(b)
		}
		s.WriteRune(r)
		b = b[size:]
	}
	return s.String()
}

// illFormed returns how many of the ill-formed bytes at the start of b become one U+FFFD.
func illFormed(b []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch lead := b[0]; {
	case 0xC2 <= lead && lead <= 0xDF:
		more = 1
	case 0xE0 <= lead && lead <= 0xEF:
		more = 2
		if lead == 0xE0 {
			low = 0xA0
		}
		if lead == 0xED {
			high = 0x9F
		}
	case 0xF0 <= lead && lead <= 0xF4:
		more = 3
		if lead == 0xF0 {
			low = 0x90
		}
		if lead == 0xF4 {
			high = 0x8F
		}
	}
	size := 1
	for ; size <= more && size < len(b) && low <= b[size] && b[size] <= high; size++ {
		low, high = 0x80, 0xBF
	}
	return size
}
