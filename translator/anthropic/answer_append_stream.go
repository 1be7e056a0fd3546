package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/sse"
)

const (
	ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
	trap = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"The " +
		"translator failed.\"}}\n\n"
)

// encoder writes one streamed answer (Messages API, "Streaming messages"). It implements
// ir.Encoder.
type encoder struct {
	blockWriter
	begun ir.Usage // the usage in message_start
}

// AppendEvent appends the SSE events for ev.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	if e.unsettled {
		var done bool
		if dst, done = e.settle(dst, ev); done {
			return dst
		}
	}
	switch ev.Kind {
	case ir.Start:
		e.tier, e.begun = ev.Tier, ev.Usage
		return appendMessageStart(dst, ev, e.model)
	case ir.Finish:
		return e.appendFinish(dst, ev, e.total(ev.Usage))
	case ir.Failure:
		return sse.AppendTail(Client{}.AppendError(sse.AppendHead(dst, "error"), ev.Err))
	}
	return e.appendBlockEvent(dst, ev)
}

// KeepAlive returns a ping event.
func (e *encoder) KeepAlive() string { return ping }

// Trap returns an error event.
func (e *encoder) Trap() string { return trap }

// appendMessageStart appends message_start. Its usage always has input_tokens: @ai-sdk/anthropic
// fails without input_tokens (FAULTS 13), and LangChain reads them only here. Until the upstream
// counts, the number is an estimate (see API.StartCounts). The final numbers, including reasoning,
// follow in message_delta.
func appendMessageStart(dst []byte, ev *ir.Event, model ir.Escaped) []byte {
	dst = appendMessageHead(append(sse.AppendTyped(dst, "message_start"), `,"message":`...), model, ev)
	dst = appendMessageRest(appendContainer(dst, ev), ev)
	dst = append(dst, `],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":`...)
	u := ev.Usage
	u.Reasoning = -1
	from := len(dst)
	dst = ir.AppendMissing(appendUsage(dst, u, &webSearchPair{}, ownTier(ev)), from, ev.OwnUsage)
	return sse.AppendTail(append(dst, `}}`...))
}

// appendDeltaEvent appends content_block_delta. It leaves out blank deltas at the beginning of a
// call's arguments. A call without arguments may have only blank deltas (FAULTS 25), and clients
// fail to parse a blank input (anthropic-sdk-java#249, Vane#1160).
func (w *blockWriter) appendDeltaEvent(dst []byte, ev *ir.Event) []byte {
	switch {
	case ev.Delta == ir.SignatureDelta:
		dst = w.appendDeltaHead(dst, `{"type":"signature_delta","signature":"`)
		dst = w.appendSignature(dst, ev)
	case ev.Delta == ir.CitationDelta:
		dst = w.appendDeltaHead(dst, `{"type":"citations_delta","citation":`)
		dst = appendCitation(dst, ev.Citation)
		return sse.AppendTail(append(dst, `}}`...))
	default:
		lead := `{"type":"text_delta","text":"`
		switch w.block {
		case ir.ReasoningBlock:
			lead = `{"type":"thinking_delta","thinking":"`
		case ir.ToolCallBlock:
			if !w.input && jsonr.IsBlank(ev.Text) {
				return dst
			}
			w.input = true
			lead = `{"type":"input_json_delta","partial_json":"`
		}
		dst = append(w.appendDeltaHead(dst, lead), ev.Text...)
	}
	return sse.AppendTail(append(dst, `"}}`...))
}

// appendDeltaHead appends content_block_delta up to the text of its delta.
func (w *blockWriter) appendDeltaHead(dst []byte, lead string) []byte {
	dst = append(w.appendEvent(dst, "content_block_delta"), `,"delta":`...)
	return append(dst, lead...)
}

// total returns the usage for message_delta, which counts the whole answer. If u has no input,
// total takes the input from message_start.
func (e *encoder) total(u ir.Usage) ir.Usage {
	if u.Input < 0 && u.CacheRead < 0 && u.CacheWrite < 0 {
		u.Input, u.CacheRead, u.CacheWrite = e.begun.Input, e.begun.CacheRead, e.begun.CacheWrite
	}
	return u
}

// appendFinish appends message_delta and message_stop. message_delta names the tier and the speed if
// message_start named others, or none.
func (w *blockWriter) appendFinish(dst []byte, ev *ir.Event, u ir.Usage) []byte {
	dst = append(sse.AppendTyped(dst, "message_delta"), `,"delta":{"container":`...)
	dst = appendContainer(dst, w.ended(ev))
	dst = w.appendStopReason(append(dst, ','), ev)
	u = w.answerUsage(ev, u)
	dst = append(dst, `},"usage":`...)
	from := len(dst)
	dst = appendCounts(dst, u, &w.search)
	if tierWord(ev.Tier) != tierWord(w.tier) {
		dst = appendTier(dst, ev.Tier)
	}
	switch {
	case ev.Tier == w.tier:
	case ev.Tier == ir.FastTier:
		dst = append(dst, `,"speed":"fast"`...)
	case w.tier == ir.FastTier && ev.Tier != ir.NoTier:
		dst = append(dst, `,"speed":null`...)
	}
	dst = ir.AppendMissing(w.appendIterations(append(dst, '}'), u), from, ev.OwnUsage)
	dst = w.appendEdits(dst, ev)
	dst = sse.AppendTail(append(dst, '}'))
	return sse.AppendTail(append(sse.AppendTyped(dst, "message_stop"), '}'))
}
