package openai

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxCitations is the maximum number of citations of one text.
const maxCitations = 1024

// Citations collects the sources cited in one text of an answer. They are buffered until the text
// ends, because a source without a range applies to the whole text.
type Citations struct {
	begin int64 // the offset of the text's first character
	list  []citation
}

type citation struct {
	url, title ir.Escaped
	start, end int64 // the range in the text; end is -1 for a citation of the whole text
	// an annotation of the client's own API, unknown to the hub; the other fields are then unused
	raw ir.Raw
}

// Begin drops all citations, for a new text. begin is the offset of the text's first character.
func (c *Citations) Begin(begin int64) { c.begin, c.list = begin, c.list[:0] }

// Add adds a copy of ev. It ignores ev if the text already has maxCitations.
func (c *Citations) Add(ev *ir.Citation) {
	if len(c.list) == maxCitations {
		return
	}
	kept := citation{start: c.begin, end: -1}
	if ev.URL == "" && ev.Raw != "" {
		kept.raw = ir.Raw(jsonw.AppendFlat(nil, ev.Raw))
	} else {
		kept.url = ir.Escaped(strings.Clone(string(ev.URL)))
		kept.title = ir.Escaped(strings.Clone(string(ev.Title)))
		if ev.Start >= 0 && ev.End >= ev.Start {
			kept.start, kept.end = c.begin+ev.Start, c.begin+ev.End
		}
	}
	c.list = append(c.list, kept)
}

// Len returns the number of citations.
func (c *Citations) Len() int { return len(c.list) }

// StandsForAll reports whether a citation applies to the whole text. Append then needs the end of
// the text.
func (c *Citations) StandsForAll() bool {
	for i := range c.list {
		if c.list[i].end < 0 && c.list[i].raw == "" {
			return true
		}
	}
	return false
}

// Append appends all citations as elements of an array, as described at AppendOne.
func (c *Citations) Append(dst []byte, end int64, lead, tail string) []byte {
	for i := range c.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.AppendOne(dst, i, end, lead, tail)
	}
	return dst
}

// AppendOne appends citation i as an annotation: lead, the members start_index, end_index, url and
// title, and tail. lead and tail are the API's JSON before and after these members. end is the
// offset at which the text ends, for a citation of the whole text. An annotation unknown to the hub
// is appended unchanged.
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
