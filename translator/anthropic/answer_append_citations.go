package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

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
