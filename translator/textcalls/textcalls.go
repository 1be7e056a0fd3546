// Package textcalls finds tool calls that an upstream left in the text of its answer. Models write
// calls in marks of their own, such as <tool_call>{"name":"f","arguments":{}}</tool_call>. A server
// without the right parser, or with a model that forgets one of the marks, passes the calls on as
// text. marks.go lists the known marks.
//
// The client runs the calls found, and a text may quote anything. A call therefore counts only if
//   - its mark is at the start of a line, outside of code fences and of <think> (lines.go),
//   - it is complete, and its arguments are an object,
//   - the request offers the tool, and its tool_choice lets the model call it,
//   - the conversation does not already contain the same marked call (quotes.go).
//
// Everything else stays text, byte for byte.
package textcalls

import (
	"unicode/utf8"

	"edgelingua/translator/events"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Limits for one answer. Calls beyond them stay text.
const (
	maxMark  = 1 << 20 // bytes of one mark with its call, including escapes
	maxMarks = 4 << 20 // bytes of all marks: the module does not free the memory used to read them
	maxCalls = 128
)

// filter is the sink returned by New. It searches each text for calls, and holds back text that may
// still become a call.
type filter struct {
	sink       ir.Sink
	out        events.Writer // writes texts and calls to sink
	tools      []tool
	answer     []byte // the upstream's id of the answer
	inText     bool   // the upstream's open block is a text
	id         []byte // the upstream's id of the open block
	newMessage bool   // the open block begins a message, and its text was not sent yet
	phase      ir.Phase
	begun      bool   // text or a call of the upstream's block was sent
	cut        bool   // a call was removed from the block
	called     bool   // the answer has a call, or must be JSON: a bare object is no call
	lines      lines  // the position of the next character in the text
	mark       mark   // the current mark
	buffered   []byte // the beginning of the mark's text, from earlier deltas, still escaped
	calls      int    // how many calls were found
	marks      int    // how many bytes the complete marks have, valid calls or not
	quotes     quotes // searches the request for the text of a mark
}

// New returns a sink that finds calls in the texts of an answer, and passes all events on to sink.
// r is the request as sent to the upstream. maxName is the ir.API.MaxToolName of the upstream's
// API. inJSON means that the answer's text must be JSON; the request may say so only in its prompt.
// If the model can't call any tool run by the client, New returns sink itself.
//
//go:noinline
func New(r *ir.Request, maxName int, inJSON bool, sink ir.Sink) ir.Sink {
	// No model turns this on. A mark at the start of a line is how a model calls, and how it quotes
	// a document about calls: a wrong guess runs a tool. Ollama leaves calls in the text in some
	// turns of a model, and later versions of Ollama do not. The search for quotes costs a pass
	// over the conversation for each call that is found.
	tools := callable(r, maxName)
	if len(tools) == 0 {
		return sink
	}
	f := &filter{sink: sink, out: events.NewWriter(sink), tools: tools}
	f.mark.tools, f.quotes.messages = tools, r.Messages
	f.lines.restart()
	f.called = inJSON // an answer in JSON is not a call
	// If the client has begun the answer, the model continues its last line and fence.
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == ir.Assistant {
		for i := range r.Messages[n-1].Content {
			if c := &r.Messages[n-1].Content[i]; c.Kind == ir.TextContent {
				f.lines.read(c.Text)
			}
		}
	}
	return f
}

// Event implements ir.Sink.
//
//go:noinline
func (f *filter) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.Start:
		f.answer = append(f.answer, ev.ID...)
	case ev.Kind == ir.BlockStart && ev.Block == ir.TextBlock:
		f.beginText(ev)
		return
	case ev.Kind == ir.BlockStart:
		f.lines.restart()
		f.called = f.called || ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock
	case f.inText && ev.Kind == ir.Delta && ev.Delta == ir.TextDelta:
		f.text(ev.Text)
		return
	case f.inText && ev.Kind == ir.Delta:
		f.release()
		f.openText()
		if f.cut && ev.Delta == ir.CitationDelta { // the citation's range no longer matches the text
			citation := *ev.Citation
			citation.Start, citation.End = -1, -1
			f.out.Cite(citation)
			return
		}
	case f.inText && ev.Kind == ir.BlockStop:
		f.endText(ev.Phase)
		return
	case f.inText && ev.Kind == ir.Failure:
		f.release()
	case ev.Kind == ir.Finish && f.calls > 0 && (ev.Stop == ir.EndTurn || ev.Stop == ir.StopSequence):
		f.out.SetTier(ev.Tier)
		f.out.TakeOwn(ev)
		f.out.Finish(ir.ToolUse, "", ev.Usage)
		return
	}
	f.sink.Event(ev)
}

