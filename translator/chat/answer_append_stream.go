package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
	"edgelingua/translator/sse"
)

const trap = `data: {"error":{"message":"The translator failed.","type":"server_error","param":null,` +
	`"code":null}}` + "\n\n"

// encoder writes one streamed answer (API reference, "Streaming"). It implements ir.Encoder.
type encoder struct{ messageWriter }

// AppendEvent appends to dst the chunks for ev, and returns the extended slice.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		e.tier = ev.Tier
		e.head = appendAnswerHead(e.head, "chat.completion.chunk", ev, e.request, e.model)
		dst = append(e.appendHead(dst), `"role":"assistant","content":null`...)
		return e.appendTail(dst)
	case ir.Finish:
		e.tier = ev.Tier
		return e.appendFinish(dst, ev)
	case ir.Failure:
		return sse.AppendTail(Client{}.AppendError(sse.AppendHead(dst, ""), ev.Err))
	}
	return e.appendBlockEvent(dst, ev)
}

// KeepAlive returns a comment line, which clients ignore.
func (e *encoder) KeepAlive() string { return openai.KeepAlive }

// Trap returns an error event that replaces a chunk.
func (e *encoder) Trap() string { return trap }

// appendChunk appends a chunk with text for a member.
func (w *messageWriter) appendChunk(dst []byte, to member, text ir.Escaped) []byte {
	dst = append(w.appendHead(dst), frames[to].lead...)
	dst = append(dst, text...)
	dst = append(dst, frames[to].tail...)
	if to == inContent {
		if added := w.logprobs.All(); len(added) > 0 {
			dst = append(append(dst, `},`...), logprobsLead...)
			dst = append(append(dst, added...), logprobsTail...)
			w.logprobs.Begin()
			return w.appendEnd(append(dst, `,"finish_reason":null}]`...))
		}
	}
	return w.appendTail(dst)
}

// logprobsLead and logprobsTail frame the logprobs of a choice (API reference, "logprobs").
const (
	logprobsLead = `"logprobs":{"content":[`
	logprobsTail = `],"refusal":null}`
)

// appendHead appends a chunk up to the members of its delta.
func (w *messageWriter) appendHead(dst []byte) []byte {
	dst = append(sse.AppendHead(dst, ""), w.head...)
	return append(dst, `{"index":0,"delta":{`...)
}

// appendTail ends a chunk after the members of its delta.
func (w *messageWriter) appendTail(dst []byte) []byte {
	return w.appendEnd(append(dst, `},"finish_reason":null}]`...))
}

// appendEnd ends a chunk after its choices. Each chunk has the service tier, if known. If the
// client asks for usage, usage is null in all chunks but the last (API reference,
// "stream_options").
func (w *messageWriter) appendEnd(dst []byte) []byte {
	dst = w.appendTier(dst)
	if w.request.StreamUsage {
		dst = append(dst, `,"usage":null`...)
	}
	return sse.AppendTail(append(dst, '}'))
}

// appendTier appends the service tier, if known.
func (w *messageWriter) appendTier(dst []byte) []byte {
	if w.tier.Word() != "" {
		dst = jsonw.AppendTextMember(dst, `,"service_tier":`, ir.Escaped(w.tier.Word()))
	}
	return dst
}

// appendFinish appends the chunk with finish_reason, a chunk with usage if the client asked for
// usage and the upstream reported it, and [DONE].
func (e *encoder) appendFinish(dst []byte, ev *ir.Event) []byte {
	dst = e.appendGathered(e.appendCallEnd(dst, e.isCut(ev)), inDetails)
	dst = append(e.appendHead(dst), `},"finish_reason":"`...)
	dst = append(dst, e.finishReason(ev)...)
	dst = e.appendEnd(ir.AppendOwn(append(dst, `"}]`...), ev.Own))
	if e.request.StreamUsage && ev.Usage != ir.NoUsage {
		dst = append(sse.AppendHead(dst, ""), e.head...)
		dst = e.appendTier(append(dst, ']'))
		dst = appendUsage(dst, ev)
		dst = sse.AppendTail(append(dst, '}'))
	}
	return append(dst, "data: [DONE]\n\n"...)
}
