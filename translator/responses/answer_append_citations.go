package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// annotationLead and annotationTail enclose the members of an annotation (API reference,
// "url_citation").
const (
	annotationLead = `{"type":"url_citation",`
	annotationTail = `}`
)

// cite adds a source. A search's source is written to its item at once; a text's source is buffered
// until the text ends.
func (w *itemWriter) cite(c *ir.Citation) {
	switch w.family {
	case searchFamily:
		if c.URL == "" {
			return
		}
		if w.begun {
			w.out = append(w.out, ',')
		} else {
			w.raw(`","sources":[`)
		}
		w.begun = true
		w.out = jsonw.AppendTextMember(w.out, `{"type":"url","url":`, c.URL)
		w.out = append(w.out, '}')
	case textFamily:
		w.citations.Add(c)
	}
}

// textEnd returns the number of characters in the open text, or 0 if no citation applies to the
// whole text.
func (w *itemWriter) textEnd() int64 {
	if !w.citations.StandsForAll() {
		return 0
	}
	return jsonw.Characters(jsonw.View(w.out[w.text:]))
}
