package page

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/worker/web/search"
)

// Bounds, in bytes.
const (
	MaxPage   = 4 << 20   // of a page as it comes
	UsualText = 100 << 10 // of a page's text, where the client does not say
	mostText  = 400 << 10 // whatever it says
	perToken  = 4         // about how many bytes of text a token is
	maxTitle  = 300
	maxLink   = 2 << 10
)

// cutHere stands behind the text of a page that is longer than it may be.
const cutHere = "\n\n[The page goes on. This is its beginning.]"

// TextFor returns how many bytes of a page's text a client wants that allows so many tokens; 0: it does not say.
func TextFor(tokens int64) int {
	if tokens == 0 {
		return UsualText
	}
	return int(min(tokens, mostText/perToken) * perToken)
}

// Read returns the title and the text of a page, at most max bytes and a note that it goes on, or the code with which it can't be read. kind is its
// content-type. Links are Markdown links with the whole URL. Both are valid UTF-8 without control characters. A page in another charset than UTF-8
// and Windows-1252 can't be read; of one that names no charset, what is not UTF-8 is left out.
func (p *Page) Read(status int, kind string, body []byte) (title, text, code string) {
	kind, parameters, _ := strings.Cut(strings.ToLower(kind), ";")
	kind = strings.TrimSpace(kind)
	switch {
	case status == 429:
		return "", "", ir.SearchTooMany
	case status != 200:
		return "", "", ir.FetchUnreachable
	case len(body) > MaxPage:
		return "", "", ir.FetchTooLarge
	case !isText(kind, body):
		return "", "", ir.FetchUnsupported
	}
	page, ok := decoded(parameters, body)
	if !ok {
		return "", "", ir.FetchUnsupported
	}
	w := writer{max: p.Max}
	if kind == "text/html" || kind == "application/xhtml+xml" || kind == "" && strings.HasPrefix(strings.TrimSpace(page[:min(len(page), 64)]), "<") {
		title = w.html(page, p.URL)
	} else {
		w.keep = true
		w.text(page)
	}
	return title, w.done(), ""
}

// isText reports whether a body of a content-type is text: one without a type is looked at.
func isText(kind string, body []byte) bool {
	switch {
	case kind == "":
		return utf8.Valid(body[:min(len(body), 512)]) || strings.HasPrefix(string(body[:min(len(body), 64)]), "<")
	case strings.HasPrefix(kind, "text/"), kind == "application/xhtml+xml", kind == "application/json", kind == "application/xml",
		kind == "application/javascript", kind == "application/yaml", kind == "application/toml", kind == "application/x-ndjson":
		return true
	}
	return strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") && !strings.HasPrefix(kind, "image/")
}

// writer gathers a page's text: spaces become one, and more than two line breaks two. What is invisible is left out.
type writer struct {
	b     []byte
	max   int
	keep  bool // white space stays: the text is preformatted
	space bool // white space comes before the next word
	lines int  // line breaks come before the next word
	full  bool
}

// text adds text.
func (w *writer) text(s string) {
	for i, r := range s {
		switch {
		case w.full:
			return
		case w.keep && r == '\n':
			w.lines, w.space = min(w.lines+1, 2), false
		case w.keep && (r == ' ' || r == '\t') && w.lines == 0 && !w.space:
			w.rune(r)
		case w.keep && w.lines > 0 && (r == ' ' || r == '\t'):
			w.indent(s[i : i+1])
		case r <= ' ' || r == 0xa0:
			w.space = true
		case r < 0x7f || r > 0x9f && !search.Invisible(r):
			w.rune(r)
		}
	}
}

// indent writes white space at the beginning of a line of preformatted text.
func (w *writer) indent(s string) {
	w.flush()
	w.put(s)
}

// rune adds a character, with the white space before it.
func (w *writer) rune(r rune) {
	w.flush()
	var c [utf8.UTFMax]byte
	w.put(string(c[:utf8.EncodeRune(c[:], r)]))
}

func (w *writer) flush() {
	switch {
	case len(w.b) == 0:
	case w.lines > 0:
		w.put("\n\n"[:w.lines])
	case w.space:
		w.put(" ")
	}
	w.space, w.lines = false, 0
}

func (w *writer) put(s string) {
	if w.full = w.full || len(w.b)+len(s) > w.max; !w.full {
		w.b = append(w.b, s...)
	}
}

// line ends the line, with n line breaks, unless there are as many.
func (w *writer) line(n int) { w.lines = max(w.lines, n) }

// raw adds text that has no white space at its ends, as the marks of Markdown.
func (w *writer) raw(s string) {
	w.flush()
	w.put(s)
}

func (w *writer) done() string {
	if w.full {
		return string(w.b) + cutHere
	}
	return string(w.b)
}
