package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// searchID is what the ids of web searches begin with in this API.
const searchID = "srvtoolu_"

// madeSearch is what the ids of web searches begin with that an upstream of another protocol ran.
// Clients send these searches back with later turns; they are left out of what any upstream is
// sent.
const madeSearch = searchID + "el1_"

// webSearchPair is a web search that the upstream ran. In this API it is a pair of blocks:
// server_tool_use, and web_search_tool_result with what was found ("Web search tool", "Response").
// Both are written once the search is known whole.
type webSearchPair struct {
	id    []byte
	query []byte // escaped
	hits  []byte // the elements of the result's "content"
	count int64  // of searches in this answer
	here  bool   // this or an earlier search of the answer, or a fetch, was run here: see ir.RanHere
	ran   int64  // how many of these have succeeded
	pages int64  // how many pages were fetched here
	code  string // why the search has failed, "" where it has not
}

// begin takes the search's BlockStart. The id becomes one that Anthropic accepts: it refuses those
// that don't match ^srvtoolu_[a-zA-Z0-9_]+$.
//
//go:noinline
func (p *webSearchPair) begin(ev *ir.Event) {
	p.query, p.hits, p.code = p.query[:0], p.hits[:0], ""
	p.count++
	if rest, ok := strings.CutPrefix(string(ev.ID), searchID); ok && rest != "" && isSearchID(rest) {
		p.id = append(p.id[:0], ev.ID...)
		return
	}
	p.id = append(p.id[:0], madeSearch...)
	if ev.ID == "" {
		p.id = strconv.AppendInt(p.id, p.count, 10)
		return
	}
	for _, c := range []byte(ir.Identifier(ev.ID, 0)) {
		if c == '-' {
			c = '_'
		}
		p.id = append(p.id, c)
	}
}

func isSearchID(s string) bool {
	return !strings.Contains(s, "-") && string(ir.Identifier(ir.Escaped(s), 0)) == s
}

// end takes the search's BlockStop.
func (p *webSearchPair) end(ev *ir.Event) {
	p.code = ev.Code
	if strings.HasPrefix(string(p.id), madeSearch+ir.RanHere) {
		p.here = true
		if p.code == "" {
			p.ran++
		}
	}
}

// fetched counts a page that was fetched here, or was to be.
func (p *webSearchPair) fetched(h *ir.Hosted) {
	p.here = true
	if !h.Failed {
		p.pages++
	}
}

// delta takes a piece of the query, or a hit. The members of a hit that only Anthropic knows are
// empty for a hit of another vendor.
//
//go:noinline
func (p *webSearchPair) delta(ev *ir.Event) {
	if ev.Delta == ir.TextDelta {
		p.query = append(p.query, ev.Text...)
		return
	}
	if len(p.hits) > 0 {
		p.hits = append(p.hits, ',')
	}
	c := ev.Citation
	if c.Raw != "" {
		p.hits = jsonw.AppendFlat(p.hits, c.Raw)
		return
	}
	p.hits = jsonw.AppendTextMember(p.hits, `{"type":"web_search_result","encrypted_content":`, c.Sealed)
	if c.Age == "" {
		p.hits = append(p.hits, `,"page_age":null`...)
	} else {
		p.hits = jsonw.AppendTextMember(p.hits, `,"page_age":`, c.Age)
	}
	p.hits = jsonw.AppendTextMember(p.hits, `,"title":`, c.Title)
	p.hits = jsonw.AppendTextMember(p.hits, `,"url":`, c.URL)
	p.hits = append(p.hits, '}')
}

// appendUse appends server_tool_use: with its input in a plain body, else with {}, since a stream
// brings the input in a delta.
func (p *webSearchPair) appendUse(dst []byte, plain bool) []byte {
	dst = jsonw.AppendTextMember(dst, `{"type":"server_tool_use","id":`, jsonw.View(p.id))
	dst = append(dst, `,"name":"`+webSearch+`","input":{`...)
	if plain {
		dst = jsonw.AppendTextMember(dst, `"query":`, jsonw.View(p.query))
	}
	return append(dst, `}}`...)
}

// appendInput appends the input as the inside of a string literal: {\"query\":...}.
func (p *webSearchPair) appendInput(dst []byte) []byte {
	dst = append(dst, `{\"query\":\"`...)
	dst = jsonw.AppendText(dst, string(jsonw.View(p.query)))
	return append(dst, `\"}`...)
}

// appendResult appends web_search_tool_result. In place of the hits of a search that has failed it
// has an error ("Web search tool", "Errors").
func (p *webSearchPair) appendResult(dst []byte) []byte {
	dst = jsonw.AppendTextMember(dst, `{"type":"web_search_tool_result","tool_use_id":`, jsonw.View(p.id))
	if p.code != "" {
		dst = jsonw.AppendTextMember(dst, `,"content":{"type":"web_search_tool_result_error","error_code":`,
			ir.Escaped(p.code))
		return append(dst, `}}`...)
	}
	dst = append(dst, `,"content":[`...)
	dst = append(dst, p.hits...)
	return append(dst, `]}`...)
}
