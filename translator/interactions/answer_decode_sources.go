package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Bounds of what is kept for citations and searches.
const (
	maxCitations = 1024 // of one answer
	maxSearches  = 64
)

// sources are what the answer says of where its text comes from. A search has queries
// (google_search_call) and a page of suggestions in HTML (google_search_result); what it has found
// stands in the annotations of texts alone (recorded in google-search of vercel/ai,
// packages/google), before the search or behind it.
type sources struct {
	shown   bool             // the client's API has a form for searches
	text    google.CitedText // of the open block
	cited   int              // citations that have come
	queries []ir.Escaped     // of the searches
	found   []ir.Citation    // the pages that texts cite, each once, for the results of the searches
}

// annotations yields the citations of the open text that are of pages of the web (Annotation of
// @google/genai). Their places count bytes of the text, and a place that begins the text may have
// no start_index, since protobuf's JSON may leave a 0 out.
func (d *decoder) annotations(r *jsonr.Reader) {
	for r.OpenArray(); r.Element() && !d.out.Ended(); {
		var typ ir.Escaped
		c := ir.Citation{Start: -1, End: -1}
		from, to := int64(0), int64(-1)
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				typ, _ = jsonr.Text(r.Value())
			case "url":
				c.URL, _ = jsonr.Text(r.Value())
			case "title":
				c.Title, _ = jsonr.Text(r.Value())
			case "start_index":
				from = jsonr.Count(r.Value())
			case "end_index":
				to = jsonr.Count(r.Value())
			}
		}
		d.sources.cited++
		if typ != "url_citation" || c.URL == "" || d.open != ir.TextBlock || d.hidden ||
			d.sources.cited > maxCitations {
			d.lost.AddNamed(lostAnnotation, typ)
			continue
		}
		c.Start, c.End = d.sources.text.Place(from, to, "")
		d.out.Cite(c)
		d.note(c)
	}
}

// note keeps a page that a text cites for the results of the searches.
func (d *decoder) note(c ir.Citation) {
	if !d.sources.shown {
		return
	}
	for i := range d.sources.found {
		if d.sources.found[i].URL == c.URL {
			return
		}
	}
	if d.out.Keep(len(c.URL)+len(c.Title), tooMuch) {
		d.sources.found = append(d.sources.found, ir.Citation{URL: ir.Escaped(strings.Clone(string(c.URL))),
			Title: ir.Escaped(strings.Clone(string(c.Title))), Start: -1, End: -1})
	}
}

// searched takes the queries of a search, or what it has found.
func (d *decoder) searched(arguments ir.Raw, result *jsonr.Reader, isError ir.Raw) {
	r := jsonr.NewReader(string(arguments))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "queries" {
			continue
		}
		for r.OpenArray(); r.Element() && !d.out.Ended(); {
			query, _ := jsonr.Text(r.Value())
			switch {
			case query == "":
			case !d.sources.shown, len(d.sources.queries) == maxSearches:
				d.lost.Add(lostQueries)
			case d.out.Keep(len(query), tooMuch):
				d.sources.queries = append(d.sources.queries, ir.Escaped(strings.Clone(string(query))))
			}
		}
		if d.out.Ended() { // r is in the middle of queries
			return
		}
	}
	if isError == "true" {
		d.lost.Add(lostSearchError)
	}
	for result.OpenArray(); result.Element(); {
		for result.OpenObject(); result.Member(); {
			if jsonr.Asks(result.Value()) {
				d.lost.AddNamed(lostResult, ir.Escaped(result.Key()))
			}
		}
	}
}

// searches yields the searches that the upstream has run, at the end of the answer: what they have
// found is known no sooner. Which search has found what nobody says, so the first one has all
// results.
func (d *decoder) searches() {
	for i, query := range d.sources.queries {
		if d.out.Ended() || !d.out.Count() {
			return
		}
		d.out.Begin(ir.WebSearchBlock, "")
		d.out.Text(query)
		for k := range d.sources.found {
			if i == 0 {
				d.out.Cite(d.sources.found[k])
			}
		}
		d.out.Stop()
	}
}
