package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// appendHosted appends the two blocks of a call that ran at the upstream. It leaves the second
// block open.
func (w *blockWriter) appendHosted(dst []byte, h *ir.Hosted) []byte {
	if h.Kind == ir.WebFetchTool {
		return w.appendFetch(dst, h)
	}
	if h.Kind == ir.AdvisorTool {
		return w.appendAdvice(dst, h)
	}
	if h.Kind == ir.ProgramTool {
		return w.appendProgram(dst, h)
	}
	id, name := hostedID(h, w.index), ir.Escaped(searchTools)
	for i := range w.request.Tools {
		if t := &w.request.Tools[i]; t.Kind == ir.ToolSearchTool && t.Name != "" {
			name = t.Name
		}
	}
	dst = w.appendHostedUse(dst, h, id, name)
	return w.appendTail(appendHostedResult(w.appendHead(dst), h, id, func(ir.Escaped) bool { return true }))
}

// appendHostedUse appends the block of the call. name is the tool's name.
func (w *blockWriter) appendHostedUse(dst []byte, h *ir.Hosted, id []byte, name ir.Escaped) []byte {
	return w.appendEnd(w.appendOpenUse(dst, h, id, name))
}

// appendOpenUse is appendHostedUse without the end of the block.
func (w *blockWriter) appendOpenUse(dst []byte, h *ir.Hosted, id []byte, name ir.Escaped) []byte {
	dst = w.appendTail(appendHostedCall(w.appendHead(dst), h, id, name, w.plain, direct))
	if !w.plain {
		dst = w.appendDeltaHead(dst, `{"type":"input_json_delta","partial_json":"`)
		dst = jsonw.AppendQuotedRaw(dst, h.Input)
		dst = sse.AppendTail(append(dst, `"}}`...))
	}
	return dst
}
