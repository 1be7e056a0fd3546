package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// search emits a web_search_call: the query and, if action has sources, the results (API reference,
// "Web search"). xAI sends the query in arguments, like a call (recorded in xai-web-search-tool).
// An item of this type without a query is a webpage opened by the upstream, not a search.
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
