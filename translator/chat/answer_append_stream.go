package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

const (
	keepAlive = ": keep-alive\n" // without a blank line: some clients take the event that it would end for a broken one
	trap      = `data: {"error":{"message":"The translator failed.","type":"server_error","param":null,"code":null}}` + "\n\n"
)

// encoder writes one streamed answer (API reference, "Streaming"). All deltas are of choice 0.
type encoder struct {
	answer
	request *ir.Request
	model   ir.Escaped
	head    []byte // of every chunk, up to its choices
	thought []byte // the text of the open block of reasoning
	long    bool   // which is too long to be kept
	held    []byte // reasoning_details that are still to go out
}

// AppendEvent appends the chunks that ev becomes.
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.Start:
		e.legacy = e.request.Legacy
		e.head = appendAnswerHead(e.head, "chat.completion.chunk", ev, e.request, e.model)
		dst = e.appendHead(dst)
		dst = append(dst, `"role":"assistant","content":null`...)
		return e.appendTail(dst)
	case ir.BlockStart:
		return e.appendBlockStart(dst, ev)
	case ir.Delta:
		return e.appendDelta(dst, ev)
	case ir.BlockStop:
		return e.appendBlockStop(dst)
	case ir.Finish:
		return e.appendFinish(dst, ev)
	case ir.Failure:
		dst = sse.AppendHead(dst, "")
		dst = Client{}.AppendError(dst, ev.Err)
		return sse.AppendTail(dst)
	}
	return dst
}

// KeepAlive returns a line that is a comment.
func (e *encoder) KeepAlive() string { return keepAlive }

// Trap returns an error in place of a chunk.
func (e *encoder) Trap() string { return trap }

// appendHead appends a chunk up to the members of its delta.
func (e *encoder) appendHead(dst []byte) []byte {
	dst = sse.AppendHead(dst, "")
	dst = append(dst, e.head...)
	return append(dst, `{"index":0,"delta":{`...)
}

// appendTail ends a chunk behind the members of its delta.
func (e *encoder) appendTail(dst []byte) []byte {
	dst = append(dst, `},"finish_reason":null}]`...)
	return e.appendEnd(dst)
}

// appendEnd ends a chunk behind its choices. Where the client wants usage every chunk but the last has none.
func (e *encoder) appendEnd(dst []byte) []byte {
	if e.request.StreamUsage {
		dst = append(dst, `,"usage":null`...)
	}
	dst = append(dst, '}')
	return sse.AppendTail(dst)
}

// appendBlockStart appends the first chunk of a call, which alone has its id, type and name. Other blocks begin with their
// first piece.
func (e *encoder) appendBlockStart(dst []byte, ev *ir.Event) []byte {
	e.open(ev)
	e.thought, e.long = e.thought[:0], false
	if ev.Block != ir.ReasoningBlock && ev.Block != ir.RedactedBlock {
		dst = e.appendHeld(dst)
	}
	if e.block != ir.ToolCallBlock && e.block != ir.CustomToolCallBlock {
		return dst
	}
	dst = e.appendHead(dst)
	if e.legacy {
		dst = append(dst, `"function_call":`...)
	} else {
		dst = append(dst, `"tool_calls":[`...)
	}
	dst = e.appendCall(dst, ev, true)
	return e.appendCallTail(dst)
}

// appendCallTail ends a chunk inside the text of a call.
func (e *encoder) appendCallTail(dst []byte) []byte {
	dst = e.appendCallEnd(dst)
	if !e.legacy {
		dst = append(dst, ']')
	}
	return e.appendTail(dst)
}

// appendDelta appends a piece of the open block, or keeps the element of reasoning_details that its signature completes.
func (e *encoder) appendDelta(dst []byte, ev *ir.Event) []byte {
	var lead string
	switch ev.Delta {
	case ir.CitationDelta:
		e.cite(ev.Citation)
		return dst
	case ir.SignatureDelta:
		if e.long {
			return dst
		}
		e.held = e.appendDetail(separated(e.held), ev, e.thought)
		return dst
	case ir.TextDelta:
	default:
		return dst
	}
	switch e.block {
	case ir.TextBlock:
		e.characters += jsonw.Characters(ev.Text)
		lead = `"content":"`
	case ir.ReasoningBlock:
		e.keep(ev.Text)
		lead = `"reasoning_content":"`
	case ir.RefusalBlock:
		lead = `"refusal":"`
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		e.argue(ev.Text)
		return e.appendArguments(dst, ev.Text)
	default:
		return dst
	}
	dst = e.appendHead(dst)
	dst = append(dst, lead...)
	dst = append(dst, ev.Text...)
	dst = append(dst, '"')
	return e.appendTail(dst)
}

// appendHeld appends the reasoning_details of the blocks so far. They go out together: of several chunks with a member that it
// does not know, OpenAI's SDK keeps the last one's.
func (e *encoder) appendHeld(dst []byte) []byte {
	if len(e.held) == 0 {
		return dst
	}
	dst = e.appendHead(dst)
	dst = append(dst, `"reasoning_details":[`...)
	dst = append(dst, e.held...)
	dst = append(dst, ']')
	e.held = e.held[:0]
	return e.appendTail(dst)
}

// keep keeps a piece of reasoning, up to a limit: a signature is worth nothing without the text.
func (e *encoder) keep(text ir.Escaped) {
	if len(e.thought)+len(text) > maxThought {
		e.long = true
	}
	if !e.long {
		e.thought = append(e.thought, text...)
	}
}

// appendArguments appends a piece of a call's arguments or input. Nothing else may be in it: clients would add it to what they
// have.
func (e *encoder) appendArguments(dst []byte, text ir.Escaped) []byte {
	dst = e.appendHead(dst)
	switch {
	case e.legacy:
		dst = append(dst, `"function_call":{"arguments":"`...)
	default:
		dst = append(dst, `"tool_calls":[{"index":`...)
		dst = strconv.AppendInt(dst, e.calls-1, 10)
		if e.block == ir.CustomToolCallBlock {
			dst = append(dst, `,"custom":{"input":"`...)
		} else {
			dst = append(dst, `,"function":{"arguments":"`...)
		}
	}
	dst = append(dst, text...)
	return e.appendCallTail(dst)
}

// appendBlockStop appends what is only known at the end of a block.
func (e *encoder) appendBlockStop(dst []byte) []byte {
	if rest := e.fill(); rest != "" {
		dst = e.appendArguments(dst, rest)
	}
	if e.block == ir.TextBlock && len(e.citations) > 0 {
		dst = e.appendHead(dst)
		dst = append(dst, `"annotations":[`...)
		dst = e.appendCitations(dst)
		dst = append(dst, ']')
		dst = e.appendTail(dst)
	}
	e.block = 0
	return dst
}

// appendFinish appends the chunk with finish_reason, the one with usage where the client wants it and the upstream said it, and
// [DONE].
func (e *encoder) appendFinish(dst []byte, ev *ir.Event) []byte {
	dst = e.appendHeld(dst)
	dst = e.appendHead(dst)
	dst = append(dst, `},"finish_reason":"`...)
	dst = append(dst, e.finishReason(ev.Stop)...)
	dst = append(dst, `"}]`...)
	dst = e.appendEnd(dst)
	if e.request.StreamUsage && ev.Usage != ir.NoUsage {
		dst = sse.AppendHead(dst, "")
		dst = append(dst, e.head...)
		dst = append(dst, `],"usage":`...)
		dst = appendUsage(dst, ev.Usage)
		dst = append(dst, '}')
		dst = sse.AppendTail(dst)
	}
	return append(dst, "data: [DONE]\n\n"...)
}
