package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// member is a member of an answer's message, or of the delta of a chunk, in the order in which a
// plain body has them.
type member uint8

const (
	inContent member = iota
	inRefusal
	inAnnotations
	inReasoning
	inDetails
	inToolCalls
	inFunctionCall
	memberCount
)

// frames are how a member begins and ends.
var frames = [memberCount]struct{ lead, tail string }{
	inContent:      {`"content":"`, `"`},
	inRefusal:      {`"refusal":"`, `"`},
	inAnnotations:  {`"annotations":[`, `]`},
	inReasoning:    {`"reasoning_content":"`, `"`},
	inDetails:      {`"reasoning_details":[`, `]`},
	inToolCalls:    {`"tool_calls":[`, `]`},
	inFunctionCall: {`"function_call":`, ``},
}

// messageWriter writes the one message of an answer, choice 0. In a stream what is added to a
// member goes out in a chunk of its own. In a plain body the content is appended as it comes, and
// the members behind it are gathered until the end.
type messageWriter struct {
	plain   bool // a plain body is written, else a stream
	request *ir.Request
	model   ir.Escaped
	head    []byte // in a stream: what each chunk begins with, up to its choices
	begun   bool   // in a plain body: the content has begun

	// In a plain body these are the members behind the content. In a stream they are buffers:
	// inReasoning holds the text of the open block, inDetails those that have not gone out, the
	// others are empty between two events.
	gathered [memberCount][]byte

	tier  ir.Tier
	block ir.BlockKind // the open block, 0 for one that has no form in this API
	// the open block is a call that has ended: the next event says whether it is complete or was
	// cut
	waits     bool
	apart     bool  // what comes next of the content stands behind an empty line
	calls     int64 // how many calls have begun
	arguments bool  // the open call has arguments that are not blank
	refused   bool  // there was a refusal in words

	item    []byte // the upstream's id of the open block of reasoning
	thought int    // where the text of that block begins in gathered[inReasoning]
	details int64  // how many elements of reasoning_details there are

	characters int64 // of the content so far
	citations  openai.Citations
	logprobs   openai.Logprobs
}

// appendBlockEvent appends what a BlockStart, Delta or BlockStop becomes.
func (w *messageWriter) appendBlockEvent(dst []byte, ev *ir.Event) []byte {
	switch ev.Kind {
	case ir.BlockStart:
		return w.appendStart(dst, ev)
	case ir.Delta:
		return w.appendDelta(dst, ev)
	case ir.BlockStop:
		return w.appendStop(dst)
	}
	return dst
}

// appendStart begins a block. Only a call has something to show then; other blocks begin with their
// first piece.
func (w *messageWriter) appendStart(dst []byte, ev *ir.Event) []byte {
	dst = w.appendCallEnd(dst, false)
	w.block, w.arguments = ev.Block, false
	if ev.Block != ir.ReasoningBlock && ev.Block != ir.RedactedBlock {
		dst = w.appendGathered(dst, inDetails)
	}
	switch ev.Block {
	case ir.TextBlock:
		w.apart = ev.Apart && w.characters > 0
		begin := w.characters
		if w.apart {
			begin += emptyLineLength
		}
		w.citations.Begin(begin)
	case ir.ReasoningBlock, ir.RedactedBlock:
		w.think(ev.ID)
	case ir.RefusalBlock:
		w.refused = true
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		return w.appendCall(dst, ev)
	default:
		w.block = 0
	}
	return dst
}

// emptyLine stands between two messages of the upstream's, which are one in this API.
const (
	emptyLine       = `\n\n`
	emptyLineLength = 2 // characters
)

// maxLogprobs is for how many bytes of logprobs a stream waits for the text that they belong to.
const maxLogprobs = 64 << 10

// appendDelta appends a piece of the open block, or keeps what goes out later.
func (w *messageWriter) appendDelta(dst []byte, ev *ir.Event) []byte {
	switch ev.Delta {
	case ir.CitationDelta:
		if w.block == ir.TextBlock {
			w.citations.Add(ev.Citation)
		}
	case ir.LogprobsDelta:
		w.logprobs.Add(ev.Raw, "null")
		if !w.plain && len(w.logprobs.All()) > maxLogprobs {
			return w.appendChunk(dst, inContent, "")
		}
	case ir.SignatureDelta:
		w.sign(ev)
	case ir.TextDelta:
		return w.appendPiece(dst, ev.Text)
	}
	return dst
}

func (w *messageWriter) appendPiece(dst []byte, text ir.Escaped) []byte {
	switch w.block {
	case ir.TextBlock:
		if w.apart {
			w.apart = false
			w.characters += emptyLineLength
			dst = w.appendMember(dst, inContent, emptyLine)
		}
		w.characters += jsonw.Characters(text)
		return w.appendMember(dst, inContent, text)
	case ir.ReasoningBlock:
		w.remember(text)
		return w.appendMember(dst, inReasoning, text)
	case ir.RefusalBlock:
		return w.appendMember(dst, inRefusal, text)
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		return w.appendArguments(dst, text)
	}
	return dst
}

// appendStop ends the open block, with what is only known then.
func (w *messageWriter) appendStop(dst []byte) []byte {
	switch w.block {
	case ir.TextBlock:
		if !w.plain && len(w.logprobs.All()) > 0 {
			dst = w.appendChunk(dst, inContent, "")
		}
		dst = w.appendAnnotations(dst)
	case ir.ToolCallBlock, ir.CustomToolCallBlock:
		w.waits = true
		return dst
	}
	w.block = 0
	return dst
}

// appendMember appends text to a member: as a chunk, or to the plain body.
func (w *messageWriter) appendMember(dst []byte, to member, text ir.Escaped) []byte {
	switch {
	case !w.plain:
		return w.appendChunk(dst, to, text)
	case to != inContent:
		w.gathered[to] = append(w.gathered[to], text...)
		return dst
	case !w.begun:
		w.begun = true
		dst = append(dst, '"')
	}
	return append(dst, text...)
}

// appendGathered appends a chunk with what has been gathered of a member. A plain body has it at
// its end.
func (w *messageWriter) appendGathered(dst []byte, of member) []byte {
	if !w.plain && len(w.gathered[of]) > 0 {
		dst = w.appendChunk(dst, of, jsonw.View(w.gathered[of]))
		w.gathered[of] = w.gathered[of][:0]
	}
	return dst
}

// separated returns a list of elements, ready for the next.
func separated(list []byte) []byte {
	if len(list) > 0 {
		list = append(list, ',')
	}
	return list
}
