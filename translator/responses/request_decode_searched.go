package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// searched reads a web_search_call of the history. The item is retained unchanged, and as a call
// with a result for an upstream that can't search. It has the URLs of the webpages found, but not
// their content.
func (d *requestDecoder) searched(f *fields, whole ir.Raw, at ir.Pos) {
	id, _ := jsonr.Text(f.id)
	h := &ir.Hosted{Kind: ir.WebSearchTool, ID: id, Made: isMadeSearch(string(id))}
	if h.ID == "" { // Codex 0.169 sends no id
		h.ID = ir.Escaped("ws_" + strings.Trim(at.Path(""), "input[]"))
	}
	var query ir.Escaped
	text, n := []byte(nil), 0
	r := jsonr.NewReader(string(f.action))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "query":
			query, _ = jsonr.Text(r.Value())
		case "sources":
			for r.OpenArray(); r.Element(); {
				var c ir.Citation
				for r.OpenObject(); r.Member(); {
					if url, _ := jsonr.Text(r.Value()); r.Key() == "url" {
						c.URL = url
					}
				}
				n++
				text = ir.AppendHit(text, n, &c, "")
			}
		}
	}
	d.take(modelSpeaker)
	c := ir.Content{Kind: ir.OpaqueContent, At: at, Raw: whole}
	if query != "" {
		h.Input = ir.Raw(append(jsonw.AppendEscaped([]byte(`{"query":`), query), '}'))
		h.Output = `The web search was run. What it has found is not kept.`
		if status, _ := jsonr.Text(f.status); status == "failed" {
			h.Failed, h.Output = true, ir.SearchFailure("")
		} else if n > 0 {
			h.Output = ir.Escaped(text)
		}
		c.Hosted = h
	}
	d.content = append(d.content, c)
}

// isMadeSearch reports whether an id belongs to a search in a translated answer: ws_STEM_N.
// OpenAI's ids have no second "_".
func isMadeSearch(id string) bool {
	rest, ok := strings.CutPrefix(id, "ws_")
	i := strings.LastIndexByte(rest, '_')
	return ok && i >= 0 && i < len(rest)-1 && strings.Trim(rest[i+1:], "0123456789") == ""
}

// holdsMadeSearch reports whether any string in a body is the id of such a search.
func holdsMadeSearch(body string) bool {
	for {
		_, rest, ok := strings.Cut(body, `"ws_`)
		if !ok {
			return false
		}
		id, _, _ := strings.Cut(rest[:min(len(rest), maxSearchID)], `"`)
		if isMadeSearch("ws_" + id) {
			return true
		}
		body = rest
	}
}

// maxSearchID is an upper bound for the length of a search's id, in bytes.
const maxSearchID = 256
