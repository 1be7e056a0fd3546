package interactions

import (
	"strconv"
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Bounds of a search.
const (
	maxQuery = 4 << 10  // bytes of the query
	maxFound = 64 << 10 // bytes of the links to the results
)

// citing collects the sources of an answer: the citations of the open text, and the search that is
// being read.
type citing struct {
	positions bool // the upstream was offered a tool of its own: citations may have positions
	spans     google.Spans
	// the bytes of the open step's text before the open block; negative: unknown
	base        int64
	text        []byte // the text of the open block
	cited       []span // in the open block
	count       int    // of the answer's citations
	annotations []byte // of the open step of a plain body: elements of a list
	query       []byte
	found       []byte // links to the results, in HTML
	searches    int
}

// span is a citation: the range of characters, -1 for the whole text, and the end of its annotation in
// the buffer of annotations.
type span struct {
	start, end int64
	source     string // the annotation up to its indexes
}

// start begins an answer to r.
func (c *citing) start(r *ir.Request) {
	for i := range r.Tools {
		c.positions = c.positions || !r.Tools[i].Kind.RunByClient()
	}
}

// hear buffers text of the open block.
func (c *citing) hear(text ir.Escaped) {
	if c.positions && len(c.text) <= google.MaxCited {
		c.text = jsonw.AppendUnescaped(c.text, text)
	}
}

// ask adds a piece of the query.
func (c *citing) ask(text ir.Escaped) {
	if len(c.query)+len(text) <= maxQuery {
		c.query = append(c.query, text...)
	}
}

// add adds a citation of a text, or a result of a search. Only sources on the web have a form here.
func (c *citing) add(s *ir.Citation, block ir.BlockKind) {
	switch {
	case s.URL == "":
	case block == ir.WebSearchBlock:
		c.find(s)
	case c.count < maxCitations:
		c.count++
		source := jsonw.AppendTextMember(nil, `{"type":"url_citation","url":`, s.URL)
		if s.Title != "" {
			source = jsonw.AppendTextMember(source, `,"title":`, s.Title)
		}
		c.cited = append(c.cited, span{s.Start, s.End, string(jsonw.View(source))})
	}
}

// find adds a result of a search as a link: search_suggestions, the only member of a GoogleSearchResult,
// is HTML.
func (c *citing) find(s *ir.Citation) {
	url := jsonw.Unescape(s.URL)
	if len(c.found)+len(url)+len(s.Title) > maxFound || !strings.HasPrefix(url, "https://") &&
		!strings.HasPrefix(url, "http://") {
		return
	}
	title := jsonw.Unescape(s.Title)
	if title == "" {
		title = url
	}
	c.found = appendHTML(append(c.found, `<a href="`...), url)
	c.found = appendHTML(append(c.found, `">`...), title)
	c.found = append(c.found, `</a> `...)
}

// appendHTML appends a text for HTML.
func appendHTML(dst []byte, text string) []byte {
	for i := range len(text) {
		switch b := text[i]; b {
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '&':
			dst = append(dst, "&amp;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// appendAnnotations ends a block of text: it appends its citations to a stream, or to the annotations of
// the plain body's step. The indexes count the bytes of the step's text.
func (w *answerWriter) appendAnnotations(dst []byte) []byte {
	c := &w.citing
	if len(c.cited) > 0 { // a block without a text needs a step of its own
		if dst = w.openStep(dst, ir.TextBlock); w.plain {
			dst = w.appendText(dst, ir.TextBlock, "")
		}
	}
	text := string(jsonw.View(c.text))
	if len(text) > google.MaxCited { // the buffer does not have the whole text
		c.base = -1 << 62
	}
	list := c.annotations
	for _, s := range c.cited {
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = append(list, s.source...)
		if from, to, fits := c.spans.Bytes(text, s.start, s.end); fits && c.base >= 0 && c.positions {
			list = jsonw.AppendIntMember(list, `,"start_index":`, c.base+int64(from))
			list = jsonw.AppendIntMember(list, `,"end_index":`, c.base+int64(to))
		}
		list = append(list, '}')
	}
	c.base += int64(len(text))
	c.cited, c.annotations = c.cited[:0], list
	if w.plain || len(list) == 0 {
		return dst
	}
	dst = append(append(open(dst, stepDelta), `"delta":{"type":"text_annotation_delta","annotations":[`...),
		list...)
	c.annotations = list[:0]
	return w.shut(append(dst, `]}`...), stepDelta)
}

// appendSearch appends the steps of a search: the query and the results. code is the search's failure,
// "" for none.
func (w *answerWriter) appendSearch(dst []byte, code string) []byte {
	c := &w.citing
	w.said = false
	c.searches++
	id := `"search_` + strconv.Itoa(c.searches) + `"`
	dst = w.endStep(dst)
	arguments := []byte(`"arguments":{"queries":[`)
	if len(c.query) > 0 {
		arguments = jsonw.AppendEscaped(arguments, jsonw.View(c.query))
	}
	dst = w.appendWhole(dst, `"google_search_call"`, `"id":`+id, append(arguments, `]}`...))
	result := []byte(`"result":[`)
	if len(c.found) > 0 {
		result = jsonw.AppendString(append(result, `{"search_suggestions":`...), string(jsonw.View(c.found)))
		result = append(result, '}')
	}
	result = append(result, ']')
	if code != "" {
		result = append(result, `,"is_error":true`...)
	}
	return w.appendWhole(dst, `"google_search_result"`, `"call_id":`+id, result)
}

// appendWhole appends a step of a type whose members come in one delta in a stream, except its id.
func (w *answerWriter) appendWhole(dst []byte, kind, id string, members []byte) []byte {
	step := `"step":{"type":` + kind + `,` + id
	if w.plain {
		return w.appendStepEnd(w.appendStep(dst, step+`,`+string(jsonw.View(members))+`}`))
	}
	dst = w.appendStep(dst, step+`}`)
	dst = append(append(append(open(dst, stepDelta), `"delta":{"type":`...), kind...), ',')
	return w.appendStepEnd(w.shut(append(append(dst, members...), '}'), stepDelta))
}
