package passing

import (
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Check returns nil if a client's body is JSON in UTF-8. The error is the client's fault.
func Check(body []byte) error {
	_, err := check(body)
	return err
}

// Mend does the same as Check, and returns body with U+FFFD instead of half a surrogate pair in a
// string. A client that cuts a text inside an emoji sends such a half, and keeps it in its history.
// Anthropic rejects the whole request ("The request body is not valid JSON: no low surrogate in
// string", anthropics/claude-code#2108), and so do OpenAI and Google. Without such a half, the
// result is body itself, not a copy.
func Mend(body []byte) ([]byte, error) {
	surrogates, err := check(body)
	if err == nil && surrogates {
		body = jsonw.WithoutHalves(body)
	}
	return body, err
}

func check(body []byte) (surrogates bool, err error) {
	s := view(body)
	if !utf8.ValidString(s) {
		return false, &ir.Error{Kind: ir.InvalidRequest, Message: "The request body is not valid UTF-8."}
	}
	if surrogates, err = jsonr.CheckSurrogates(s); err != nil {
		return false, &ir.Error{Kind: ir.InvalidRequest, Message: "The request body is " + err.Error() + "."}
	}
	return surrogates, nil
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
