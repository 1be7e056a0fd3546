package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// page is a page that a search has found, or that was fetched.
type page struct {
	url   string
	title ir.Escaped
	text  string // of one that was fetched
}

// maxLink bounds the URL of a link, in bytes.
const maxLink = 2 << 10

// linked finds the Markdown links to pages in the texts of an answer, [title](URL), and cites these: where the model gives the URL of a result,
// it is certain which one it means. What else stands in brackets is no citation.
type linked struct {
	inText bool
	chars  int64  // of the text so far
	open   int64  // the place of the last "[", -1 for none
	last   uint16 // the last character
	url    []byte // of the link that has begun, escaped
	inURL  bool
	ev     ir.Event
	cite   ir.Citation
}

// event hands ev on to sink, and what it cites of pages behind it.
func (l *linked) event(ev *ir.Event, pages []page, sink ir.Sink) {
	sink.Event(ev)
	switch {
	case ev.Kind == ir.BlockStart:
		l.inText, l.chars, l.open, l.last, l.inURL = ev.Block == ir.TextBlock, 0, -1, 0, false
	case l.inText && ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && len(pages) > 0:
		l.text(ev.Text, pages, sink)
	}
}

func (l *linked) text(e ir.Escaped, pages []page, sink ir.Sink) {
	for i := 0; i < len(e); {
		unit, width := uint16(e[i]), 1
		if e[i] == '\\' {
			unit, width = jsonw.UnitAt(e[i:])
		}
		if e[i]&0xC0 != 0x80 && (unit < 0xDC00 || unit > 0xDFFF) {
			l.chars++
		}
		i += width
		switch {
		case l.inURL && unit == ')':
			if p := find(pages, jsonw.Unescape(jsonw.View(l.url))); p != nil {
				l.cite = ir.Citation{URL: jsonw.Escape(p.url), Title: p.title, Start: l.open, End: l.chars}
				l.ev = ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &l.cite}
				sink.Event(&l.ev)
				l.inURL = false
			} else {
				l.url = append(l.url, ')')
			}
		case l.inURL && (unit <= ' ' || len(l.url) > maxLink):
			l.inURL = false
		case l.inURL:
			l.url = append(l.url, e[i-width:i]...)
		case unit == '[':
			l.open = l.chars - 1
		case unit == '(' && l.last == ']' && l.open >= 0:
			l.inURL, l.url = true, l.url[:0]
		}
		l.last = unit
	}
}

func find(pages []page, url string) *page {
	for i := range pages {
		if pages[i].url == url {
			return &pages[i]
		}
	}
	return nil
}
