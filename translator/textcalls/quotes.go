package textcalls

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// quotes searches the conversation for the text of a mark. A model that repeats a file or a web
// page to the user repeats the calls in it too, and these are not the model's own. Such a document
// may stand anywhere: in a tool's result, in what the user or the system prompt says, in what the
// model has said or written to a file before. A call that was made stands there in no mark. It is
// found with other space too, and escaped for JSON any number of times, as in the result of a tool
// that wraps what it has fetched.
type quotes struct {
	messages []ir.Message
	searched int    // how many bytes have been searched for the answer
	sought   []byte // the text, folded
	window   []byte // the part of a message that is searched, folded
}

const (
	maxSearched = 64 << 20 // bytes that are searched for one answer. Behind them a call counts as quoted
	// bytes of folded text that are searched at once, beside those in which a text may go on
	windowSize = 16 << 10
)

// hold reports whether the conversation holds a text.
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

// in reports whether contents hold the text.
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

// inText reports whether one text holds the one that is sought.
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

// fold appends the first characters of e, and returns the rest: at least one character is taken.
// Space is left out, and so are the backslashes of escapes, however many there are, and the letters
// of line breaks and tabs behind them.
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
