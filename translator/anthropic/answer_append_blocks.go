package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendSignature appends a signature, or what is hidden, escaped and without quotes: Anthropic's own as it is, another vendor's
// in an envelope with its id of the item, which the client sends back.
func appendSignature(dst []byte, ev *ir.Event, redacted bool, item []byte) []byte {
	if ev.Origin == Name {
		return append(dst, ev.Text...)
	}
	return ir.AppendEnvelope(dst, ev.Origin, redacted, jsonw.View(item), ev.Text)
}

// appendRedacted appends a redacted_thinking block.
func appendRedacted(dst []byte, ev *ir.Event, item []byte) []byte {
	dst = append(dst, `{"type":"redacted_thinking","data":"`...)
	dst = appendSignature(dst, ev, true, item)
	return append(dst, `"}`...)
}

// appendCitation appends a citation of a text: as the upstream sent it, or one of the web. encrypted_index is how Anthropic finds
// the place again; of another vendor's citation there is none.
func appendCitation(dst []byte, c *ir.Citation) []byte {
	if c.Raw != "" {
		return jsonw.AppendFlat(dst, c.Raw)
	}
	dst = append(dst, `{"type":"web_search_result_location","cited_text":`...)
	dst = jsonw.AppendEscaped(dst, c.Quote)
	dst = append(dst, `,"encrypted_index":"","title":`...)
	dst = jsonw.AppendEscaped(dst, c.Title) // not null: the AI SDK fails at it
	dst = append(dst, `,"url":`...)
	dst = jsonw.AppendEscaped(dst, c.URL)
	return append(dst, '}')
}

// searchID is what ids of searches begin with.
const searchID = "srvtoolu_"

// madeSearch is what the ids of searches begin with that are made from another vendor's, which never go back to any upstream.
const madeSearch = searchID + "el1_"

// found gathers a web search that the upstream ran ("Web search tool", "Response"): here it is two blocks, the use of the tool and
// its hits.
type found struct {
	id, query, hits []byte // query escaped, hits as elements of an array
	count           int64
}

// begin takes the search's BlockStart. Its id must match ^srvtoolu_[a-zA-Z0-9_]+$.
func (f *found) begin(ev *ir.Event) {
	f.query, f.hits = f.query[:0], f.hits[:0]
	f.count++
	if rest, ok := strings.CutPrefix(string(ev.ID), searchID); ok && rest != "" && isSearchID(rest) {
		f.id = append(f.id[:0], ev.ID...)
		return
	}
	f.id = append(f.id[:0], madeSearch...)
	if ev.ID == "" {
		f.id = strconv.AppendInt(f.id, f.count, 10)
		return
	}
	for _, c := range []byte(ir.Identifier(ev.ID, 0)) {
		if c == '-' {
			c = '_'
		}
		f.id = append(f.id, c)
	}
}

func isSearchID(s string) bool {
	return !strings.Contains(s, "-") && string(ir.Identifier(ir.Escaped(s), 0)) == s
}

// delta takes a piece of the query, or a hit.
func (f *found) delta(ev *ir.Event) {
	if ev.Delta == ir.TextDelta {
		f.query = append(f.query, ev.Text...)
		return
	}
	if len(f.hits) > 0 {
		f.hits = append(f.hits, ',')
	}
	c := ev.Citation
	if c.Raw != "" {
		f.hits = jsonw.AppendFlat(f.hits, c.Raw)
		return
	}
	f.hits = append(f.hits, `{"type":"web_search_result","encrypted_content":"","page_age":null,"title":`...)
	f.hits = jsonw.AppendEscaped(f.hits, c.Title)
	f.hits = append(f.hits, `,"url":`...)
	f.hits = jsonw.AppendEscaped(f.hits, c.URL)
	f.hits = append(f.hits, '}')
}

// appendUse appends server_tool_use; its input comes by itself in a stream.
func (f *found) appendUse(dst []byte, whole bool) []byte {
	dst = append(dst, `{"type":"server_tool_use","id":"`...)
	dst = append(dst, f.id...)
	dst = append(dst, `","name":"`+webSearch+`","input":`...)
	if whole {
		dst = f.appendInput(dst, false)
	} else {
		dst = append(dst, `{}`...)
	}
	return append(dst, '}')
}

// appendInput appends the input of the search, or the inside of a literal that holds it.
func (f *found) appendInput(dst []byte, quoted bool) []byte {
	if quoted {
		dst = append(dst, `{\"query\":\"`...)
		dst = jsonw.AppendText(dst, string(jsonw.View(f.query)))
		return append(dst, `\"}`...)
	}
	dst = append(dst, `{"query":"`...)
	dst = append(dst, f.query...)
	return append(dst, `"}`...)
}

// appendResult appends web_search_tool_result.
func (f *found) appendResult(dst []byte) []byte {
	dst = append(dst, `{"type":"web_search_tool_result","tool_use_id":"`...)
	dst = append(dst, f.id...)
	dst = append(dst, `","content":[`...)
	dst = append(dst, f.hits...)
	return append(dst, `]}`...)
}
