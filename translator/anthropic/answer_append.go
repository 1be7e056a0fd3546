package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// blockWriter writes the content blocks of one answer. In a stream a block begins empty
// (content_block_start), and each of its deltas is an event. In a plain body the same block is an
// element of "content": its text is appended as it comes, and the members after the text are
// buffered until the block ends.
type blockWriter struct {
	plain bool // the output is a plain body, otherwise a stream
	model ir.Escaped
	tier  ir.Tier      // the tier in message_start
	index int64        // of the open block, or of the next one
	block ir.BlockKind // the open block
	shown bool         // the start of the open block was written
	input bool         // in a stream: a delta of the open call's arguments has been written
	// the open block of reasoning: was it redacted by another vendor, and has it got a signature
	redacted, signed bool
	unsettled        bool // the open block of reasoning is complete, but has no signature
	// in a plain body: the open call's arguments, reasoning's signature (both escaped), or text's
	// citations
	held       []byte
	caller     []byte // the caller of the open call; empty: the model itself
	programmed bool   // a program of another vendor has made a call
	// the upstream's id of the open block of reasoning, for the envelope of a signature
	item   []byte
	search webSearchPair // the open web search
	// the usage of the call that made a summary; nil if there is no summary, or the upstream did
	// not count
	summed *ir.Usage
	// escaped elements of usage.iterations for the consultations of an advisor so far, and for the
	// model's own calls before each
	advised []byte
	rounds  ir.Usage // of the model's calls so far
	listed  ir.Usage // of those calls that are in advised

	request  *ir.Request
	refusing bool   // the open block is a refusal
	refusal  []byte // the text of the answer's refusals, escaped, at most maxDetails
}

// appendBlockEvent appends the output for a BlockStart, Delta or BlockStop.
func (w *blockWriter) appendBlockEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.BlockStart:
		return w.appendStart(dst, ev)
	case ir.Delta:
		return w.appendDelta(dst, ev)
	case ir.BlockStop:
		if w.block == ir.WebSearchBlock {
			w.search.end(ev)
		}
		return w.appendStop(dst)
	}
	return dst
}

// appendStart begins a block. It writes only documented members, since Claude Code 2.1.329 sends
// back every member of content_block_start. A refusal is text in this API, and also the explanation
// in stop_details. Redacted reasoning and tools that ran at the upstream are written at their only
// delta, a web search at its end. A call with free text has no form: clients of this API can't
// declare such tools.
func (w *blockWriter) appendStart(dst []byte, ev *ir.Event) []byte {
	w.block, w.shown, w.input, w.redacted, w.signed = ev.Block, false, false, false, false
	if w.caller = append(w.caller[:0], ev.Caller...); ev.Program != nil {
		w.caller, w.programmed = appendCaller(w.caller, ev.Program), true
	}
	w.held, w.refusing = w.held[:0], ev.Block == ir.RefusalBlock
	switch ev.Block {
	case ir.RedactedBlock:
		w.item = append(w.item[:0], ev.ID...)
		return dst
	case ir.WebSearchBlock:
		w.search.begin(ev)
		return dst
	case ir.HostedBlock, ir.ServerToolBlock, ir.CustomToolCallBlock, ir.CompactionBlock:
		return dst
	case ir.ReasoningBlock:
		w.item = append(w.item[:0], ev.ID...)
		return w.appendThinking(dst)
	case ir.ToolCallBlock:
		dst = jsonw.AppendTextMember(w.appendHead(dst), `{"type":"tool_use","id":`, ir.Identifier(ev.CallID,
			0))
		dst = jsonw.AppendTextMember(dst, `,"name":`, ev.Name)
		dst = append(dst, `,"input":`...)
	default:
		w.block = ir.TextBlock
		dst = append(w.appendHead(dst), `{"type":"text","text":"`...)
	}
	if w.plain {
		return dst
	}
	return w.appendTail(w.appendRest(dst))
}

// appendHead appends what precedes a block: the comma between elements, or content_block_start up
// to its block.
func (w *blockWriter) appendHead(dst []byte) []byte {
	w.shown = true
	if !w.plain {
		return append(w.appendEvent(dst, "content_block_start"), `,"content_block":`...)
	}
	if w.index > 0 {
		dst = append(dst, ',')
	}
	return dst
}