// beginText handles the start of a text block. The block is opened downstream together with its
// first text. Anthropic's answers with citations split a text into blocks: a block directly after
// another text continues the same line.
func (f *filter) beginText(ev *ir.Event) {
	f.inText, f.begun, f.cut = true, false, false
	f.id = append(f.id[:0], ev.ID...)
	f.newMessage, f.phase = ev.NewMessage, ev.Phase
}

// endText handles the end of a text block. phase is the phase of its message. Space after a call is
// dropped.
func (f *filter) endText(phase ir.Phase) {
	f.mark.endText()
	if f.mark.done() && f.take(jsonw.View(f.buffered)) || f.mark.isSpace() {
		f.buffered = f.buffered[:0]
	}
	f.release()
	if !f.begun {
		f.openText()
	}
	f.out.StopMessage(phase)
	f.inText = false
}

// text reads a piece of text, and sends everything outside of marks.
func (f *filter) text(e ir.Escaped) {
	done, from := 0, 0 // e[:done] was sent or taken; the open mark begins at e[from], or in f.buffered
	for i := 0; i < len(e); {
		if !f.mark.active {
			if i += f.lines.skip(e[i:]); i == len(e) {
				break
			}
		}
		char, n, width := charAt(e[i:])
		if !f.mark.active && f.lines.atStart() {
			f.mark.begin(f.lineState())
			from = i
		}
		at := len(f.buffered) + i - from
		for _, c := range char[:n] {
			if f.mark.active {
				f.mark.step(c, at, at+width, f.lines.atStart())
			}
			f.lines.step(c)
		}
		i += width
		switch {
		case f.mark.done():
			f.buffer(e[done:from], e[from:i])
			if f.take(jsonw.View(f.buffered)) {
				f.buffered = f.buffered[:0]
			}
			f.release()
			done = i
		case f.mark.failed() || at+width > maxMark && f.mark.active:
			f.release()
		}
	}
	if f.mark.active {
		f.buffer(e[done:from], e[from:])
		return
	}
	f.pass(e[done:])
}

// buffer buffers a piece of a mark's text. If the mark begins with this piece, text is the text
// before it.
func (f *filter) buffer(text, piece ir.Escaped) {
	if len(f.buffered) == 0 {
		f.pass(text)
	}
	f.buffered = append(f.buffered, piece...)
}

// lineState returns the state at the next character, which begins a line.
func (f *filter) lineState() state {
	switch {
	case !f.lines.fresh:
		return atLine
	case f.cut && f.out.Block() == 0:
		return afterCall
	case f.called || f.lines.spoken:
		return atText
	}
	return atAnswer
}

// release sends the text held back: it is not a call.
func (f *filter) release() {
	f.mark.stop()
	f.pass(jsonw.View(f.buffered))
	f.buffered = f.buffered[:0]
}

// pass sends text as a delta.
func (f *filter) pass(text ir.Escaped) {
	if text != "" {
		f.openText()
		f.out.Text(text)
	}
}

// openText opens a text block downstream, unless one is open. The first one for an upstream's block
// gets the id of that block.
func (f *filter) openText() {
	if f.out.Block() != 0 {
		return
	}
	if f.begun {
		f.id = f.id[:0]
	}
	f.begun = true
	f.out.BeginPart(ir.TextBlock, jsonw.View(f.id), f.newMessage, f.phase)
	f.newMessage = false
}

// take sends the calls of a complete mark. It returns false if the mark's calls don't count.
func (f *filter) take(text ir.Escaped) bool {
	if f.marks += len(text); f.marks > maxMarks {
		return false
	}
	calls, ok := f.read(text)
	if !ok || f.calls+len(calls) > maxCalls || len(calls) > 0 && f.quotes.hold(text) {
		return false
	}
	if f.out.Block() != 0 { // space between the open text block and the mark
		n := 0
		for char, _, width := charAt(text); isSpace(char[0]); char, _, width = charAt(text[n:]) {
			n += width
		}
		f.pass(text[:n])
	}
	f.out.Stop()
	f.begun, f.cut, f.called, f.lines = true, true, true, lines{fresh: true}
	for i := range calls {
		f.call(&calls[i])
	}
	return true
}

// charAt returns the bytes of the first character of e, their number n, and the character's width
// in e: an escape is wider than its bytes. For an unescaped character of several bytes, it returns
// only the first byte.
func charAt(e ir.Escaped) (bytes [utf8.UTFMax]byte, n, width int) {
	if e[0] != '\\' {
		bytes[0] = e[0]
		return bytes, 1, 1
	}
	unit, width := jsonw.UnitAt(e)
	n = utf8.EncodeRune(bytes[:], rune(unit))
	return bytes, n, width
}
