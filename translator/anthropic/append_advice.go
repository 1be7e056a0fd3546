package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The advisor tool, and the block with an advice.
const (
	advisor      = "advisor"
	adviceResult = advisor + "_tool_result"
)

// advisedBy reads the content of an advisor_tool_result into its call: the advice, or an error. An
// advisor_redacted_result has no text for others than Anthropic.
//
//go:noinline
func advisedBy(h *ir.Hosted, content ir.Raw) {
	h.Done = true
	r := jsonr.NewReader(string(content))
	for r.OpenObject(); r.Member(); {
		switch v, _ := jsonr.Text(r.Value()); r.Key() {
		case "error_code":
			h.Failed, h.Code = true, string(ir.Identifier(v, 64))
		case "text":
			h.Output = v
		case "stop_reason":
			h.Stop = stopOf(v)
		}
	}
}

// appendAdvice appends the two blocks of a consultation that ran here: server_tool_use, and
// advisor_tool_result with the advice or an error ("Advisor tool", "Response structure"). The second
// block has no deltas, and is left open.
//
//go:noinline
func (w *blockWriter) appendAdvice(dst []byte, h *ir.Hosted) []byte {
	id := madeID(h)
	dst = w.appendTail(appendHostedCall(w.appendHead(dst), h, id, advisor, true, direct))
	dst = w.appendEnd(dst)
	dst = jsonw.AppendTextMember(w.appendHead(dst), `{"type":"`+adviceResult+`","tool_use_id":`,
		jsonw.View(id))
	if h.Model != "" { // a model was asked
		w.noteAdvice(h)
	}
	if h.Failed {
		dst = jsonw.AppendTextMember(dst, `,"content":{"type":"advisor_tool_result_error","error_code":`,
			ir.Escaped(h.Code))
	} else {
		dst = jsonw.AppendTextMember(dst, `,"content":{"type":"advisor_result","text":`, h.Output)
		dst = jsonw.AppendTextMember(dst, `,"stop_reason":`, ir.Escaped(stopReason(h.Stop)))
	}
	return w.appendTail(append(dst, `}}`...))
}

// noteAdvice adds the tokens of a consultation to usage.iterations, after the model's calls before.
func (w *blockWriter) noteAdvice(h *ir.Hosted) {
	w.noteRounds(w.rounds)
	w.advised = jsonw.AppendTextMember(w.advised, `{"type":"advisor_message","model":`, h.Model)
	w.advised = append(appendIteration(w.advised, ``, h.Usage), ',')
}

// noteRounds adds the model's calls since the last element to usage.iterations. all is the usage of
// all calls so far.
func (w *blockWriter) noteRounds(all ir.Usage) {
	old := w.listed
	w.listed = all
	u := ir.Usage{Input: all.Input - max(old.Input, 0), CacheRead: all.CacheRead - max(old.CacheRead, 0),
		CacheWrite: all.CacheWrite - max(old.CacheWrite, 0), Output: all.Output - max(old.Output, 0)}
	if u.Prompt() > 0 || u.Output > 0 {
		w.advised = append(appendIteration(w.advised, `{"type":"message","model":null`, u), ',')
	}
}

// appendAdvised adds "iterations" with the advisor's tokens to a complete usage object ("Advisor
// tool", "Usage and billing": the other members count the model alone). all is the usage in the
// object.
//
//go:noinline
func (w *blockWriter) appendAdvised(dst []byte, all ir.Usage) []byte {
	dst = append(dst[:len(dst)-1], `,"iterations":[`...)
	if w.summed != nil {
		dst = append(appendIteration(dst, `{"type":"compaction"`, *w.summed), ',')
	}
	w.noteRounds(all)
	return append(append(dst, w.advised[:len(w.advised)-1]...), `]}`...)
}
