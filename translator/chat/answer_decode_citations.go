package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// citations reads annotations (API reference, "annotations"; OpenRouter, "Web Search"). A source on
// the web becomes a citation of the text that is open, at the place that the text has reached. Any
// other annotation is lost, and so is a source while no text is open.
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
			d.out.HasTurn(len(d.blocks)-1) {
			d.cited = true
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
		// The indexes count characters of the whole content, so they are good for the first block
		// of text only, and only where no tags were cut out. Two zeros say nothing: no server is
		// known by name that sends them, but a span of no characters is none.
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

// maxSources bounds the lists of sources that are kept.
const maxSources = 256 << 10

// keepSources keeps the sources that Perplexity's answers, and xAI's with live search, have beside
// choices: search_results, a list of {"title","url",...}, or citations, a list of URLs
// (docs.perplexity.ai, "Sonar API"; docs.x.ai, "Live Search"). Perplexity repeats them in many
// chunks of a stream, so the last lists hold, and the first of the two forms, which has the titles.
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

// citeSources makes the sources citations of the whole text that is open, where annotations have
// not named them already, as OpenRouter's do. The text says by their numbers, [1], what they stand
// for.
func (d *decoder) citeSources() {
	if len(d.sources) == 0 || d.cited {
		return
	}
	last := len(d.blocks) - 1
	if d.out.Block() != ir.TextBlock || !d.out.HasTurn(last) {
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
