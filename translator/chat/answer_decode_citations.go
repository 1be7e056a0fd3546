package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// citations reads annotations (API reference, "annotations"; OpenRouter, "Web Search"). A web
// source becomes a citation of the open text block, at the current position. Any other annotation
// is lost, and so is a source if no text is open.
//
//go:noinline
func (d *decoder) citations(v ir.Raw) {
	list := jsonr.NewReader(string(v))
	if list.Kind() != jsonr.Array {
		d.lose(lostAnnotations, v)
		return
	}
	for list.OpenArray(); list.Element(); {
		one := list
		list.Value()
		if c := d.readCitation(&one); c.URL != "" && d.out.Block() == ir.TextBlock &&
			d.out.IsCurrent(len(d.blocks)-1) {
			d.cited = true
			d.out.Cite(c)
		} else {
			d.lost.Add(lostAnnotations)
		}
	}
}

// readCitation reads one annotation. The citation has no URL if the annotation is not a web source.
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
		// The indexes count characters of the whole content, so they are valid only for the first
		// block of text, and only if no tags were cut out. Two zeros mean nothing: a span of no
		// characters is none. No server is known by name that sends two zeros.
		c.Start, c.End = -1, -1
	}
	return c
}

// firstText reports whether the last block is the only block with text.
func (d *decoder) firstText() bool {
	for n := range len(d.blocks) - 1 {
		if d.blocks[n].kind == ir.TextBlock {
			return false
		}
	}
	return true
}

// maxSources bounds the stored lists of sources, in bytes.
const maxSources = 256 << 10

// keepSources stores the sources beside the choices of Perplexity's answers, and of xAI's with live
// search: search_results, a list of {"title","url",...}, or citations, a list of URLs
// (docs.perplexity.ai, "Sonar API"; docs.x.ai, "Live Search"). Perplexity repeats them in many
// chunks of a stream, so the last lists count. search_results has precedence, because it has the
// titles.
func (d *decoder) keepSources(citations, found ir.Raw) {
	list := found
	if jsonr.IsNothing(list) {
		list = citations
	}
	switch {
	case jsonr.IsNothing(list):
	case jsonr.KindOf(list) != jsonr.Array || len(list) > maxSources:
		d.lost.Add(lostCitations)
	default:
		d.sources = append(d.sources[:0], list...)
	}
}

// citeSources makes the sources citations of the whole open text, unless annotations have already
// named them, as OpenRouter's do. The text refers to the sources by their numbers, [1].
func (d *decoder) citeSources() {
	if len(d.sources) == 0 || d.cited {
		return
	}
	last := len(d.blocks) - 1
	if d.out.Block() != ir.TextBlock || !d.out.IsCurrent(last) {
		d.lost.Add(lostCitations)
		return
	}
	list := jsonr.NewReader(string(jsonw.View(d.sources)))
	for list.OpenArray(); list.Element(); {
		c := ir.Citation{Start: -1, End: -1}
		if list.Kind() == jsonr.String {
			c.URL, _ = jsonr.Text(list.Value())
		} else {
			for list.OpenObject(); list.Member(); {
				switch list.Key() {
				case "url":
					c.URL, _ = jsonr.Text(list.Value())
				case "title":
					c.Title, _ = jsonr.Text(list.Value())
				case "snippet":
					c.Quote, _ = jsonr.Text(list.Value())
				}
			}
		}
		if c.URL != "" {
			d.out.Cite(c)
		}
	}
}
