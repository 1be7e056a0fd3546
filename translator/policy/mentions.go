package policy

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// unavailable replaces a dropped tool's name in a text. It fits where a name would: "use the
// [unavailable] tool", "`[unavailable]`".
const unavailable = "[unavailable]"

// unmentioned returns a text with unavailable instead of the names of the dropped tools.
func unmentioned(text ir.Escaped, drop []string) ir.Escaped {
	for _, name := range drop {
		text = without(text, string(jsonw.Escape(name)))
	}
	return text
}

// without returns a text with unavailable instead of each mention of a tool. Both text and name are
// escaped.
func without(text ir.Escaped, name string) ir.Escaped {
	s := string(text)
	if !strings.Contains(s, name) {
		return text
	}
	b, done := make([]byte, 0, len(s)+len(unavailable)), 0
	for i := 0; ; {
		n := strings.Index(s[i:], name)
		if n < 0 {
			break
		}
		start := i + n
		i = start + len(name)
		if isMention(s[:start], name, s[i:]) {
			b = append(append(b, s[done:start]...), unavailable...)
			done = i
		}
	}
	return jsonw.View(append(b, s[done:]...))
}

// isMention reports whether a word equal to a tool's name means the tool. before and after are the
// text around the word. A name like apply_patch or WebSearch is not an ordinary word and always
// means the tool. Read and Task are English words: they mean the tool in quotes, before a
// parenthesis, next to the word tool, or with a capital in the middle of a sentence or next to a
// letter of another script.
func isMention(before, name, after string) bool {
	if endsInWord(before) || after != "" && isWord(after[0]) {
		return false
	}
	for i := 1; i < len(name); i++ {
		if c := name[i]; c < 'a' || c > 'z' {
			return true
		}
	}
	switch {
	case strings.HasPrefix(after, "("), strings.HasPrefix(after, " tool"), strings.HasSuffix(before,
		"tool "):
		return true
	case before != "" && after != "" && strings.ContainsAny(before[len(before)-1:], "`'\"*") &&
		strings.ContainsAny(after[:1], "`'\\*"):
		return true
	}
	return 'A' <= name[0] && name[0] <= 'Z' && (insideSentence(before) ||
		isBesideForeign(strings.TrimRight(before, " "), strings.TrimLeft(after, " ")))
}

// isBesideForeign reports whether the escaped text before ends, or the escaped text after begins,
// with a letter of another script. In such a text a Latin capital does not begin a sentence.
func isBesideForeign(before, after string) bool {
	const width = len(`\uXXXX`)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if n := len(before) - width; n >= 0 && jsonw.IsEscape(ir.Escaped(before[n:])) {
		unit, _ := jsonw.UnitAt(ir.Escaped(before[n:]))
		last = rune(unit)
	}
	if unit, n := jsonw.UnitAt(ir.Escaped(after)); n == width {
		next = rune(unit)
	}
	return isForeign(last) || isForeign(next)
}

// isForeign reports whether a letter is of another script than Latin: Greek to Khmer and the like,
// or kana, Han and Hangul.
func isForeign(r rune) bool { return 0x370 <= r && r < 0x2000 || 0x3040 < r && r < 0xD800 }

// endsInWord reports whether an escaped text ends with a letter or digit of a word. The letter of
// an escape sequence, as in \n, is none.
func endsInWord(text string) bool {
	n := len(text)
	if n == 0 || !isWord(text[n-1]) {
		return false
	}
	for _, width := range [...]int{len(`\n`), len(`\uXXXX`)} {
		if n >= width && text[n-width] == '\\' && jsonw.IsEscape(ir.Escaped(text[n-width:])) {
			slashes := 0
			for slashes < n-width && text[n-width-1-slashes] == '\\' {
				slashes++
			}
			return slashes%2 == 1
		}
	}
	return true
}

// insideSentence reports whether a capitalized word after the text before is inside a sentence,
// neither its first word nor part of a title: a comma or a word with a small initial precedes the
// capitalized word.
func insideSentence(before string) bool {
	rest := strings.TrimRight(before, " ")
	if len(rest) == len(before) || rest == "" {
		return false
	}
	i := len(rest)
	for endsInWord(rest[:i]) {
		i--
	}
	return rest[len(rest)-1] == ',' || i < len(rest) && 'a' <= rest[i] && rest[i] <= 'z'
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}
