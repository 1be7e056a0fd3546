package ir

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

const (
	farthest = 2  // most edits between a mistyped word and the known word
	longest  = 32 // known words of this length or more are never suggested
	short    = 8  // known words of fewer characters have at most one edit
	shortest = 3  // known words of fewer characters are never suggested
)

// Meant returns the word of known that is most similar to value, ignoring case, or "" if no word is
// near or value is a word of known. An edit inserts, deletes or replaces a character, or swaps two
// neighbors. known is a list for people: other characters than letters, digits and _-./:@ separate
// its words.
//
//go:noinline
func Meant(value, known string) string {
	meant, least := "", farthest+1
	for known != "" {
		n := 0
		for n < len(known) && isOfWord(known[n]) {
			n++
		}
		word := known[:n]
		known = known[min(n+1, len(known)):]
		if word == value {
			return ""
		}
		if n < shortest || word == "and" || n >= longest {
			continue
		}
		if d := edits(value, word); d < least && (d < farthest || n >= short) {
			meant, least = word, d
		}
	}
	return meant
}

func isOfWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '-' <= c && c <= ':' || c == '_' || c == '@'
}

// edits returns the number of edits between two words (optimal string alignment), or a number
// greater than farthest if their lengths differ more. b has fewer than longest characters.
func edits(a, b string) int {
	if len(a) > len(b)+farthest || len(b) > len(a)+farthest {
		return farthest + 1
	}
	var rows [3][longest]int // the rows of the last two characters of a, and the current one
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		older, last, row := &rows[(i+2)%3], &rows[i%3], &rows[(i+1)%3]
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if lowered(a[i]) != lowered(b[j]) {
				replaced++
			}
			row[j+1] = min(replaced, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && lowered(a[i]) == lowered(b[j-1]) && lowered(a[i-1]) == lowered(b[j]) {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

// DidYouMean returns the sentence for an error about an unknown word, with a space before it, or ""
// if no word of known is near.
func DidYouMean(value, known string) string {
	if meant := Meant(value, known); meant != "" {
		return " Did you mean '" + meant + "'?"
	}
	return ""
}

// WrongValue returns the sentences for an error about a wrong value v, with a space before them: what the
// value is, cut to 64 bytes, and a near word of known. Objects and arrays are named by their kind.
// The result is "" for a missing value. WrongValue is for numbers, flags and words of a list. A value
// that may be a secret is never shown: see WrongKind.
//
//go:noinline
func WrongValue(v Raw, known string) string {
	kind := jsonr.KindOf(v)
	switch kind {
	case jsonr.Missing:
		return ""
	case jsonr.String:
		text, _ := jsonr.Text(v)
		word := jsonw.Unescape(text)
		shown := strings.ToValidUTF8(Shortened(word), "")
		if len(shown) < len(word) {
			shown += "…"
		}
		return " Found '" + shown + "'." + DidYouMean(word, known)
	case jsonr.Object, jsonr.Array:
		return WrongKind(kind)
	}
	return " Found " + Shortened(string(v)) + "."
}

// WrongKind is WrongValue for a value that must not be shown.
func WrongKind(kind jsonr.Kind) string {
	if kind == jsonr.Missing {
		return ""
	}
	return " Found " + kind.Name() + "."
}
