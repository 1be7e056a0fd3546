package textcalls

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// quotes searches the conversation for the text of a mark. When a model repeats a file or a web
// page to the user, it repeats the calls in the document too, and these are not the model's own.
// The document may be anywhere: in a tool's result, in the user's or the system prompt's text, in
// the model's earlier text, or in a file written by the model. Earlier calls made by the model are
// in the conversation without marks, so they don't match. The search ignores space and any number
// of levels of JSON escapes, as in the result of a tool that wraps a fetched document.
type quotes struct {
	messages []ir.Message
	searched int    // how many bytes were searched for this answer
	sought   []byte // the text of the mark, folded
	window   []byte // the part of a message being searched, folded
}

const (
	maxSearched = 64 << 20 // bytes searched for one answer; beyond, each call counts as quoted
	// bytes of folded text searched at once, plus an overlap for a text that continues
	windowSize = 16 << 10
)

// hold reports whether the conversation contains text.
func (q *quotes) hold(text ir.Escaped) bool {
	q.sought = q.sought[:0]
	for rest := text; rest != ""; {
		q.sought, rest = fold(q.sought, rest)
	}
	for i := range q.messages {
		if q.in(q.messages[i].Content) {
			return true
		}
	}
	return false
}

// in reports whether contents contain the sought text.
func (q *quotes) in(contents []ir.Content) bool {
	for i := range contents {
		c := &contents[i]
		for _, text := range [...]ir.Escaped{c.Text, c.Source.Text, ir.Escaped(c.Input), ir.Escaped(c.Raw)} {
			if q.inText(text) {
				return true
			}
		}
		if q.in(c.Parts) {
			return true
		}
	}
	return false
}

// inText reports whether text contains the sought text.
func (q *quotes) inText(text ir.Escaped) bool {
	if q.searched += len(text); q.searched > maxSearched {
		return true
	}
	sought := string(jsonw.View(q.sought))
	q.window = q.window[:0]
	for text != "" {
		q.window, text = fold(q.window, text)
		if len(q.window) < windowSize+2*len(sought) && text != "" {
			continue
		}
		if strings.Contains(string(jsonw.View(q.window)), sought) {
			return true
		}
		keep := min(len(q.window), len(sought))
		q.window = append(q.window[:0], q.window[len(q.window)-keep:]...)
	}
	return false
}

// fold appends the first characters of e in folded form, and returns the rest of e. It reads at
// least one character. Folding drops space, the backslashes of escapes, however many, and the
// letters of escaped line breaks and tabs.
func fold(dst []byte, e ir.Escaped) (folded []byte, rest ir.Escaped) {
	n := 0
	for n < len(e) && n < windowSize && e[n] != '\\' {
		if e[n] != ' ' && e[n] != '\n' && e[n] != '\r' && e[n] != '\t' {
			dst = append(dst, e[n])
		}
		n++
	}
	if n > 0 {
		return dst, e[n:]
	}
	for n < len(e) && e[n] == '\\' {
		n++
	}
	if n == len(e) {
		return dst, ""
	}
	switch e[n] {
	case 'n', 'r', 't':
		return dst, e[n+1:]
	case 'u':
		if char, width := jsonw.UnicodeEscape(e[n-1:]); width > 0 {
			if char > ' ' && char != '\\' {
				dst = utf8.AppendRune(dst, char)
			}
			return dst, e[n-1+width:]
		}
	}
	return append(dst, e[n]), e[n+1:]
}
