package translator

import "unicode/utf8"

// appendValid appends text with U+FFFD in place of each byte that is not UTF-8. Codex ends a stream at such a byte
// (e2e/pairs/faults.test.mjs).
func appendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, width := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[width:]
	}
	return dst
}

// Valid returns text itself where it is UTF-8, else a copy with U+FFFD in place of each byte that is not.
func Valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return appendValid(make([]byte, 0, len(text)+len(text)/8), text)
}
