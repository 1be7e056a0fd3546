package stages

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// webpage is a search result or a fetched webpage.
type webpage struct {
	url   string
	title ir.Escaped
	text  string // of a fetched webpage
}

// maxLink limits the URL of a link, in bytes.
const maxLink = 2 << 10

// links finds the Markdown links, [title](URL), in the texts of an answer and cites the webpages
// with these URLs. Only a link with a result's URL identifies the webpage for certain.
type links struct {
	inText bool
	chars  int64  // of the text so far
	open   int64  // the position of the last "[", -1 for none
	last   uint16 // the last character
	url    []byte // of the open link, escaped
	inURL  bool
	ev     ir.Event
	cite   ir.Citation
}

// event passes ev to sink, followed by the citations of pages in ev.
func (l *links) event(ev *ir.Event, pages []webpage, sink ir.Sink) {
	sink.Event(ev)
	switch {
	case ev.Kind == ir.BlockStart:
		l.inText, l.chars, l.open, l.last, l.inURL = ev.Block == ir.TextBlock, 0, -1, 0, false
	case l.inText && ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && len(pages) > 0:
		l.text(ev.Text, pages, sink)
	}
}

func (l *links) text(e ir.Escaped, pages []webpage, sink ir.Sink) {
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

func find(pages []webpage, url string) *webpage {
	for i := range pages {
		if pages[i].url == url {
			return &pages[i]
		}
	}
	return nil
}
