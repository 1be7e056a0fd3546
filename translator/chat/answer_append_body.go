package chat

import "edgelingua/translator/ir"

// bodyWriter writes the plain body of one answer (API reference, "Chat completion object"). It
// implements ir.BodyWriter.
type bodyWriter struct{ messageWriter }

// AppendEvent appends to dst the part of the completion that ev adds, and returns the extended slice.
func (b *bodyWriter) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		dst = appendAnswerHead(dst, "chat.completion", ev, b.request, b.model)
		return append(dst, `{"index":0,"message":{"role":"assistant","content":`...)
	case ir.Finish:
		return b.appendFinish(dst, ev)
	}
	return b.appendBlockEvent(dst, ev)
}

// appendFinish ends the content and appends the rest of the body. As in OpenAI's answers, the
// content is null if the answer has a call or a refusal but no text.
//
//go:noinline
func (b *bodyWriter) appendFinish(dst []byte, ev *ir.Event) []byte {
	dst = b.appendCallEnd(dst, b.isCut(ev))
	switch {
	case b.begun:
		dst = append(dst, '"')
	case b.calls > 0 || b.refused:
		dst = append(dst, `null`...)
	default:
		dst = append(dst, `""`...)
	}
	if !b.refused {
		dst = append(dst, `,"refusal":null`...)
	}
	for m := inRefusal; m < memberCount; m++ {
		isThere := len(b.gathered[m]) > 0 || m == inAnnotations || m == inRefusal && b.refused
		if isThere {
			dst = append(dst, ',')
			dst = append(dst, frames[m].lead...)
			dst = append(dst, b.gathered[m]...)
			dst = append(dst, frames[m].tail...)
		}
	}
	dst = append(dst, `},`...)
	if all := b.logprobs.All(); len(all) > 0 {
		dst = append(append(append(dst, logprobsLead...), all...), logprobsTail...)
	} else {
		dst = append(dst, `"logprobs":null`...)
	}
	dst = append(dst, `,"finish_reason":"`...)
	dst = append(dst, b.finishReason(ev)...)
	b.tier = ev.Tier
	dst = b.appendTier(append(dst, `"}]`...))
	return append(ir.AppendOwn(appendUsage(dst, ev), ev.Own), '}')
}
