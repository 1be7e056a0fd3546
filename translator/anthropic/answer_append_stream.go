package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

const (
	ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
	trap = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"The translator failed.\"}}\n\n"
)

// encoder writes one streamed answer (Messages API, "Streaming messages"). All it remembers is the open block.
type encoder struct {
	model ir.Escaped
	index int64
	block ir.BlockKind // the open block
	shown bool         // its content_block_start has been written
	input bool         // the open call has arguments
	item  []byte       // the upstream's id of it, where that must go with a signature
	found found        // what is known of a web search
}

// AppendEvent appends the events that ev becomes.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		return e.appendStart(dst, ev)
	case ir.BlockStart:
		return e.appendBlockStart(dst, ev)
	case ir.Delta:
		return e.appendDelta(dst, ev)
	case ir.BlockStop:
		if e.block == ir.WebSearchBlock {
			return e.appendSearch(dst)
		}
		return e.appendBlockStop(dst)
	case ir.Finish:
		return appendFinish(dst, ev)
	case ir.Failure:
		dst = sse.AppendHead(dst, "error")
		dst = Client{}.AppendError(dst, ev.Err)
		return sse.AppendTail(dst)
	}
	return dst
}

// KeepAlive returns a ping event.
func (e *encoder) KeepAlive() string { return ping }

// Trap returns an error event.
func (e *encoder) Trap() string { return trap }

