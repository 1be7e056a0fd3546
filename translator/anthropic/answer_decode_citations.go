package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// citations reads the citations in the start of a block of text. The list may be empty or null
// (FAULTS 38).
func (d *decoder) citations(c *block, v ir.Raw) {
	list := jsonr.NewReader(string(v))
	if list.Kind() != jsonr.Array {
		return
	}
	for list.OpenArray(); list.Element(); {
		d.cited(c, list.Value())
	}
}

// cited reads one citation (Messages API, "Citations"). Any client gets a source on the web, from
// Anthropic's search or from the client's own (a search_result in the request). Only clients of
// this API get a position in a document of theirs, unchanged, since other APIs have no form for it.
func (d *decoder) cited(b *block, v ir.Raw) {
	c := ir.Citation{Start: -1, End: -1}
	var kind, source ir.Escaped
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "url":
			c.URL, _ = jsonr.Text(r.Value())
		case "source": // of a search_result: a URL, or any name from the client
			source, _ = jsonr.Text(r.Value())
		case "title":
			c.Title, _ = jsonr.Text(r.Value())
		case "cited_text":
			c.Quote, _ = jsonr.Text(r.Value())
		}
	}
	if d.own {
		c.Raw = v
	}
	if kind == "search_result_location" && !d.own && strings.HasPrefix(string(source), "http") {
		c.URL = source
	} else if kind != "web_search_result_location" {
		if !d.own {
			d.lost.AddNamed("citation:", kind)
			return
		}
		c.URL, c.Title, c.Quote = "", "", ""
	}
	d.turnTo(b, ir.TextBlock)
	d.out.Cite(c)
}
