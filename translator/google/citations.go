package google

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// MaxCited is the maximum length of a text whose citations have positions, in bytes.
const MaxCited = 256 << 10

// CitedText buffers a text of an answer until its citations come, because their positions count
// bytes. If the request has no tool that finds sources, CitedText buffers nothing.
type CitedText struct {
	cited bool
	text  []byte
}

// NewCitedText returns the buffer for the answer to r.
func NewCitedText(r *ir.Request) (t CitedText) {
	for i := range r.Tools {
		k := r.Tools[i].Kind
		t.cited = t.cited || k == ir.WebSearchTool || k == ir.WebFetchTool
	}
	return t
}

// Reset begins another text.
func (t *CitedText) Reset() { t.text = t.text[:0] }

// Add appends a copy of a delta. It stops after MaxCited bytes.
func (t *CitedText) Add(delta ir.Escaped) {
	if t.cited && len(t.text) <= MaxCited {
		t.text = jsonw.AppendUnescaped(t.text, delta)
	}
}

// Len returns how many bytes are buffered.
func (t *CitedText) Len() int { return len(t.text) }

// Span converts a span of bytes of the text into a span of characters. It returns -1, -1 if the
// span is unknown. If quote is not "", the span must contain exactly the quote: otherwise Span
// searches the whole text for the quote.
func (t *CitedText) Span(from, to int64, quote ir.Escaped) (start, end int64) {
	if len(t.text) == 0 || len(t.text) > MaxCited {
		return -1, -1
	}
	text := string(jsonw.View(t.text))
	fits := 0 <= from && from < to && to <= int64(len(text)) && utf8.RuneStart(text[from]) &&
		(to == int64(len(text)) || utf8.RuneStart(text[to]))
	if quote != "" {
		words := jsonw.Unescape(quote)
		if !fits || text[from:to] != words {
			found := strings.Index(text, words)
			from, to, fits = int64(found), int64(found+len(words)), found >= 0
		}
	}
	if !fits {
		return -1, -1
	}
	start = int64(utf8.RuneCountInString(text[:from]))
	return start, start + int64(utf8.RuneCountInString(text[from:to]))
}

// maxScanned bounds, in bytes, the text of an answer in which characters are counted.
const maxScanned = 16 << 20

// Spans converts the spans of an answer's citations.
type Spans struct{ scanned int }

// Bytes converts a span of characters of a text, -1 for the whole text, into a span of bytes. ok is
// false if the span does not fit.
func (s *Spans) Bytes(text string, start, end int64) (from, to int, ok bool) {
	if start < 0 || end <= start {
		return 0, len(text), text != ""
	}
	n := int64(0)
	for to = 0; n < end; n++ {
		if n == start {
			from = to
		}
		if to == len(text) || s.scanned > maxScanned {
			return 0, 0, false
		}
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
		s.scanned += size
	}
	return from, to, true
}
