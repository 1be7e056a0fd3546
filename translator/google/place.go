package google

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// MaxHeard bounds the text that is kept for the places of its citations, in bytes. A text that is longer has citations without places.
const MaxHeard = 256 << 10

// Place returns the characters of a text that the bytes from and to stand for, -1 where that is not known. A citation that says which words it
// stands for, which are text then, counts only where these stand, and is looked for otherwise.
func Place(heard []byte, from, to int64, text ir.Escaped) (start, end int64) {
	if len(heard) == 0 || len(heard) > MaxHeard {
		return -1, -1
	}
	said := string(jsonw.View(heard))
	fits := 0 <= from && from < to && to <= int64(len(said)) && utf8.RuneStart(said[from]) && (to == int64(len(said)) || utf8.RuneStart(said[to]))
	if text != "" {
		text := jsonw.Unescape(text)
		if !fits || said[from:to] != text {
			found := strings.Index(said, text)
			from, to, fits = int64(found), int64(found+len(text)), found >= 0
		}
	}
	if !fits {
		return -1, -1
	}
	start = int64(utf8.RuneCountInString(said[:from]))
	return start, start + int64(utf8.RuneCountInString(said[from:to]))
}
