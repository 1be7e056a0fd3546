package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// search is a web search that the upstream has begun and whose hits are to come: the two blocks become one.
type search struct {
	id    ir.Escaped
	query ir.Escaped
	done  bool
}

// openSearch takes the start of a search.
func (d *decoder) openSearch(c *block, f *startFields) {
	if d.holds(len(f.id) + len(f.input)) {
		c.input = ir.Raw(strings.Clone(string(f.input)))
		d.searches = append(d.searches, search{id: ir.Escaped(strings.Clone(string(f.id)))})
	}
}

// closeSearch reads the query, which is complete. The search is the last one that has begun: blocks have their turns.
func (d *decoder) closeSearch(c *block) {
	input := string(c.input)
	if len(c.gathered) > 0 {
		input = jsonw.Unescape(jsonw.View(c.gathered))
	}
	if jsonr.Check(input) != nil {
		return
	}
	r := jsonr.NewReader(input)
	for r.OpenObject(); r.Member(); {
		if r.Key() == "query" {
			query, _ := jsonr.Text(r.Value())
			d.searches[len(d.searches)-1].query = ir.Escaped(strings.Clone(string(query)))
		}
	}
}

// searchResult yields a search with its hits ("Web search tool", "Response"). In their place may stand an error.
func (d *decoder) searchResult(f *startFields) {
	var query ir.Escaped
	for i := range d.searches {
		if s := &d.searches[i]; s.id == f.toolUseID && !s.done {
			s.done, query = true, s.query
			break
		}
	}
	d.startSearch(f.toolUseID, query)
	list := jsonr.NewReader(string(f.content))
	if list.Kind() != jsonr.Array {
		d.lost.AddNamed("block:", "web_search_tool_result_error")
	} else {
		for list.OpenArray(); list.Element(); {
			d.citation = ir.Citation{Start: -1, End: -1}
			hit, whole := &d.citation, list
			for list.OpenObject(); list.Member(); {
				switch list.Key() {
				case "url":
					hit.URL, _ = jsonr.Text(list.Value())
				case "title":
					hit.Title, _ = jsonr.Text(list.Value())
				}
			}
			if d.own {
				hit.Raw = whole.Value()
			}
			d.cite()
		}
	}
	d.stopOpen()
}

func (d *decoder) startSearch(id, query ir.Escaped) {
	d.open = ir.WebSearchBlock
	d.ev = ir.Event{Kind: ir.BlockStart, Block: ir.WebSearchBlock, ID: id}
	d.sink.Event(&d.ev)
	if query != "" {
		d.text(query)
	}
}

// openSearches yields the searches whose hits have not come, as in an answer that pauses.
func (d *decoder) openSearches() {
	for i := range d.searches {
		if s := &d.searches[i]; !s.done && !d.ended {
			d.startSearch(s.id, s.query)
			d.stopOpen()
		}
	}
}

// citations takes the citations of a whole block of text. An empty list, or null, is none.
func (d *decoder) citations(v ir.Raw) {
	list := jsonr.NewReader(string(v))
	if list.Kind() != jsonr.Array {
		return
	}
	for list.OpenArray(); list.Element(); {
		d.cited(list.Value())
	}
}

// cited takes one citation ("Citations"): of the web, or of what the client has sent, which only a client of this API has a
// form for.
func (d *decoder) cited(v ir.Raw) {
	d.citation = ir.Citation{Start: -1, End: -1}
	c := &d.citation
	var kind ir.Escaped
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "url":
			c.URL, _ = jsonr.Text(r.Value())
		case "title":
			c.Title, _ = jsonr.Text(r.Value())
		case "cited_text":
			c.Quote, _ = jsonr.Text(r.Value())
		}
	}
	if d.own {
		c.Raw = v
	}
	if kind != "web_search_result_location" {
		if !d.own {
			d.lost.AddNamed("citation:", kind)
			return
		}
		c.URL, c.Title, c.Quote = "", "", ""
	}
	d.turnTo(ir.TextBlock)
	d.cite()
}

func (d *decoder) cite() {
	d.ev = ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &d.citation}
	d.sink.Event(&d.ev)
}
