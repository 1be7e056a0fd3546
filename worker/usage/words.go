package usage

import (
	"strings"
	"unicode/utf8"

	"edgelingua/worker/keyforms"
)

// mostWords is how much of an error Words reads, in bytes.
const mostWords = 1024

// mostQuoted is the length of the longest quotation that Words keeps, in bytes: enough for the name
// of a field or a model.
const mostQuoted = 64

// opening has the marks that open a quotation. closing has, at the same index, the marks that close
// it.
var (
	opening = [...]string{`"`, "'", "`", "“", "‘", "„", "«", "「", "『", "{", "["}
	closing = [...]string{`"`, "'", "`", "”", "’", "“”", "»", "」", "』", "}", "]"}
)

// Words returns an error's message for the request log, shortened and without contents. An upstream
// may quote the conversation, so Words replaces quotations that are long or are not a name by "…",
// and keys of known forms. Any secrets of the upstream must already be redacted.
func Words(message string) string {
	var out strings.Builder
	message = strings.ToValidUTF8(message[:min(len(message), mostWords)], "")
	message = keyforms.Mask(message, "…")
	for message != "" {
		at, mark := firstOf(message, opening[:])
		if at < 0 {
			break
		}
		out.WriteString(message[:at])
		open := opening[mark]
		message = message[at+len(open):]
		if open == "'" && endsInWord(out.String()) { // an apostrophe
			out.WriteString(open)
			continue
		}
		end := endOf(message, closing[mark])
		if end < 0 {
			return out.String() + "…"
		}
		quoted := message[:end]
		_, size := utf8.DecodeRuneInString(message[end:])
		shut := message[end : end+size]
		message = message[end+size:]
		if len(quoted) > mostQuoted || strings.ContainsFunc(quoted, isNoName) {
			quoted = "…"
		}
		out.WriteString(open + quoted + shut)
	}
	return out.String() + message
}

// firstOf returns the position of the first of marks in a text, and the mark's index in marks.
// Without a mark the position is -1.
func firstOf(text string, marks []string) (at, mark int) {
	at = -1
	for i, m := range marks {
		if n := strings.Index(text, m); n >= 0 && (at < 0 || n < at) {
			at, mark = n, i
		}
	}
	return at, mark
}

// endOf returns the position of the first of marks in a text, skipping apostrophes within a word,
// or -1.
func endOf(text, marks string) int {
	for from := 0; ; {
		end := strings.IndexAny(text[from:], marks)
		if end < 0 {
			return -1
		}
		end += from
		_, size := utf8.DecodeRuneInString(text[end:])
		from = end + size
		behind, _ := utf8.DecodeRuneInString(text[from:])
		if marks != "'" && marks != "’" || !endsInWord(text[:end]) || !isLetter(behind) {
			return end
		}
	}
}

// isNoName reports whether a character never occurs in the names of fields and models. Spaces would
// not be enough to recognize prose: texts in Chinese have none.
func isNoName(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\'' || r == '`' }

func endsInWord(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return isLetter(last)
}

// isLetter reports whether a character is a letter of a script with spaces between words.
func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' || r >= 0x80 && r < 0x2000 }
