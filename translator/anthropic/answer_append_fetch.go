package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
)

// The tool for fetching webpages, and the block with a webpage.
const (
	webFetch    = "web_fetch"
	fetchResult = webFetch + "_tool_result"
)

// appendFetch appends the two blocks of a webpage that was fetched here: server_tool_use, and
// web_fetch_tool_result with the webpage as a document or with an error ("Web fetch tool",
// "Response" and "Errors"). It leaves the second block open.
//
//go:noinline
func (w *blockWriter) appendFetch(dst []byte, h *ir.Hosted) []byte {
	w.search.fetched(h)
	id := madeID(h)
	dst = w.appendHostedUse(dst, h, id, webFetch)
	dst = jsonw.AppendTextMember(w.appendHead(dst), `{"type":"`+fetchResult+`","tool_use_id":`,
		jsonw.View(id))
	if h.Failed {
		dst = jsonw.AppendTextMember(dst, `,"content":{"type":"web_fetch_tool_result_error","error_code":`,
			ir.Escaped(h.Code))
		return w.appendTail(append(append(append(dst, '}'), direct...), '}'))
	}
	dst = jsonw.AppendTextMember(dst, `,"content":{"type":"web_fetch_result","url":`, h.URL)
	dst = append(dst, `,"retrieved_at":"`...)
	dst = models.AppendTime(dst, h.At)
	dst = jsonw.AppendTextMember(dst,
		`","content":{"type":"document","source":{"type":"text","media_type":"text/plain","data":`, h.Output)
	dst = append(dst, `},"title":`...)
	if h.Title == "" {
		dst = append(dst, `null`...)
	} else {
		dst = jsonw.AppendEscaped(dst, h.Title)
	}
	return w.appendTail(append(append(append(dst, `,"citations":null}}`...), direct...), '}'))
}

// madeID returns the id of a call that ran here.
func madeID(h *ir.Hosted) []byte {
	id := []byte(madeSearch + ir.Identifier(h.ID, 0))
	for i, c := range id {
		if c == '-' {
			id[i] = '_'
		}
	}
	return id
}
