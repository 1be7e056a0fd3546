package translator

import "unicode/utf8"

// appendValid appends text with U+FFFD for each byte of what is not UTF-8. Some clients, Codex one of them, end a stream at such a byte.
func appendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, width := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[width:]
	}
	return dst
}

// valid returns text itself where it is UTF-8, as a rule.
func valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return appendValid(make([]byte, 0, len(text)+len(text)/8), text)
}
