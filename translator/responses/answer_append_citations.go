package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// annotationLead and annotationTail frame the members of an annotation (API reference, "url_citation").
const (
	annotationLead = `{"type":"url_citation",`
	annotationTail = `}`
)

// cite takes a source. A source of a search is listed in its item at once; one of a text waits for
// the end of the text.
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

// textEnd returns how many characters the open text has, 0 where no citation stands for the whole
// text and so asks for it.
func (w *itemWriter) textEnd() int64 {
	if !w.citations.StandsForAll() {
		return 0
	}
	return jsonw.Characters(jsonw.View(w.out[w.text:]))
}
