// Package textcalls finds the tool calls that an upstream has left in the text of its answer.
// Models write calls in marks of their own, as <tool_call>{"name":"f","arguments":{}}</tool_call>;
// a server without the right parser, or with a model that forgets one of the marks, hands them
// through as text. marks.go lists the marks that are known.
//
// What is found runs on the client's machine, and a text may quote anything. So a call counts only
//   - where its mark stands at the start of a line, outside of code fences and of <think>
//     (lines.go),
//   - where it is complete, and its arguments are an object,
//   - where the request offers the tool, and its tool_choice lets the model call it,
//   - where nothing that was said before holds the same call (quotes.go).
//
// Everything else stays text, byte for byte.
package textcalls

import (
	"unicode/utf8"

	"edgelingua/translator/events"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// The bounds of one answer. What is beyond them stays text.
const (
	maxMark  = 1 << 20 // bytes of one mark with its call, as they are written
	maxMarks = 4 << 20 // bytes of all of them: the module does not free what reading them takes
	maxCalls = 128
)

// filter is the sink of New. It takes one text after the other apart, and holds back what may still
// become a call.
type filter struct {
	sink   ir.Sink
	out    events.Writer // writes the texts and calls to sink
	tools  []tool
	answer []byte // the upstream's id of the answer
	inText bool   // the open block of the upstream is a text
	id     []byte // the upstream's id of that block
	apart  bool   // that block begins a message, and none of its text has gone out
	phase  ir.Phase
	begun  bool   // something of the upstream's block has gone out: text, or a call
	cut    bool   // a call was taken out of that block
	called bool   // the answer has a call, or can't be one without a mark
	lines  lines  // where in the text the next character stands
	mark   mark   // the mark that the text is in
	held   []byte // the text of that mark that came with earlier deltas, as it is written
	calls  int    // how many calls have been found
	marks  int    // how many bytes the complete marks have, with a call or not
	quotes quotes // searches the request for the text of a mark
}

// New returns a sink that finds calls in the texts of an answer to r, the request as the upstream
// got it, and hands all events on to sink. maxName is ir.API.MaxToolName of the upstream's API.
// inJSON says that the answer's text has to be JSON, as the request may say in words alone. Where
// the model may call no tool that the client runs, New returns sink.
//
//go:noinline
func New(r *ir.Request, maxName int, inJSON bool, sink ir.Sink) ir.Sink {
	tools := callable(r, maxName)
	if len(tools) == 0 {
		return sink
	}
	f := &filter{sink: sink, out: events.NewWriter(sink), tools: tools}
	f.mark.tools, f.quotes.messages = tools, r.Messages
	f.lines.restart()
	f.called = inJSON // an answer in JSON is no call
	// Where the client has begun the answer itself, the model goes on in that line and in that fence.
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
		if f.cut && ev.Delta == ir.CitationDelta { // its place in the text is not known any more
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
		f.out.Finish(ir.ToolUse, "", ev.Usage)
		return
	}
	f.sink.Event(ev)
}

// beginText takes the beginning of a text block, which is opened downstream with the first text
// that goes there. Anthropic's answers with citations cut a text into blocks: a block right behind
// another text goes on in the same line.
func (f *filter) beginText(ev *ir.Event) {
	f.inText, f.begun, f.cut = true, false, false
	f.id = append(f.id[:0], ev.ID...)
	f.apart, f.phase = ev.Apart, ev.Phase
}

// endText takes the end of a text block, of a message with a phase. Space that follows a call goes
// with it.
func (f *filter) endText(phase ir.Phase) {
	f.mark.endText()
	if f.mark.done() && f.take(jsonw.View(f.held)) || f.mark.isSpace() {
		f.held = f.held[:0]
	}
	f.release()
	if !f.begun {
		f.openText()
	}
	f.out.StopMessage(phase)
	f.inText = false
}

// text takes a piece of text, and passes on what is not of a mark.
func (f *filter) text(e ir.Escaped) {
	done, from := 0, 0 // e[:done] has been passed on or taken; the open mark begins at e[from], or is held
	for i := 0; i < len(e); {
		if !f.mark.active {
			if i += f.lines.skip(e[i:]); i == len(e) {
				break
			}
		}
		char, n, width := charAt(e[i:])
		if !f.mark.active && f.lines.atStart() {
			f.mark.begin(f.place())
			from = i
		}
		at := len(f.held) + i - from
		for _, c := range char[:n] {
			if f.mark.active {
				f.mark.step(c, at, at+width, f.lines.atStart())
			}
			f.lines.step(c)
		}
		i += width
		switch {
		case f.mark.done():
			f.hold(e[done:from], e[from:i])
			if f.take(jsonw.View(f.held)) {
				f.held = f.held[:0]
			}
			f.release()
			done = i
		case f.mark.failed() || at+width > maxMark && f.mark.active:
			f.release()
		}
	}
	if f.mark.active {
		f.hold(e[done:from], e[from:])
		return
	}
	f.pass(e[done:])
}

// hold keeps a piece of a mark's text. text is what stands in front of the mark, where it begins
// with this piece.
func (f *filter) hold(text, piece ir.Escaped) {
	if len(f.held) == 0 {
		f.pass(text)
	}
	f.held = append(f.held, piece...)
}

// place returns where the next character stands, which begins a line.
func (f *filter) place() place {
	switch {
	case !f.lines.fresh:
		return atLine
	case f.cut && f.out.Block() == 0:
		return behindCall
	case f.called || f.lines.spoken:
		return atText
	}
	return atAnswer
}

// release passes on what is held: it is no call.
func (f *filter) release() {
	f.mark.stop()
	f.pass(jsonw.View(f.held))
	f.held = f.held[:0]
}

// pass hands text on as a delta.
func (f *filter) pass(text ir.Escaped) {
	if text != "" {
		f.openText()
		f.out.Text(text)
	}
}

// openText opens a text block downstream, unless one is open. The first one of an upstream's block
// has that one's id.
func (f *filter) openText() {
	if f.out.Block() != 0 {
		return
	}
	if f.begun {
		f.id = f.id[:0]
	}
	f.begun = true
	f.out.BeginPart(ir.TextBlock, jsonw.View(f.id), f.apart, f.phase)
	f.apart = false
}

// take hands on the calls of a complete mark. It is false where they are none.
func (f *filter) take(text ir.Escaped) bool {
	if f.marks += len(text); f.marks > maxMarks {
		return false
	}
	calls, ok := f.read(text)
	if !ok || f.calls+len(calls) > maxCalls || len(calls) > 0 && f.quotes.hold(text) {
		return false
	}
	if f.out.Block() != 0 { // space in front of the mark that is not behind a call
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

// charAt returns the bytes of the first character of e, which may be written as an escape, how many
// they are, and in how many bytes the character is written. Of a character of several bytes that is
// no escape it returns the first byte.
func charAt(e ir.Escaped) (bytes [utf8.UTFMax]byte, n, width int) {
	if e[0] != '\\' {
		bytes[0] = e[0]
		return bytes, 1, 1
	}
	unit, width := jsonw.UnitAt(e)
	n = utf8.EncodeRune(bytes[:], rune(unit))
	return bytes, n, width
}
