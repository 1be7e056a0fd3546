package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// citations takes the citations in the start of a block of text. An empty list or null holds none
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

// cited takes one citation (Messages API, "Citations"). A source on the web goes to any client,
// whether a search of Anthropic's has found it or one of the client's, which has sent it as a
// search_result. A place in a document that the client has sent goes to clients of this API alone,
// as the upstream wrote it, since no other API has a form for that.
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
		case "source": // of a search_result: a URL, or whatever the client calls it
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
