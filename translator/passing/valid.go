package passing

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Check returns nil if a client's body is JSON in UTF-8. The error is the client's fault.
func Check(body []byte) error {
	s := view(body)
	if !utf8.ValidString(s) {
		return &ir.Error{Kind: ir.InvalidRequest, Message: "The request body is not valid UTF-8."}
	}
	if err := jsonr.Check(s); err != nil {
		return &ir.Error{Kind: ir.InvalidRequest, Message: "The request body is " + err.Error() + "."}
	}
	return nil
}

// AppendValid appends text with U+FFFD instead of each byte outside UTF-8. Codex ends a stream at
// such a byte (e2e/pairs/faults.test.mjs).
func AppendValid(dst, text []byte) []byte {
	for len(text) > 0 {
		r, width := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[width:]
	}
	return dst
}

// Valid returns text itself if it is UTF-8, else a copy by AppendValid.
func Valid(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return AppendValid(make([]byte, 0, len(text)+len(text)/8), text)
}
