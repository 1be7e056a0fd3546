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
	if d.out.Keep(len(f.id), tooMuch) && d.keep(c, f.input) {
		d.searches = append(d.searches, search{id: ir.Escaped(strings.Clone(string(f.id)))})
	}
}

// closeSearch reads the query, which is complete. The search is the last one that has begun: blocks have their turns.
func (d *decoder) closeSearch(c *block) {
	input := string(c.start)
	if len(c.input) > 0 {
		input = jsonw.Unescape(jsonw.View(c.input))
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
			hit, whole := ir.Citation{Start: -1, End: -1}, list
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
			d.out.Cite(hit)
		}
	}
	d.out.Stop()
}

func (d *decoder) startSearch(id, query ir.Escaped) {
	d.out.Begin(ir.WebSearchBlock, id)
	if query != "" {
		d.out.Text(query)
	}
}

// openSearches yields the searches whose hits have not come, as in an answer that pauses.
func (d *decoder) openSearches() {
	for i := range d.searches {
		if s := &d.searches[i]; !s.done {
			d.startSearch(s.id, s.query)
			d.out.Stop()
		}
	}
}
