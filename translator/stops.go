package translator

import (
	"strconv"
	"unicode/utf8"

	"edgelingua/translator/ir"
)

// Limits of stop sequences that are looked for here: each character of the answer is compared with each sequence.
const (
	maxStops     = 64
	maxStopUnits = 4096 // of all together
)

// checkStops returns the refusal of stop sequences that are over the limits.
func checkStops(r *ir.Request) *ir.Error {
	size := 0
	for _, s := range r.Stop {
		size += len(s)
	}
	if len(r.Stop) <= maxStops && size <= maxStopUnits {
		return nil
	}
	return &ir.Error{Kind: ir.InvalidRequest, Path: r.FieldPath(ir.FieldStop), Message: "the upstream knows no stop sequences, and no more than " +
		strconv.Itoa(maxStops) + " of together " + strconv.Itoa(maxStopUnits) + " bytes can be looked for in its answer"}
}

// stops cuts an answer where a stop sequence of the client comes up in its text, as an upstream that knows them would: at the end
// of the first one that is complete, and of two that end there the longer one is it. What is held back is only what may be
// the beginning of one. Sequences that run from one block into the next are not seen: to a model they are no text in one piece.
//
// The comparison is between UTF-16 code units, since that is what escapes stand for, and one half of a pair may come in
// another delta than the other. What passes keeps its escapes.
type stops struct {
	sink     ir.Sink
	list     []stop
	whole    bool // the answer is there to its end: its usage comes with that
	text     bool // the open block is text
	called   bool // a tool call is complete: the client is to run it
	cut      bool
	done     bool
	finish   ir.Event
	ev       ir.Event
	held     []byte  // text that may be the beginning of a stop sequence, from heldFrom on
	lens     []uint8 // of each code unit in held: the bytes that stand for it, from lensFrom on
	heldFrom int
	lensFrom int
	out      []byte // of one delta
}

// stop is one stop sequence, looked for as Knuth, Morris and Pratt do it.
type stop struct {
	as     ir.Escaped
	units  []uint16
	border []uint16 // of each prefix: its longest proper prefix that it also ends with
	seen   int      // how many of units the text ends with
}

func newStops(sink ir.Sink, list []ir.Escaped, whole bool) *stops {
	s := &stops{sink: sink, list: make([]stop, 0, len(list)), whole: whole, finish: ir.Event{Kind: ir.Finish, Stop: ir.StopSequence, Usage: ir.NoUsage}}
	for _, e := range list {
		if e == "" {
			continue
		}
		p := stop{as: e, units: make([]uint16, 0, len(e))}
		for i := 0; i < len(e); {
			high, low, n := codeUnits(e[i:])
			if p.units = append(p.units, high); low != 0 {
				p.units = append(p.units, low)
			}
			i += n
		}
		p.border = make([]uint16, len(p.units))
		for i, k := 1, uint16(0); i < len(p.units); i++ {
			for k > 0 && p.units[i] != p.units[k] {
				k = p.border[k-1]
			}
			if p.units[i] == p.units[k] {
				k++
			}
			p.border[i] = k
		}
		s.list = append(s.list, p)
	}
	return s
}

// Event takes the next event of the answer.
func (s *stops) Event(ev *ir.Event) {
	if s.cut {
		if !s.done && (ev.Kind == ir.Finish || ev.Kind == ir.Failure) {
			if ev.Kind == ir.Finish {
				s.finish.Usage = ev.Usage
			}
			s.end()
		}
		return
	}
	switch ev.Kind {
	case ir.Start:
		s.finish.Usage = ev.Usage
	case ir.BlockStart:
		s.text = ev.Block == ir.TextBlock
		if ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock {
			s.called = true
		}
	case ir.Delta:
		if s.text && ev.Delta == ir.TextDelta {
			s.delta(ev.Text)
			return
		}
	case ir.BlockStop:
		if s.text {
			s.release()
		}
	}
	s.sink.Event(ev)
}

// end yields the Finish in place of the upstream's.
func (s *stops) end() {
	s.done = true
	s.sink.Event(&s.finish)
}

// release yields what is held at the end of a block.
func (s *stops) release() {
	if held := s.held[s.heldFrom:]; len(held) > 0 {
		s.pass(held)
	}
	s.held, s.lens, s.heldFrom, s.lensFrom = s.held[:0], s.lens[:0], 0, 0
	for i := range s.list {
		s.list[i].seen = 0
	}
}

func (s *stops) pass(text []byte) {
	s.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: ir.Escaped(view(text))}
	s.sink.Event(&s.ev)
}

// delta takes a piece of text.
func (s *stops) delta(text ir.Escaped) {
	s.out = s.out[:0]
	for i := 0; i < len(text) && !s.cut; {
		high, low, n := codeUnits(text[i:])
		s.held = append(s.held, text[i:i+n]...)
		s.unit(high, n)
		if low != 0 && !s.cut {
			s.unit(low, 0)
		}
		i += n
	}
	if len(s.out) > 0 {
		s.pass(s.out)
	}
	if !s.cut {
		return
	}
	s.ev = ir.Event{Kind: ir.BlockStop}
	s.sink.Event(&s.ev)
	if s.called {
		s.finish.Stop, s.finish.StopSequence = ir.ToolUse, ""
	}
	if !s.whole {
		s.end()
	}
}

// unit takes one code unit, for which size bytes stand at the end of held, and moves to out what can't belong to a stop
// sequence any more.
func (s *stops) unit(u uint16, size int) {
	s.lens = append(s.lens, uint8(size))
	longest, found := 0, -1
	for i := range s.list {
		p := &s.list[i]
		for p.seen > 0 && p.units[p.seen] != u {
			p.seen = int(p.border[p.seen-1])
		}
		if p.units[p.seen] == u {
			p.seen++
		}
		if p.seen == len(p.units) && (found < 0 || p.seen > len(s.list[found].units)) {
			found = i
		}
		longest = max(longest, p.seen)
	}
	if found >= 0 {
		s.cut, s.finish.StopSequence = true, s.list[found].as
		longest = len(s.list[found].units)
	}
	bytes := 0
	for len(s.lens)-s.lensFrom > longest {
		bytes += int(s.lens[s.lensFrom])
		s.lensFrom++
	}
	s.out = append(s.out, s.held[s.heldFrom:s.heldFrom+bytes]...)
	s.heldFrom += bytes
	if s.lensFrom*2 > len(s.lens) { // what was passed is the larger part
		s.held = s.held[:copy(s.held, s.held[s.heldFrom:])]
		s.lens = s.lens[:copy(s.lens, s.lens[s.lensFrom:])]
		s.heldFrom, s.lensFrom = 0, 0
	}
}

// codeUnits returns the UTF-16 code units of the first character of a text, low 0 where it is one unit, and how many bytes
// stand for it.
func codeUnits(e ir.Escaped) (high, low uint16, n int) {
	switch c := e[0]; {
	case c == '\\' && len(e) > 1 && e[1] == 'u':
		if unit, ok := codeUnit(e); ok {
			return unit, 0, 6
		}
		return '\\', 0, 1
	case c == '\\':
		char, n := unescaped(e)
		return uint16(char), 0, n
	case c < utf8.RuneSelf:
		return uint16(c), 0, 1
	}
	r, n := utf8.DecodeRuneInString(string(e))
	if r < 0x10000 {
		return uint16(r), 0, n
	}
	r -= 0x10000
	return uint16(0xD800 + r>>10), uint16(0xDC00 + r&0x3FF), n
}