// appendTail ends content_block_start after its block.
func (w *blockWriter) appendTail(dst []byte) []byte {
	if w.plain {
		return dst
	}
	return sse.AppendTail(append(dst, '}'))
}

// appendEvent appends an event about the open block up to the block's index.
func (w *blockWriter) appendEvent(dst []byte, name string) []byte {
	return jsonw.AppendIntMember(sse.AppendTyped(dst, name), `,"index":`, w.index)
}

// appendRest ends the open block after its text, with the buffered members.
func (w *blockWriter) appendRest(dst []byte) []byte {
	switch w.block {
	case ir.ReasoningBlock:
		dst = append(dst, `","signature":`...)
		dst = jsonw.AppendEscaped(dst, jsonw.View(w.held))
	case ir.ToolCallBlock:
		dst = jsonr.AppendObject(dst, jsonw.View(w.held))
		if len(w.caller) == 0 {
			dst = append(dst, direct...)
		} else {
			dst = jsonw.AppendFlat(append(dst, `,"caller":`...), ir.Raw(jsonw.View(w.caller)))
		}
	case ir.TextBlock:
		dst = append(append(append(dst, `","citations":[`...), w.held...), ']')
	default: // the block is complete: it was written at its only delta
		return dst
	}
	return append(dst, '}')
}

// direct is the member of a call, and of a result, that says who called: the model itself. Messages
// requires it, and citations of a text. Recorded texts without citations have a list, not null, and
// the AI SDK accepts no null there.
const direct = `,"caller":{"type":"direct"}`

// appendDelta appends a delta of the open block, or a whole block with a single delta.
func (w *blockWriter) appendDelta(dst []byte, ev *ir.Event) []byte {
	if w.refusing && len(w.refusal)+len(ev.Text) <= maxDetails {
		w.refusal = append(w.refusal, ev.Text...)
	}
	switch {
	case w.block == ir.WebSearchBlock:
		w.search.delta(ev)
		return dst
	case w.block == ir.RedactedBlock && ev.Origin == Name:
		return w.appendTail(appendRedacted(w.appendHead(dst), ev))
	case w.block == ir.RedactedBlock:
		w.block, w.redacted = ir.ReasoningBlock, true
		dst = w.appendThinking(dst)
	case ev.Delta == ir.HostedDelta:
		w.rounds = ev.Usage
		return w.appendHosted(dst, ev.Hosted)
	case ev.Delta == ir.SummaryDelta:
		return w.appendSummary(dst, ev)
	case ev.Delta == ir.OpaqueDelta && w.plain:
		return append(w.appendHead(dst), ev.Raw...)
	case ev.Delta == ir.OpaqueDelta:
		return w.appendTail(jsonw.AppendFlat(w.appendHead(dst), ev.Raw))
	case !w.shown:
		return dst
	}
	if w.plain {
		return w.appendPiece(dst, ev)
	}
	return w.appendDeltaEvent(dst, ev)
}

// appendStop ends the open block.
func (w *blockWriter) appendStop(dst []byte) []byte {
	switch {
	case w.block == ir.WebSearchBlock:
		return w.appendSearch(dst)
	case !w.shown:
		return dst
	case w.block == ir.ReasoningBlock && !w.signed:
		w.unsettled = true
		return dst
	}
	return w.appendEnd(dst)
}

// appendEnd ends a block whose start was written.
func (w *blockWriter) appendEnd(dst []byte) []byte {
	if w.plain {
		dst = w.appendRest(dst)
	} else {
		dst = sse.AppendTail(append(w.appendEvent(dst, "content_block_stop"), '}'))
	}
	w.index++
	return dst
}

// appendSearch appends the two blocks of a web search.
func (w *blockWriter) appendSearch(dst []byte) []byte {
	dst = w.search.appendUse(w.appendHead(dst), w.plain)
	dst = w.appendTail(dst)
	if !w.plain {
		dst = w.appendDeltaHead(dst, `{"type":"input_json_delta","partial_json":"`)
		dst = w.search.appendInput(dst)
		dst = sse.AppendTail(append(dst, `"}}`...))
	}
	dst = w.appendEnd(dst)
	dst = w.appendTail(w.search.appendResult(w.appendHead(dst)))
	return w.appendEnd(dst)
}
