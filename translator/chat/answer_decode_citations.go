package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// citations reads annotations. The sources on the web among them are cited where the text is just then: at its end, or where it
// is cut between two deltas. Where there is no open text they have no place.
func (d *decoder) citations(v ir.Raw) {
	list := jsonr.NewReader(string(v))
	if list.Kind() != jsonr.Array {
		d.lost.add(lostAnnotations, v)
		return
	}
	for list.OpenArray(); list.Element(); {
		one := list
		list.Value()
		if !d.readCitation(&one) || !d.blocks.cite(&d.citation) {
			d.lost.note(lostAnnotations)
		}
	}
}

// readCitation reads one annotation; it is false for what is no source on the web.
func (d *decoder) readCitation(r *jsonr.Reader) bool {
	c := &d.citation
	*c = ir.Citation{Start: -1, End: -1}
	for r.OpenObject(); r.Member(); {
		if r.Key() != "url_citation" {
			continue
		}
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "url":
				c.URL, _ = jsonr.Text(r.Value())
			case "title":
				c.Title, _ = jsonr.Text(r.Value())
			case "content":
				c.Quote, _ = jsonr.Text(r.Value())
			case "start_index":
				c.Start = jsonr.Count(r.Value())
			case "end_index":
				c.End = jsonr.Count(r.Value())
			}
		}
	}
	if c.Start < 0 || c.End <= c.Start || d.target.ThinkTags || !d.blocks.firstText() {
		c.Start, c.End = -1, -1 // servers count in the whole content, and say 0 for what they don't know
	}
	return c.URL != ""
}

// cite yields a citation of the text that is open and last; it is false where there is none.
func (b *blocks) cite(c *ir.Citation) bool {
	n := len(b.list) - 1
	if n < 0 || b.front != n || !b.open || b.list[n].kind != ir.TextBlock {
		return false
	}
	b.d.ev = ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: c}
	b.d.sink.Event(&b.d.ev)
	return true
}

// firstText reports whether the last block is the only one with text.
func (b *blocks) firstText() bool {
	for n := range len(b.list) - 1 {
		if b.list[n].kind == ir.TextBlock {
			return false
		}
	}
	return true
}
