package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// annotationAdded takes one annotation of a text.
func (d *decoder) annotationAdded(ev *streamEvent) {
	it, c := d.place(ev, subject{messageItem, textPart})
	if c != nil && !jsonr.IsNothing(ev.annotation) && !c.done { // what is done had all of them
		d.cite(it, c, ev.annotation)
		d.out.Advance()
	}
}

// cite yields an annotation of a text, or holds it until its turn.
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

// citation yields an annotation of a text. Sources on the web are for all clients, those in files for this protocol's own.
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
