package openai

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxCitations bounds how many citations of one text are kept.
const maxCitations = 1024

// Citations are the sources that one text of an answer names. They are kept until the text ends,
// since a source without a place of its own stands for the whole text.
type Citations struct {
	begin int64 // the place of the text's first character
	list  []citation
}

type citation struct {
	url, title ir.Escaped
	start, end int64 // the place in the text; end is -1 for a citation that stands for the whole text
	// in place of all others: an annotation of the client's own API that the hub does not know
	raw ir.Raw
}

// Begin drops all citations, for a text whose first character has the place begin.
func (c *Citations) Begin(begin int64) { c.begin, c.list = begin, c.list[:0] }

// Add keeps a copy of ev.
func (c *Citations) Add(ev *ir.Citation) {
	if len(c.list) == maxCitations {
		return
	}
	kept := citation{start: c.begin, end: -1}
	if ev.URL == "" && ev.Raw != "" {
		kept.raw = ir.Raw(jsonw.AppendFlat(nil, ev.Raw))
	} else {
		kept.url, kept.title = ir.Escaped(strings.Clone(string(ev.URL))), ir.Escaped(strings.Clone(string(ev.Title)))
		if ev.Start >= 0 && ev.End >= ev.Start {
			kept.start, kept.end = c.begin+ev.Start, c.begin+ev.End
		}
	}
	c.list = append(c.list, kept)
}

// Len returns how many there are.
func (c *Citations) Len() int { return len(c.list) }

// StandsForAll reports whether a citation stands for the whole text, so that Append has to know
// where the text ends.
func (c *Citations) StandsForAll() bool {
	for i := range c.list {
		if c.list[i].end < 0 && c.list[i].raw == "" {
			return true
		}
	}
	return false
}

// Append appends all citations as elements of an array, see AppendOne.
func (c *Citations) Append(dst []byte, end int64, lead, tail string) []byte {
	for i := range c.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.AppendOne(dst, i, end, lead, tail)
	}
	return dst
}

// AppendOne appends citation i as an annotation of a text that ends at the place end: lead, the
// members start_index, end_index, url and title, and tail. Lead and tail are how the API frames the
// members of a url_citation.
func (c *Citations) AppendOne(dst []byte, i int, end int64, lead, tail string) []byte {
	one := &c.list[i]
	if one.raw != "" {
		return append(dst, one.raw...)
	}
	if one.end >= 0 {
		end = one.end
	}
	dst = append(dst, lead...)
	dst = jsonw.AppendIntMember(dst, `"start_index":`, one.start)
	dst = jsonw.AppendIntMember(dst, `,"end_index":`, end)
	dst = jsonw.AppendTextMember(dst, `,"url":`, one.url)
	dst = jsonw.AppendTextMember(dst, `,"title":`, one.title)
	return append(dst, tail...)
}
