package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// search is a web search that ran at the upstream. It has two blocks, server_tool_use with the
// query and web_search_tool_result with the hits. The hub has a single block, yielded with the
// hits.
type search struct {
	id    ir.Escaped
	query ir.Escaped
	done  bool // the search has been yielded
}

// openSearch reads the start of a search's server_tool_use.
func (d *decoder) openSearch(c *block, f *startFields) {
	if d.out.Reserve(len(f.id), tooMuch) && d.buffer(c, f.input) {
		d.searches = append(d.searches, search{id: ir.Escaped(strings.Clone(string(f.id)))})
	}
}

// closeSearch reads the query, when the server_tool_use is complete. The query belongs to the last
// search, since blocks are read one after the other.
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

// searchResult reads web_search_tool_result and yields the search with its hits (Messages API, "Web
// search tool"). An error instead of the list of hits is lost.
//
//go:noinline
func (d *decoder) searchResult(f *startFields) {
	var query ir.Escaped
	for i := range d.searches {
		if s := &d.searches[i]; s.id == f.toolUseID && !s.done {
			s.done, query = true, s.query
			break
		}
	}
	d.startSearch(f.toolUseID, query)
	if f.caller != "" {
		d.lost.Add("content[web_search_tool_result].caller")
	}
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

// openSearches yields the searches without a result: the answer has stopped with pause_turn
// ("Handling stop reasons").
func (d *decoder) openSearches() {
	for i := range d.searches {
		if s := &d.searches[i]; !s.done {
			d.startSearch(s.id, s.query)
			d.out.Stop()
		}
	}
}