// appendStart appends message_start. Its usage is always there: SDKs fail without it. The true numbers follow at the end.
func (e *encoder) appendStart(dst []byte, ev *ir.Event) []byte {
	dst = sse.AppendHead(dst, "message_start")
	dst = append(dst, `{"type":"message_start","message":{"id":"`...)
	dst = append(dst, messageID(ev.ID)...)
	dst = append(dst, `","type":"message","role":"assistant","model":`...)
	dst = jsonw.AppendEscaped(dst, e.model)
	dst = append(dst, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":`...)
	dst = appendUsage(dst, known(ev.Usage))
	dst = append(dst, `}}`...)
	return sse.AppendTail(dst)
}

// appendBlockStart appends content_block_start with the documented fields only: Claude Code sends back whatever it finds
// there. A refusal is text here. What comes whole in its start waits for its delta: redacted reasoning, a tool that the upstream
// ran. A call with free text, which this API's clients can't declare, has no form.
func (e *encoder) appendBlockStart(dst []byte, ev *ir.Event) []byte {
	e.block, e.shown, e.input = ev.Block, false, false
	switch ev.Block {
	case ir.ReasoningBlock:
		e.item = append(e.item[:0], ev.ID...)
		dst = e.appendHead(dst)
		dst = append(dst, `{"type":"thinking","thinking":"","signature":""}}`...)
	case ir.RedactedBlock:
		e.item = append(e.item[:0], ev.ID...)
		return dst
	case ir.WebSearchBlock:
		e.found.begin(ev)
		return dst
	case ir.ServerToolBlock, ir.CustomToolCallBlock:
		return dst
	case ir.ToolCallBlock:
		dst = e.appendHead(dst)
		dst = append(dst, `{"type":"tool_use","id":`...)
		dst = jsonw.AppendEscaped(dst, ir.Identifier(ev.CallID, 0))
		dst = append(dst, `,"name":`...)
		dst = jsonw.AppendEscaped(dst, ev.Name)
		dst = append(dst, `,"input":{}}}`...)
	default:
		dst = e.appendHead(dst)
		dst = append(dst, `{"type":"text","text":""}}`...)
	}
	return sse.AppendTail(dst)
}

// appendHead appends content_block_start up to its block.
func (e *encoder) appendHead(dst []byte) []byte {
	e.shown = true
	dst = sse.AppendHead(dst, "content_block_start")
	dst = append(dst, `{"type":"content_block_start","index":`...)
	dst = strconv.AppendInt(dst, e.index, 10)
	return append(dst, `,"content_block":`...)
}

// appendBlockStop appends content_block_stop.
func (e *encoder) appendBlockStop(dst []byte) []byte {
	if !e.shown {
		return dst
	}
	dst = sse.AppendHead(dst, "content_block_stop")
	dst = append(dst, `{"type":"content_block_stop","index":`...)
	dst = strconv.AppendInt(dst, e.index, 10)
	dst = append(dst, '}')
	e.index++
	return sse.AppendTail(dst)
}

// appendDelta appends content_block_delta, or the start of a block that comes whole.
func (e *encoder) appendDelta(dst []byte, ev *ir.Event) []byte {
	switch {
	case e.block == ir.WebSearchBlock:
		e.found.delta(ev)
		return dst
	case e.block == ir.RedactedBlock:
		dst = e.appendHead(dst)
		dst = appendRedacted(dst, ev, e.item)
		dst = append(dst, '}')
	case ev.Delta == ir.OpaqueDelta:
		dst = e.appendHead(dst)
		dst = jsonw.AppendFlat(dst, ev.Raw)
		dst = append(dst, '}')
	case !e.shown:
		return dst
	case e.block == ir.ToolCallBlock && !e.input && jsonr.IsBlank(ev.Text): // a call may have no more, which SDKs can't parse
		return dst
	case ev.Delta == ir.SignatureDelta:
		dst = e.appendDeltaHead(dst, `{"type":"signature_delta","signature":"`)
		dst = appendSignature(dst, ev, false, e.item)
		dst = append(dst, `"}}`...)
	case ev.Delta == ir.CitationDelta:
		dst = e.appendDeltaHead(dst, `{"type":"citations_delta","citation":`)
		dst = appendCitation(dst, ev.Citation)
		dst = append(dst, `}}`...)
	default:
		lead := `{"type":"text_delta","text":"`
		switch e.block {
		case ir.ReasoningBlock:
			lead = `{"type":"thinking_delta","thinking":"`
		case ir.ToolCallBlock:
			e.input = true
			lead = `{"type":"input_json_delta","partial_json":"`
		}
		dst = e.appendDeltaHead(dst, lead)
		dst = append(dst, ev.Text...)
		dst = append(dst, `"}}`...)
	}
	return sse.AppendTail(dst)
}

// appendDeltaHead appends content_block_delta up to what its delta holds.
func (e *encoder) appendDeltaHead(dst []byte, lead string) []byte {
	dst = sse.AppendHead(dst, "content_block_delta")
	dst = append(dst, `{"type":"content_block_delta","index":`...)
	dst = strconv.AppendInt(dst, e.index, 10)
	dst = append(dst, `,"delta":`...)
	return append(dst, lead...)
}

// appendSearch appends the two blocks that a web search is here, when all of it is known.
func (e *encoder) appendSearch(dst []byte) []byte {
	dst = e.appendHead(dst)
	dst = e.found.appendUse(dst, false)
	dst = sse.AppendTail(append(dst, '}'))
	dst = e.appendDeltaHead(dst, `{"type":"input_json_delta","partial_json":"`)
	dst = e.found.appendInput(dst, true)
	dst = sse.AppendTail(append(dst, `"}}`...))
	dst = e.appendBlockStop(dst)
	dst = e.appendHead(dst)
	dst = e.found.appendResult(dst)
	dst = sse.AppendTail(append(dst, '}'))
	return e.appendBlockStop(dst)
}

// appendFinish appends message_delta and message_stop.
func appendFinish(dst []byte, ev *ir.Event) []byte {
	dst = sse.AppendHead(dst, "message_delta")
	dst = append(dst, `{"type":"message_delta","delta":{`...)
	dst = appendStop(dst, ev)
	dst = append(dst, `},"usage":`...)
	dst = appendUsage(dst, ev.Usage)
	dst = append(dst, '}')
	dst = sse.AppendTail(dst)
	dst = sse.AppendHead(dst, "message_stop")
	dst = append(dst, `{"type":"message_stop"}`...)
	return sse.AppendTail(dst)
}
