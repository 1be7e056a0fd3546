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
	// Text is copied from input to output unseen, and servers cut characters in two, llama.cpp at
	// the ends of its buffers (ggml-org/llama.cpp#28926). Browsers and SDKs show U+FFFD for such a
	// byte. The replacement comes last, since the halves have met by then in a whole answer.
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
