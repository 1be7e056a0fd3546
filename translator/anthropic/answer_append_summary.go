package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// appendSummary appends the compaction block of a summary ("Compaction at a token threshold",
// "Streaming": one delta with all of it). The text of the summary is for readers of the answer. If
// the summary is sealed, encrypted_content counts when the client sends the block back.
func (w *blockWriter) appendSummary(dst []byte, ev *ir.Event) []byte {
	if ev.Usage != ir.NoUsage {
		u := ev.Usage
		w.summed = &u
	}
	dst = append(w.appendHead(dst), `{"type":"compaction","content":`...)
	if w.plain {
		return append(appendSummed(dst, ev), '}')
	}
	dst = w.appendTail(append(dst, `null,"encrypted_content":null}`...))
	return sse.AppendTail(append(appendSummed(w.appendDeltaHead(dst,
		`{"type":"compaction_delta","content":`), ev), `}}`...))
}

// appendSummed appends the value of content, and encrypted_content. A summary without text has
// failed.
func appendSummed(dst []byte, ev *ir.Event) []byte {
	dst = appendOrNull(dst, ev.Text)
	dst = append(dst, `,"encrypted_content":`...)
	if ir.IsEnvelope(ev.Envelope) && !ir.IsSealed(ev.Envelope) { // the envelope only repeats the text
		return append(dst, "null"...)
	}
	return appendOrNull(dst, ev.Envelope)
}

func appendOrNull(dst []byte, e ir.Escaped) []byte {
	if e == "" {
		return append(dst, "null"...)
	}
	return jsonw.AppendEscaped(dst, e)
}

// answerUsage returns the usage of the answer without the call that made a summary, which is
// counted separately ("Understanding usage"). If the answer is only a summary, the result is all
// zero. ev is the Finish of the answer, and u its usage.
func (w *blockWriter) answerUsage(ev *ir.Event, u ir.Usage) ir.Usage {
	if ev.Stop == ir.Compacted && w.summed != nil {
		return ir.Usage{}
	}
	return u
}

// appendIterations adds "iterations" to a complete usage object: the usage of each call of the
// model. The member is for conversations that this program compacts, even if compaction was not
// necessary. u is the usage in the object.
func (w *blockWriter) appendIterations(dst []byte, u ir.Usage) []byte {
	r := w.request
	if len(w.advised) > 0 {
		return w.appendAdvised(dst, u)
	}
	if w.summed == nil && (r.Compaction == nil || r.Edits == nil || !r.Edits.Made) {
		return dst
	}
	dst = append(dst[:len(dst)-1], `,"iterations":[`...)
	separator := ``
	if w.summed != nil {
		dst = appendIteration(dst, `{"type":"compaction"`, *w.summed)
		separator = `,`
	}
	if w.summed == nil || u != (ir.Usage{}) {
		dst = appendIteration(append(dst, separator...), `{"type":"message","model":null`, u)
	}
	return append(dst, `]}`...)
}

func appendIteration(dst []byte, lead string, u ir.Usage) []byte {
	dst = jsonw.AppendIntMember(append(dst, lead...), `,"input_tokens":`, max(u.Input, 0))
	dst = jsonw.AppendIntMember(dst, `,"cache_creation_input_tokens":`, max(u.CacheWrite, 0))
	dst = jsonw.AppendIntMember(dst, `,"cache_read_input_tokens":`, max(u.CacheRead, 0))
	dst = jsonw.AppendIntMember(dst, `,"output_tokens":`, max(u.Output, 0))
	return append(dst, `,"cache_creation":null}`...)
}
