package gemini

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Bounds of what is kept for groundingMetadata.
const (
	maxQuery   = 4 << 10  // bytes of what was searched for
	maxScanned = 16 << 20 // bytes of text that places are counted in
)

// grounding gathers groundingMetadata (Gemini API, "GroundingMetadata"): what was searched for,
// what was found, and which part of the text is from where.
type grounding struct {
	queries, chunks, supports []byte   // elements of lists
	urls                      []string // of the chunks, in their order
	// the upstream was offered a tool of its own, so that citations may have places
	places bool
	// how many bytes of text there are in front of the open block, less than 0 where that is not
	// known
	base     int64
	said     []byte  // the text of the open block
	cited    []place // in the open block
	scanned  int     // how many bytes of text have been looked at
	query    []byte
	searches int
}

// place is a citation: which source, and the characters of the text that it is for, -1 for all of it.
type place struct {
	chunk      int
	start, end int64
}

// begin begins a block of text.
func (g *grounding) begin() { g.said, g.cited = g.said[:0], g.cited[:0] }

// hear takes text of the open block.
func (g *grounding) hear(text ir.Escaped) {
	if g.places && len(g.said) <= google.MaxCited {
		g.said = jsonw.AppendUnescaped(g.said, text)
	}
}

// add takes a citation of the open block: of a text, or what a search has found. Only sources on
// the web have a form.
func (g *grounding) add(c *ir.Citation, block ir.BlockKind) {
	if c.URL == "" || len(g.cited) == maxCitations {
		return
	}
	chunk := g.chunk(c)
	if chunk >= 0 && block == ir.TextBlock {
		g.cited = append(g.cited, place{chunk, c.Start, c.End})
	}
}

// chunk returns the place of a source in groundingChunks, where it is added once; -1 where there
// are too many.
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
// a segment count the bytes of its part, in a stream those of the whole answer (see segment).
func (g *grounding) end(w *answerWriter) {
	said := string(jsonw.View(g.said))
	if len(said) > google.MaxCited { // not all of it was kept
		g.base = -1 << 62
	}
	whole := g.base >= 0 && g.places
	for _, c := range g.cited {
		from, to, fits := g.bytes(said, c)
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

// bytes returns the bytes of a text that a citation is for.
func (g *grounding) bytes(said string, c place) (from, to int, ok bool) {
	if c.start < 0 || c.end <= c.start {
		return 0, len(said), said != ""
	}
	n := int64(0)
	for to = 0; n < c.end; n++ {
		if n == c.start {
			from = to
		}
		if to == len(said) || g.scanned > maxScanned {
			return 0, 0, false
		}
		_, size := utf8.DecodeRuneInString(said[to:])
		to += size
		g.scanned += size
	}
	return from, to, true
}

// search begins a search.
func (g *grounding) search() { g.query = g.query[:0] }

// ask takes what is searched for.
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
