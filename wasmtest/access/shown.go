package access

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// shown replaces characters that a terminal does not show as a character. With control characters a
// peer could move the cursor. With format characters, such as U+202E, a peer could change how a
// line reads.
func shown(r rune) rune {
	if unicode.IsGraphic(r) {
		return r
	}
	return '?'
}

// escaped returns a line of JSON with escapes for all characters that shown replaces. Such
// characters can only be in strings.
func escaped(line []byte) []byte {
	if bytes.IndexFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }) < 0 {
		return line
	}
	var out []byte
	for _, r := range string(line) {
		if unicode.IsGraphic(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// Text returns a text that may come from a peer in a form that is safe on a terminal. Line feeds
// and tabs stay.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return shown(r)
	}, s)
}

// Shown returns a writer that applies Text to everything and writes the result to out.
func Shown(out io.Writer) io.Writer { return &terminal{out} }

type terminal struct{ out io.Writer }

func (t *terminal) Write(p []byte) (n int, err error) {
	if _, err := io.WriteString(t.out, Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
