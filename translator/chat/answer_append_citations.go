package chat

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// citation is a source that the open block of text names.
type citation struct {
	url, title ir.Escaped
	start, end int64 // of all of the content; end is -1 for the end of the block
	raw        ir.Raw
}

// cite keeps a citation of the open block.
func (a *answer) cite(c *ir.Citation) {
	if a.block != ir.TextBlock || len(a.citations) == maxCitations {
		return
	}
	if c.URL == "" && c.Raw != "" { // of this protocol, and nothing that the hub knows
		a.citations = append(a.citations, citation{raw: ir.Raw(jsonw.AppendFlat(nil, c.Raw))})
		return
	}
	kept := citation{url: ir.Escaped(strings.Clone(string(c.URL))), title: ir.Escaped(strings.Clone(string(c.Title))), start: a.begin, end: -1}
	if c.Start >= 0 && c.End >= c.Start {
		kept.start, kept.end = a.begin+c.Start, a.begin+c.End
	}
	a.citations = append(a.citations, kept)
}

// appendCitations appends the citations of the block that ends, as elements of annotations. Their places count the characters
// of all of the content; where the upstream gave none it is the block.
func (a *answer) appendCitations(dst []byte) []byte {
	for i := range a.citations {
		c := &a.citations[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.raw != "" {
			dst = append(dst, c.raw...)
			continue
		}
		end := c.end
		if end < 0 {
			end = a.characters
		}
		dst = append(dst, `{"type":"url_citation","url_citation":{"start_index":`...)
		dst = strconv.AppendInt(dst, c.start, 10)
		dst = append(dst, `,"end_index":`...)
		dst = strconv.AppendInt(dst, end, 10)
		dst = append(dst, `,"url":`...)
		dst = jsonw.AppendEscaped(dst, c.url)
		dst = append(dst, `,"title":`...)
		dst = jsonw.AppendEscaped(dst, c.title)
		dst = append(dst, `}}`...)
	}
	return dst
}
