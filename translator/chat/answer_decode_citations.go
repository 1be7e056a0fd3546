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
		d.lose(lostAnnotations, v)
		return
	}
	for list.OpenArray(); list.Element(); {
		one := list
		list.Value()
		if c := d.readCitation(&one); c.URL != "" && d.out.Block() == ir.TextBlock && d.out.HasTurn(len(d.blocks)-1) {
			d.out.Cite(c)
		} else {
			d.lost.Add(lostAnnotations)
		}
	}
}

// readCitation reads one annotation; it has no URL where it is no source on the web.
func (d *decoder) readCitation(r *jsonr.Reader) (c ir.Citation) {
	c.Start, c.End = -1, -1
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
	if c.Start < 0 || c.End <= c.Start || d.target.ThinkTags || !d.firstText() {
		c.Start, c.End = -1, -1 // servers count in the whole content, and say 0 for what they don't know
	}
	return c
}

// firstText reports whether the last block is the only one with text.
func (d *decoder) firstText() bool {
	for n := range len(d.blocks) - 1 {
		if d.blocks[n].kind == ir.TextBlock {
			return false
		}
	}
	return true
}
