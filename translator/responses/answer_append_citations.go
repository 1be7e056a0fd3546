package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

const maxCitations = 1024 // of one text

// annotation is a source that the open text names. Its end is -1 for the end of the text.
type annotation struct {
	url, title ir.Escaped
	start, end int64
	raw        ir.Raw
}

// cite takes a source: of a search, where it is listed at once, or of a text.
func (a *answer) cite(c *ir.Citation) {
	switch a.family {
	case searchFamily:
		if c.URL == "" {
			return
		}
		if a.begun {
			a.out = append(a.out, ',')
		} else {
			a.raw(`","sources":[`)
		}
		a.begun = true
		a.raw(`{"type":"url","url":`)
		a.out = literal(a.out, c.URL)
		a.out = append(a.out, '}')
	case textFamily:
		if len(a.citations) == maxCitations {
			return
		}
		if c.URL == "" { // of this API, and nothing that the hub knows
			a.citations = append(a.citations, annotation{raw: ir.Raw(jsonw.AppendFlat(nil, c.Raw))})
			return
		}
		kept := annotation{url: ir.Escaped(strings.Clone(string(c.URL))), title: ir.Escaped(strings.Clone(string(c.Title))), end: -1}
		if c.Start >= 0 && c.End >= c.Start {
			kept.start, kept.end = c.Start, c.End
		}
		a.citations = append(a.citations, kept)
	}
}

// characters returns the number of characters of the open text, where a citation stands for all of it.
func (a *answer) characters() int64 {
	for i := range a.citations {
		if a.citations[i].end < 0 && a.citations[i].raw == "" {
			return jsonw.Characters(jsonw.View(a.out[a.text:]))
		}
	}
	return 0
}

// append appends an annotation of a text with so many characters.
func (c *annotation) append(dst []byte, end int64) []byte {
	if c.raw != "" {
		return append(dst, c.raw...)
	}
	if c.end >= 0 {
		end = c.end
	}
	dst = raw(dst, `{"type":"url_citation","start_index":`)
	dst = strconv.AppendInt(dst, c.start, 10)
	dst = raw(dst, `,"end_index":`)
	dst = strconv.AppendInt(dst, end, 10)
	dst = raw(dst, `,"url":`)
	dst = literal(dst, c.url)
	dst = raw(dst, `,"title":`)
	dst = literal(dst, c.title)
	return append(dst, '}')
}
