package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// appendSummary appends the compaction block that a summary is in this API ("Compaction at a token
// threshold", "Streaming": one delta with all of it). The summary is text for whoever reads the
// answer. Where it is sealed, encrypted_content is what counts when it comes back.
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

// appendSummed appends the value of content, and encrypted_content. A summary without text is one
// that has failed.
func appendSummed(dst []byte, ev *ir.Event) []byte {
	dst = appendOrNull(dst, ev.Text)
	dst = append(dst, `,"encrypted_content":`...)
	if ir.IsEnvelope(ev.Sealed) && !ir.IsSealed(ev.Sealed) { // its text stands beside it
		return append(dst, "null"...)
	}
	return appendOrNull(dst, ev.Sealed)
}

func appendOrNull(dst []byte, e ir.Escaped) []byte {
	if e == "" {
		return append(dst, "null"...)
	}
	return jsonw.AppendEscaped(dst, e)
}

// answerUsage returns what of u, the usage at the end ev of an answer, the answer counts by itself:
// the call that has made the summary is not in it ("Understanding usage"), so nothing of an answer
// that is nothing but a summary.
func (w *blockWriter) answerUsage(ev *ir.Event, u ir.Usage) ir.Usage {
	if ev.Stop == ir.Compacted && w.summed != nil {
		return ir.Usage{}
	}
	return u
}

// appendIterations appends "iterations" to a usage object that is complete, where a conversation
// has been compacted here or would have been: what each call of the model took. u is what the
// object counts.
func (w *blockWriter) appendIterations(dst []byte, u ir.Usage) []byte {
	r := w.request
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
