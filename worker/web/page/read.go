package page

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/worker/web/search"
)

// Limits, in bytes.
const (
	MaxPage   = 4 << 20   // of a fetched page
	UsualText = 100 << 10 // of a page's text, if the client sets no limit
	mostText  = 400 << 10 // of a page's text in any case
	perToken  = 4         // bytes of text in a token, about
	maxTitle  = 300
	maxLink   = 2 << 10
)

// cutHere follows the text of a page that is cut at its limit.
const cutHere = "\n\n[The page goes on. This is its beginning.]"

// TextFor returns the limit of a page's text in bytes. tokens is the client's limit in tokens; 0:
// none.
func TextFor(tokens int64) int {
	if tokens == 0 {
		return UsualText
	}
	return int(min(tokens, mostText/perToken) * perToken)
}

// Read returns the title and the text of a page, or the code of the failure. The text has at most
// p.Max bytes, plus a note if it was cut. kind is the page's content-type. Links are Markdown links
// with absolute URLs. Title and text are valid UTF-8 without control characters. A page that names
// a charset other than UTF-8 and Windows-1252 can't be read. If a page names no charset, bytes that
// are not UTF-8 are left out.
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
	if kind == "text/html" || kind == "application/xhtml+xml" ||
		kind == "" && strings.HasPrefix(strings.TrimSpace(page[:min(len(page), 64)]), "<") {
		title = w.html(page, p.URL)
	} else {
		w.keep = true
		w.text(page)
	}
	return title, w.done(), ""
}

// isText reports whether a body with this content-type is text. Without a type, the body's
// beginning decides.
func isText(kind string, body []byte) bool {
	switch {
	case kind == "":
		return utf8.Valid(body[:min(len(body), 512)]) || strings.HasPrefix(string(body[:min(len(body), 64)]),
			"<")
	case strings.HasPrefix(kind, "text/"), kind == "application/xhtml+xml", kind == "application/json",
		kind == "application/xml",
		kind == "application/javascript", kind == "application/yaml", kind == "application/toml",
		kind == "application/x-ndjson":
		return true
	}
	return strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") && !strings.HasPrefix(kind,
		"image/")
}

// writer collects a page's text. Spaces collapse to one, and line breaks to at most two. Invisible
// characters are left out.
type writer struct {
	b     []byte
	max   int
	keep  bool // preformatted text: white space stays
	space bool // a space is due before the next word
	lines int  // line breaks that are due before the next word
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

// indent adds white space at the beginning of a preformatted line.
func (w *writer) indent(s string) {
	w.flush()
	w.put(s)
}

// rune adds a character after the white space that is due.
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

// line ends the line with n line breaks, unless as many are due already.
func (w *writer) line(n int) { w.lines = max(w.lines, n) }

// raw adds text without white space at its ends, such as Markdown's marks.
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
