package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// appendEdits appends context_management, the list of removed parts of the history ("Context
// editing response"). A client that asks for edits gets the list even if no edit was necessary.
func (w *blockWriter) appendEdits(dst []byte, ev *ir.Event) []byte {
	e := w.request.Edits
	if e == nil || !e.Made {
		if ev.Edits != "" {
			dst = append(append(dst, `,"context_management":`...), ev.Edits...)
		}
		return dst
	}
	separator := ``
	dst = append(dst, `,"context_management":{"applied_edits":[`...)
	for _, c := range e.Cleared {
		if c.Uses == 0 {
			continue
		}
		dst = append(dst, separator...)
		separator = `,`
		dst = jsonw.AppendIntMember(dst, `{"type":"clear_tool_uses_20250919","cleared_tool_uses":`, c.Uses)
		dst = jsonw.AppendIntMember(dst, `,"cleared_input_tokens":`, c.Tokens)
		dst = append(dst, '}')
	}
	return append(dst, `]}`...)
}
