package search

import (
	"strings"
	"unicode/utf8"
)

// plain returns a text of at most max bytes, cut at a character, with single spaces and line
// breaks. Control characters, Invisible characters and invalid UTF-8 are left out.
func plain(text string, max int) string {
	var b strings.Builder
	b.Grow(min(len(text), max))
	gap := byte(0) // white space before the next character
	for _, r := range text {
		switch {
		case r == '\n':
			gap = '\n'
			continue
		case r <= ' ' || r >= 0x7f && r <= 0xa0 || r == 0x2028 || r == 0x2029:
			if gap == 0 {
				gap = ' '
			}
			continue
		case Invisible(r):
			continue
		}
		if b.Len() == 0 {
			gap = 0
		}
		size := utf8.RuneLen(r)
		if gap != 0 {
			size++
		}
		if b.Len()+size > max {
			break
		}
		if gap != 0 {
			b.WriteByte(gap)
		}
		gap = 0
		b.WriteRune(r)
	}
	return b.String()
}

// Invisible reports whether a character reverses the direction of text, has no width, or is no
// character: a model would read what people do not see.
func Invisible(r rune) bool {
	return r == utf8.RuneError || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e ||
		r >= 0x2060 && r <= 0x206f || r == 0xfeff ||
		r >= 0xe0000 && r <= 0xe007f
}

// unmarked returns a text of Brave's as plain text. Brave's titles and descriptions are HTML with
// these entities, and with <strong> around the search terms if Brave ignores text_decorations.
func unmarked(text string) string {
	for _, tag := range [...]string{"<strong>", "</strong>"} {
		text = strings.ReplaceAll(text, tag, "")
	}
	if strings.Contains(text, "&") {
		for _, e := range [...][2]string{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#x27;", "'"},
			{"&#39;", "'"}, {"&nbsp;", " "},
			{"&amp;", "&"}} {
			text = strings.ReplaceAll(text, e[0], e[1])
		}
	}
	return text
}
