package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Bounds of the buffered citations and searches.
const (
	maxCitations = 1024 // of one answer
	maxSearches  = 64
)

// sources holds the sources of an answer's text. A search has queries (google_search_call) and a
// webpage of suggestions in HTML (google_search_result). Its results are only in the annotations of
// texts, before the search or after it (recorded in google-search of vercel/ai, packages/google).
type sources struct {
	shown   bool             // the client's API has a form for searches
	text    google.CitedText // of the open block
	cited   int              // the number of citations so far
	queries []ir.Escaped     // of the searches
	found   []ir.Citation    // each cited webpage once, for the results of the searches
}

// annotations yields the citations of webpages in the open text (Annotation of @google/genai).
// Their positions count bytes of the text. start_index may be missing for a citation at the
// beginning of the text, since protobuf's JSON may leave out a 0.
func (d *decoder) annotations(r *jsonr.Reader) {
	for r.OpenArray(); !d.out.Ended() && r.Element(); {
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
		c.Start, c.End = d.sources.text.Span(from, to, "")
		d.out.Cite(c)
		d.note(c)
	}
}

// note buffers a cited webpage for the results of the searches.
func (d *decoder) note(c ir.Citation) {
	if !d.sources.shown {
		return
	}
	for i := range d.sources.found {
		if d.sources.found[i].URL == c.URL {
			return
		}
	}
	if d.out.Reserve(len(c.URL)+len(c.Title), tooMuch) {
		d.sources.found = append(d.sources.found, ir.Citation{URL: ir.Escaped(strings.Clone(string(c.URL))),
			Title: ir.Escaped(strings.Clone(string(c.Title))), Start: -1, End: -1})
	}
}

// searched buffers the queries of a search, and notes the losses of its result.
func (d *decoder) searched(arguments ir.Raw, result *jsonr.Reader, isError ir.Raw) {
	r := jsonr.NewReader(string(arguments))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "queries" {
			continue
		}
		for r.OpenArray(); !d.out.Ended() && r.Element(); {
			query, _ := jsonr.Text(r.Value())
			switch {
			case query == "":
			case !d.sources.shown, len(d.sources.queries) == maxSearches:
				d.lost.Add(lostQueries)
			case d.out.Reserve(len(query), tooMuch):
				d.sources.queries = append(d.sources.queries, ir.Escaped(strings.Clone(string(query))))
			}
		}
		if d.out.Ended() { // r is still inside the list of queries
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

// searches yields the upstream's searches at the end of the answer: only then are all results
// known. Google does not say which search found which result, so all results go to the first.
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
