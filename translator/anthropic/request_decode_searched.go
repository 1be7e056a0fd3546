package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// ownSearch reads the two blocks of a search, a fetch or a consultation that ran here (ir.RanHere). It
// buffers the call until the result comes. Then b gets the call with its result, and ir.Unfold converts b
// for an upstream. A call without a result is left out.
func (d *requestDecoder) ownSearch(b *ir.Content, f *fields) {
	id, _ := jsonr.Text(f.toolUseID)
	if f.kind == "server_tool_use" {
		id, _ = jsonr.Text(f.id)
		h := &ir.Hosted{ID: id, Input: f.input, Made: true}
		if jsonr.KindOf(f.input) != jsonr.Object {
			h.Input = "{}"
		}
		d.ran = append(d.ran, h)
		return
	}
	h := &ir.Hosted{Input: "{}", Made: true}
	for i := len(d.ran) - 1; i >= max(0, len(d.ran)-maxRan); i-- {
		if d.ran[i].ID == id {
			h = d.ran[i]
			d.ran = append(d.ran[:i], d.ran[i+1:]...)
			break
		}
	}
	h.ID = ir.Escaped(strings.TrimPrefix(string(id), madeSearch))
	switch f.kind {
	case fetchResult:
		h.Kind = ir.WebFetchTool
		fetchedBy(h, f.content)
	case adviceResult:
		h.Kind = ir.AdvisorTool
		advisedBy(h, f.content)
	default:
		h.Kind = ir.WebSearchTool
		foundBy(h, f.content)
	}
	b.Kind, b.Hosted = ir.OpaqueContent, h
}

// foundBy reads the content of a web_search_tool_result into its search: the results as the model
// has read them, or an error.
func foundBy(h *ir.Hosted, content ir.Raw) {
	r := jsonr.NewReader(string(content))
	for r.OpenObject(); r.Member(); {
		if code, _ := jsonr.Text(r.Value()); r.Key() == "error_code" {
			h.Failed, h.Output = true, ir.SearchFailure(string(code))
		}
	}
	text, n := []byte(nil), 0
	list := jsonr.NewReader(string(content))
	for list.OpenArray(); list.Element(); {
		var c ir.Citation
		var said ir.Escaped
		for list.OpenObject(); list.Member(); {
			switch v, _ := jsonr.Text(list.Value()); list.Key() {
			case "url":
				c.URL = v
			case "title":
				c.Title = v
			case "page_age":
				c.Age = v
			case "encrypted_content":
				said = ir.HitText(v)
			}
		}
		n++
		text = ir.AppendHit(text, n, &c, said)
		h.Pages = append(h.Pages, c.URL)
	}
	if n > 0 {
		h.Output = ir.Escaped(text)
	}
}

// fetchedBy reads the content of a web_fetch_tool_result into its call: the webpage, or an error.
func fetchedBy(h *ir.Hosted, content ir.Raw) {
	r := jsonr.NewReader(string(content))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "error_code":
			code, _ := jsonr.Text(r.Value())
			h.Failed, h.Code = true, string(code)
		case "url":
			h.URL, _ = jsonr.Text(r.Value())
		case "content":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "title":
					h.Title, _ = jsonr.Text(r.Value())
				case "source":
					for r.OpenObject(); r.Member(); {
						if r.Key() == "data" {
							h.Output, _ = jsonr.Text(r.Value())
						}
					}
				}
			}
		}
	}
}
