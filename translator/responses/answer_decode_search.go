package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// search yields a web_search_call: the query, and what the search has found where action has
// sources (API reference, "Web search"). xAI has the query in arguments, as a call has it (recorded
// in xai-web-search-tool). Items of this type without a query are pages that the upstream has
// opened, which are no searches.
func (d *decoder) search(it *item) {
	var query ir.Escaped
	var sources ir.Raw
	r := jsonr.NewReader(string(jsonw.View(it.raw)))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "action":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "query":
					query, _ = jsonr.Text(r.Value())
				case "queries":
					for r.OpenArray(); r.Element(); {
						if q, _ := jsonr.Text(r.Value()); query == "" {
							query = q
						}
					}
				case "sources":
					sources = r.Value()
				}
			}
		case "arguments":
			if arguments, _ := jsonr.Text(r.Value()); arguments != "" && query == "" {
				query = queryOf(jsonw.Unescape(arguments))
			}
		}
	}
	if query == "" {
		d.opaque(it)
		return
	}
	if !d.shows(ir.WebSearchBlock, it) {
		return
	}
	d.open(it, ir.WebSearchBlock)
	d.out.Text(query)
	list := jsonr.NewReader(string(sources))
	for list.OpenArray(); list.Element(); {
		cite := ir.Citation{Start: -1, End: -1}
		for list.OpenObject(); list.Member(); {
			switch list.Key() {
			case "url":
				cite.URL, _ = jsonr.Text(list.Value())
			case "title":
				cite.Title, _ = jsonr.Text(list.Value())
			}
		}
		if cite.URL != "" {
			d.out.Cite(cite)
		}
	}
}

func queryOf(arguments string) (query ir.Escaped) {
	if jsonr.Check(arguments) == nil {
		r := jsonr.NewReader(arguments)
		for r.OpenObject(); r.Member(); {
			if r.Key() == "query" {
				query, _ = jsonr.Text(r.Value())
			}
		}
	}
	return query
}
