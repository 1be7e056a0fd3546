package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// annotationAdded handles response.output_text.annotation.added. Annotations of a complete part are
// repeats.
func (d *decoder) annotationAdded(ev *streamEvent) {
	it, c := d.locate(ev, subject{messageItem, textPart})
	if c != nil && !jsonr.IsNothing(ev.annotation) && !c.done {
		d.cite(it, c, ev.annotation)
		d.out.Advance()
	}
}

// cite emits an annotation of a part, or buffers it until the queue reaches the part.
func (d *decoder) cite(it *item, c *part, annotation ir.Raw) {
	c.cited++
	switch {
	case d.out.HasEnded(c.number):
		d.lost.Add(lostAnnotations)
	case d.out.IsCurrent(c.number):
		d.citation(it, annotation)
	default:
		d.out.BufferPiece(c.number, string(annotation))
	}
}

// citation emits an annotation of the current part. Web sources go to any client, all others, such
// as file citations, only to clients of this API.
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
