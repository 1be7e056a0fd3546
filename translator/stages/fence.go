package stages

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// fence is a sink that removes a code fence around a text of the answer. Models write a fence
// around JSON even if the instruction forbids fences, and then SDKs can't parse the answer. The
// text must begin with the fence, and the fence must contain an object or a list. Inside of the
// fence the sink buffers a possible end of the fence: space and backticks. JSON has backticks only
// in strings, where a line break is escaped.
type fence struct {
	sink     ir.Sink
	inText   bool
	state    fenceState
	ticks    int    // how many backticks have come
	fenced   bool   // the text began with a fence
	buffered []byte // with the original escapes
	out      []byte // the output for the current delta
	ev       ir.Event
}

// fenceState is the position in a text.
type fenceState uint8

const (
	beforeFence fenceState = iota
	inLanguage
	afterFence
	inBody
)

// maxFence limits the buffer, in bytes.
const maxFence = 256

// Event implements ir.Sink.
//
//go:noinline
func (f *fence) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && ev.Block == ir.TextBlock:
		f.inText, f.state, f.ticks, f.fenced = true, beforeFence, 0, false
	case f.inText && ev.Kind == ir.Delta && ev.Delta == ir.TextDelta:
		f.text(ev.Text)
		return
	case f.inText && (ev.Kind == ir.BlockStop || ev.Kind == ir.Failure):
		f.inText = false
		tail := strings.TrimSpace(jsonw.Unescape(jsonw.View(f.buffered)))
		if !f.fenced || ev.Kind == ir.Failure || tail != "```" {
			f.pass(jsonw.View(f.buffered))
		}
		f.buffered = f.buffered[:0]
	}
	f.sink.Event(ev)
}

// text reads a piece of text.
func (f *fence) text(e ir.Escaped) {
	f.out = f.out[:0]
	for i := 0; i < len(e); {
		if f.state == inBody && !f.fenced {
			f.out = append(f.out, e[i:]...)
			break
		}
		unit, width := uint16(e[i]), 1
		if e[i] == '\\' {
			unit, width = jsonw.UnitAt(e[i:])
		}
		f.buffered = append(f.buffered, e[i:i+width]...)
		i += width
		if f.state < inBody {
			f.open(unit)
		}
		if f.state == inBody && (!isTail(unit) || len(f.buffered) > maxFence) {
			f.out = append(f.out, f.buffered...)
			f.buffered = f.buffered[:0]
		}
	}
	f.pass(jsonw.View(f.out))
}

// open reads a character of the beginning of the text: space, a fence with the name of a language,
// a line break, space, and the beginning of an object or a list.
func (f *fence) open(unit uint16) {
	space := isSpace(unit)
	switch {
	case len(f.buffered) > maxFence:
	case f.state == beforeFence && unit == '`':
		if f.ticks++; f.ticks == 3 {
			f.state = inLanguage
		}
		return
	case f.state == beforeFence && space && f.ticks == 0, f.state == afterFence && space:
		return
	case f.state == inLanguage && unit == '\n':
		f.state = afterFence
		return
	case f.state == inLanguage && unit != '`' && unit != '{' && unit != '[':
		return
	case f.state == afterFence && (unit == '{' || unit == '['):
		f.state, f.fenced = inBody, true
		f.out = append(f.out, byte(unit))
		f.buffered = f.buffered[:0]
		return
	}
	f.state = inBody
	f.out = append(f.out, f.buffered...)
	f.buffered = f.buffered[:0]
}

// isTail reports whether a character may belong to the end of a fence.
func isTail(unit uint16) bool {
	return unit == '`' || isSpace(unit)
}

// pass passes text on as a delta.
func (f *fence) pass(text ir.Escaped) {
	if text != "" {
		f.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		f.sink.Event(&f.ev)
	}
}
