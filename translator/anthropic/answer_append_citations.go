package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendCitation appends a citation of a text block: as an upstream of this API has sent it, or as
// web_search_result_location. By encrypted_index Anthropic finds the cited place again. Another
// vendor's citation has none, so it is empty, by which Client.HoldsForeign knows it when the client
// sends it back. A title that is missing is "": the AI SDK refuses null.
func appendCitation(dst []byte, c *ir.Citation) []byte {
	if c.Raw != "" {
		return jsonw.AppendFlat(dst, c.Raw)
	}
	dst = jsonw.AppendTextMember(dst, `{"type":"web_search_result_location","cited_text":`, c.Quote)
	dst = jsonw.AppendTextMember(dst, `,"encrypted_index":"","title":`, c.Title)
	dst = jsonw.AppendTextMember(dst, `,"url":`, c.URL)
	return append(dst, '}')
}
