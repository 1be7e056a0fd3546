package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// citations reads annotations (API reference, "annotations"; OpenRouter, "Web Search"). A source on the web becomes a citation
// of the text that is open, at the place that the text has reached. Any other annotation is lost, and so is a source while no
// text is open.
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
		// The indexes count characters of the whole content, so they are good for the first block of text only, and only where
		// no tags were cut out. Two zeros say nothing: no server is known by name that sends them, but a span of no characters
		// is none.
		c.Start, c.End = -1, -1
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
