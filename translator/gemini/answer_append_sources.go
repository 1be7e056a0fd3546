package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Bounds of groundingMetadata.
const (
	maxQuery = 4 << 10 // bytes of a query
)

// grounding collects groundingMetadata (Gemini API, "GroundingMetadata"): the queries, the sources,
// and the source of each part of the text.
type grounding struct {
	queries, chunks, supports []byte   // elements of lists
	urls                      []string // of the chunks, in their order
	// the upstream was offered a tool of its own: citations may have positions
	positions bool
	// the bytes of text before the open block: in its part (plain body) or in the answer (stream);
	// negative if unknown
	base     int64
	text     []byte      // the text of the open block
	cited    []citedSpan // in the open block
	spans    google.Spans
	query    []byte
	searches int
}

// citedSpan is a citation: the index of its source, and the characters of the cited text, -1 for the
// whole text.
type citedSpan struct {
	chunk      int
	start, end int64
}

// begin begins a block of text.
func (g *grounding) begin() { g.text, g.cited = g.text[:0], g.cited[:0] }

// hear buffers text of the open block.
func (g *grounding) hear(text ir.Escaped) {
	if g.positions && len(g.text) <= google.MaxCited {
		g.text = jsonw.AppendUnescaped(g.text, text)
	}
}

// add adds a citation of the open block: a citation of a text, or a result of a search. Only
// sources on the web have a form in this API.
func (g *grounding) add(c *ir.Citation, block ir.BlockKind) {
	if c.URL == "" || len(g.cited) == maxCitations {
		return
	}
	chunk := g.chunk(c)
	if chunk >= 0 && block == ir.TextBlock {
		g.cited = append(g.cited, citedSpan{chunk, c.Start, c.End})
	}
}

// chunk returns the index of a source in groundingChunks, and adds the source if it is new. It
// returns -1 if there are too many.
func (g *grounding) chunk(c *ir.Citation) int {
	for i, url := range g.urls {
		if url == string(c.URL) {
			return i
		}
	}
	if len(g.urls) == maxCitations || len(g.chunks) > maxSources {
		return -1
	}
	g.urls = append(g.urls, strings.Clone(string(c.URL)))
	g.chunks = jsonw.AppendTextMember(appendElement(g.chunks), `{"web":{"uri":`, c.URL)
	if c.Title != "" {
		g.chunks = jsonw.AppendTextMember(g.chunks, `,"title":`, c.Title)
	}
	g.chunks = append(g.chunks, `}}`...)
	return len(g.urls) - 1
}

// end ends a block of text, with an element of groundingSupports for each citation. The indexes of
// a segment count the bytes of its part, in a stream the bytes of the whole answer (see segment).
func (g *grounding) end(w *answerWriter) {
	said := string(jsonw.View(g.text))
	if len(said) > google.MaxCited { // the buffer does not have the whole text
		g.base = -1 << 62
	}
	whole := g.base >= 0 && g.positions
	for _, c := range g.cited {
		from, to, fits := g.spans.Bytes(said, c.start, c.end)
		g.supports = append(appendElement(g.supports), '{')
		if whole && fits {
			g.supports = append(g.supports, `"segment":{`...)
			if w.plain && w.parts > 1 {
				g.supports = append(jsonw.AppendIntMember(g.supports, `"partIndex":`, w.parts-1), ',')
			}
			g.supports = jsonw.AppendIntMember(g.supports, `"startIndex":`, g.base+int64(from))
			g.supports = jsonw.AppendIntMember(g.supports, `,"endIndex":`, g.base+int64(to))
			g.supports = jsonw.AppendString(append(g.supports, `,"text":`...), said[from:to])
			g.supports = append(g.supports, `},`...)
		}
		g.supports = jsonw.AppendIntMember(g.supports, `"groundingChunkIndices":[`, int64(c.chunk))
		g.supports = append(g.supports, `]}`...)
		if len(g.supports) > maxSources {
			break
		}
	}
	g.base += int64(len(said))
}

// search begins a search.
func (g *grounding) search() { g.query = g.query[:0] }

// ask adds a piece of the query.
func (g *grounding) ask(text ir.Escaped) {
	if len(g.query)+len(text) <= maxQuery {
		g.query = append(g.query, text...)
	}
}

// endSearch ends a search.
func (g *grounding) endSearch() {
	if g.searches++; g.searches <= maxSearches && len(g.query) > 0 {
		g.queries = jsonw.AppendEscaped(appendElement(g.queries), jsonw.View(g.query))
	}
}

// appendTo appends groundingMetadata, unless there is none.
func (g *grounding) appendTo(dst []byte) []byte {
	separator := `,"groundingMetadata":{`
	for _, list := range [...]struct {
		lead string
		all  []byte
	}{{`"webSearchQueries":[`, g.queries}, {`"groundingChunks":[`, g.chunks}, {`"groundingSupports":[`,
		g.supports}} {
		if len(list.all) > 0 {
			dst = append(append(append(append(dst, separator...), list.lead...), list.all...), ']')
			separator = `,`
		}
	}
	if separator == `,` {
		dst = append(dst, '}')
	}
	return dst
}
