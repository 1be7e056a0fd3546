package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// member is a member of an answer's message or of a chunk's delta, in the order of a plain body.
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

// frames has the beginning and end of each member.
var frames = [memberCount]struct{ lead, tail string }{
	inContent:      {`"content":"`, `"`},
	inRefusal:      {`"refusal":"`, `"`},
	inAnnotations:  {`"annotations":[`, `]`},
	inReasoning:    {`"reasoning_content":"`, `"`},
	inDetails:      {`"reasoning_details":[`, `]`},
	inToolCalls:    {`"tool_calls":[`, `]`},
	inFunctionCall: {`"function_call":`, ``},
}

// messageWriter writes the only message of an answer, choice 0. In a stream each addition to a
// member is a chunk of its own. In a plain body the content is appended as it comes, and the
// members after the content are gathered until the end.
type messageWriter struct {
	plain   bool // writes a plain body instead of a stream
	request *ir.Request
	model   ir.Escaped
	head    []byte // in a stream: the beginning of each chunk, up to its choices
	begun   bool   // in a plain body: the content has begun

	// In a plain body these are the members after the content. In a stream they are buffers:
	// inReasoning holds the text of the open block, inDetails the elements that have not been sent,
	// and the others are empty between two events.
	gathered [memberCount][]byte

	tier  ir.Tier
	block ir.BlockKind // the open block, 0 if this API has no form for it
	// the open block is a call that has ended: the next event says whether the call is complete or
	// was cut
	waits       bool
	emptyLine   bool  // an empty line precedes the next piece of content
	calls       int64 // how many calls have begun
	callsBefore int64 // how many calls had begun before the last text
	blank       bool  // the content so far ends with white space
	arguments   bool  // the open call has arguments other than white space
	refused     bool  // there was a refusal in words

	item    []byte // the upstream's id of the open block of reasoning
	thought int    // start of the open reasoning block's text in gathered[inReasoning]
	details int64  // how many elements of reasoning_details there are

	characters int64 // of the content so far
	citations  openai.Citations
	logprobs   openai.Logprobs
}

// appendBlockEvent appends the translation of a BlockStart, Delta or BlockStop.
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

// appendStart begins a block. Only a call is written at its start; other blocks begin with their
// first piece.
func (w *messageWriter) appendStart(dst []byte, ev *ir.Event) []byte {
	dst = w.appendCallEnd(dst, false)
	w.block, w.arguments = ev.Block, false
	if ev.Block != ir.ReasoningBlock && ev.Block != ir.RedactedBlock {
		dst = w.appendGathered(dst, inDetails)
	}
	switch ev.Block {
	case ir.TextBlock:
		// Gemini writes texts before and after a call
		w.emptyLine = (ev.NewMessage || w.calls > w.callsBefore && !w.blank) && w.characters > 0
		w.callsBefore = w.calls
		begin := w.characters
		if w.emptyLine {
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

// emptyLine separates two messages of the upstream, which are one message in this API.
const (
	emptyLine       = `\n\n`
	emptyLineLength = 2 // characters
)

// maxLogprobs bounds the bytes of logprobs that a stream buffers while it waits for their text.
const maxLogprobs = 64 << 10

// appendDelta appends a piece of the open block, or stores the piece for later.
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
		if w.emptyLine {
			w.emptyLine = false
			w.characters += emptyLineLength
			dst = w.appendMember(dst, inContent, emptyLine)
		}
		w.characters += jsonw.Characters(text)
		w.blank = strings.HasSuffix(string(text), `\n`) || strings.HasSuffix(string(text), " ")
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

// appendStop ends the open block and appends its logprobs and annotations. A call stays open until
// appendCallEnd.
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

// appendGathered sends the gathered content of a member as a chunk. In a plain body it does
// nothing: the member follows at the end.
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
