package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendCitation appends a citation of a text block: unchanged from an upstream of this API,
// otherwise as web_search_result_location. Anthropic finds the cited text again by encrypted_index.
// For another vendor's citation encrypted_index is empty: when the client sends the citation back,
// Client.HoldsForeign recognizes it by the empty value. A missing title is "", since the AI SDK
// rejects null.
func appendCitation(dst []byte, c *ir.Citation) []byte {
	if c.Raw != "" {
		return jsonw.AppendFlat(dst, c.Raw)
	}
	dst = jsonw.AppendTextMember(dst, `{"type":"web_search_result_location","cited_text":`, c.Quote)
	dst = jsonw.AppendTextMember(dst, `,"encrypted_index":"","title":`, c.Title)
	dst = jsonw.AppendTextMember(dst, `,"url":`, c.URL)
	return append(dst, '}')
}
