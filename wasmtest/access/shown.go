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

// shown replaces what a terminal would not show as a character of its own: control characters, with
// which a peer could move the cursor, and format characters as U+202E, with which it could make a
// line read as another one.
func shown(r rune) rune {
	if unicode.IsGraphic(r) {
		return r
	}
	return '?'
}

// escaped returns a line of JSON in which escapes stand for what shown replaces. That can only be
// in strings.
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

// Text returns a text that may hold what a peer has sent as a terminal can show it. Its lines and
// tabs stay.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return shown(r)
	}, s)
}

// Shown returns a writer that writes the Text of what it gets to out.
func Shown(out io.Writer) io.Writer { return &terminal{out} }

type terminal struct{ out io.Writer }

func (t *terminal) Write(p []byte) (n int, err error) {
	if _, err := io.WriteString(t.out, Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
