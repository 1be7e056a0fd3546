package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// searchID is the prefix of ids of web searches in this API.
const searchID = "srvtoolu_"

// madeSearch is the prefix of ids of web searches by an upstream of another protocol. Clients send
// these searches back with later turns, but no upstream gets them.
const madeSearch = searchID + "el1_"

// webSearchPair is a web search that ran at the upstream or here. In this API a search is a pair of
// blocks: server_tool_use, and web_search_tool_result with the results ("Web search tool",
// "Response"). Both are written when the search is complete.
type webSearchPair struct {
	id    []byte
	query []byte // escaped
	hits  []byte // the elements of the result's "content"
	count int64  // of searches in this answer
	here  bool   // a search or a fetch of the answer ran here: see ir.RanHere
	ran   int64  // how many searches succeeded here
	pages int64  // how many webpages were fetched here
	code  string // the error of the search, "" for none
}

// begin begins a search, at its BlockStart. An id that Anthropic would reject is replaced: ids must
// match ^srvtoolu_[a-zA-Z0-9_]+$.
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

// end ends a search, at its BlockStop.
func (p *webSearchPair) end(ev *ir.Event) {
	p.code = ev.Code
	if strings.HasPrefix(string(p.id), madeSearch+ir.RanHere) {
		p.here = true
		if p.code == "" {
			p.ran++
		}
	}
}

// fetched counts a webpage that was fetched here, unless the fetch failed.
func (p *webSearchPair) fetched(h *ir.Hosted) {
	p.here = true
	if !h.Failed {
		p.pages++
	}
}

// delta adds a piece of the query, or a hit. Another vendor's hit has empty values for Anthropic's
// own members.
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
	p.hits = jsonw.AppendTextMember(p.hits, `{"type":"web_search_result","encrypted_content":`, c.Envelope)
	if c.Age == "" {
		p.hits = append(p.hits, `,"page_age":null`...)
	} else {
		p.hits = jsonw.AppendTextMember(p.hits, `,"page_age":`, c.Age)
	}
	p.hits = jsonw.AppendTextMember(p.hits, `,"title":`, c.Title)
	p.hits = jsonw.AppendTextMember(p.hits, `,"url":`, c.URL)
	p.hits = append(p.hits, '}')
}

// appendUse appends server_tool_use. In a plain body the block has the input. In a stream the input
// is {}, and a delta with the input follows.
func (p *webSearchPair) appendUse(dst []byte, plain bool) []byte {
	dst = jsonw.AppendTextMember(dst, `{"type":"server_tool_use","id":`, jsonw.View(p.id))
	dst = append(dst, `,"name":"`+webSearch+`","input":{`...)
	if plain {
		dst = jsonw.AppendTextMember(dst, `"query":`, jsonw.View(p.query))
	}
	return append(append(append(dst, '}'), direct...), '}')
}

// appendInput appends the input as the inside of a string literal: {\"query\":...}.
func (p *webSearchPair) appendInput(dst []byte) []byte {
	dst = append(dst, `{\"query\":\"`...)
	dst = jsonw.AppendText(dst, string(jsonw.View(p.query)))
	return append(dst, `\"}`...)
}

// appendResult appends web_search_tool_result. A failed search has an error instead of hits ("Web
// search tool", "Errors").
func (p *webSearchPair) appendResult(dst []byte) []byte {
	dst = jsonw.AppendTextMember(dst, `{"type":"web_search_tool_result","tool_use_id":`, jsonw.View(p.id))
	if p.code != "" {
		dst = jsonw.AppendTextMember(dst, `,"content":{"type":"web_search_tool_result_error","error_code":`,
			ir.Escaped(p.code))
		dst = append(dst, '}')
	} else {
		dst = append(append(append(dst, `,"content":[`...), p.hits...), ']')
	}
	return append(append(dst, direct...), '}')
}
