package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// annotationAdded takes response.output_text.annotation.added. A part that is done has brought all
// its annotations already.
func (d *decoder) annotationAdded(ev *streamEvent) {
	it, c := d.place(ev, subject{messageItem, textPart})
	if c != nil && !jsonr.IsNothing(ev.annotation) && !c.done {
		d.cite(it, c, ev.annotation)
		d.out.Advance()
	}
}

// cite yields an annotation of a part, or holds it until the part's turn.
func (d *decoder) cite(it *item, c *part, annotation ir.Raw) {
	c.cited++
	switch {
	case d.out.IsOver(c.number):
		d.lost.Add(lostAnnotations)
	case d.out.HasTurn(c.number):
		d.citation(it, annotation)
	default:
		d.out.HoldPiece(c.number, string(annotation))
	}
}

// citation yields an annotation of the part whose turn it is. A source on the web goes to any
// client. Any other one, as a place in a file, goes to clients of this API alone.
func (d *decoder) citation(it *item, annotation ir.Raw) {
	var kind, url, title ir.Escaped
	start, end := int64(-1), int64(-1)
	r := jsonr.NewReader(string(annotation))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "url":
			url, _ = jsonr.Text(r.Value())
		case "title":
			title, _ = jsonr.Text(r.Value())
		case "start_index":
			start = indexOf(r.Value())
		case "end_index":
			end = indexOf(r.Value())
		}
	}
	cite := ir.Citation{URL: url, Title: title, Start: start, End: end}
	if kind != "url_citation" || url == "" {
		if !d.own {
			d.lost.Add(lostAnnotations)
			return
		}
		cite = ir.Citation{Start: -1, End: -1, Raw: annotation}
	}
	d.open(it, ir.TextBlock)
	d.out.Cite(cite)
}
