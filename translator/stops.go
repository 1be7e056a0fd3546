package translator

import (
	"strconv"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Bounds of the stop sequences that are watched for here: every character of an answer is held against all of them.
const (
	maxStops      = 16
	maxStopLength = 256 // UTF-16 units
)

// stops ends an answer at a stop sequence, for upstreams that can't be told of them. It watches the text of text blocks, each by
// itself, and holds back what could be the beginning of a sequence. Characters are compared by what they mean, as UTF-16 units,
// and passed on as they are written: an escape may stand for half of a character.
type stops struct {
	sink   ir.Sink
	stops  []stop
	whole  bool // the answer is there as a whole, with its usage at its end
	usage  ir.Usage
	inText bool
	calls  bool // the answer holds a call
	ended  bool // a sequence was met
	end    ir.Event
	held   []byte               // the end of the text so far, as it is written
	widths [maxStopLength]uint8 // how long the last units are as they are written, in turn
	unit   int                  // the place of the next one
	ev     ir.Event             // the one event that is handed out
}

// stop is one sequence, and how much of it the text ends with.
type stop struct {
	name    ir.Escaped
	units   []uint16
	shorter []int // of each length that has matched: the next shorter one that the text then ends with too (Knuth, Morris, Pratt)
	matched int
}

// checkStops returns why sequences can't be watched for, or nil.
func checkStops(r *ir.Request) *ir.Error {
	refused := func(what string) *ir.Error {
		return &ir.Error{Kind: ir.InvalidRequest, Path: r.FieldPath(ir.FieldStop), Message: "the upstream does not know stop sequences, and at most " + what + " are watched for in its place"}
	}
	if len(r.Stop) > maxStops {
		return refused(strconv.Itoa(maxStops))
	}
	for _, s := range r.Stop {
		if len(unitsOf(s)) > maxStopLength {
			return refused(strconv.Itoa(maxStopLength) + " characters each")
		}
	}
	return nil
}

// newStops returns a sink for an answer, which is there as a whole or comes as a stream. Sequences that are empty match nothing.
func newStops(list []ir.Escaped, whole bool, sink ir.Sink) *stops {
	s := &stops{sink: sink, whole: whole, usage: ir.NoUsage, stops: make([]stop, 0, len(list))}
	for _, name := range list {
		units := unitsOf(name)
		if len(units) == 0 {
			continue
		}
		shorter := make([]int, len(units)+1)
		for n, k := 1, 0; n < len(units); n++ {
			for k > 0 && units[n] != units[k] {
				k = shorter[k]
			}
			if units[n] == units[k] {
				k++
			}
			shorter[n+1] = k
		}
		s.stops = append(s.stops, stop{name: name, units: units, shorter: shorter})
	}
	return s
}

// Event takes the next event of the answer.
func (s *stops) Event(ev *ir.Event) {
	switch {
	case s.ended:
		if s.whole && (ev.Kind == ir.Finish || ev.Kind == ir.Failure) {
			if ev.Kind == ir.Finish {
				s.end.Usage = ev.Usage
			}
			s.sink.Event(&s.end)
		}
		return
	case ev.Kind == ir.Start:
		s.usage = ev.Usage
	case ev.Kind == ir.BlockStart:
		s.inText = ev.Block == ir.TextBlock
		s.calls = s.calls || ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock
	case s.inText && ev.Kind == ir.Delta && ev.Delta == ir.TextDelta:
		s.text(ev.Text)
		return
	case s.inText && (ev.Kind == ir.BlockStop || ev.Kind == ir.Failure):
		s.inText = false
		s.pass(jsonw.View(s.held))
		s.held = s.held[:0]
		for i := range s.stops {
			s.stops[i].matched = 0
		}
	}
	s.sink.Event(ev)
}

// text takes a piece of text, and passes on what can be no beginning of a sequence.
func (s *stops) text(e ir.Escaped) {
	longest := 0
	for i := 0; i < len(e); {
		units, n, width := unitsAt(e[i:])
		i += width
		for k := range n {
			if longest = s.step(units[k], width*(1-k)); s.ended {
				break
			}
		}
		if s.ended {
			s.cut(e, len(s.held)+i-s.written(longest))
			s.ev = ir.Event{Kind: ir.BlockStop}
			s.sink.Event(&s.ev)
			s.finish(s.met(longest))
			return
		}
	}
	keep := len(s.held) + len(e) - s.written(longest)
	s.cut(e, keep)
	if behind := keep - len(s.held); behind >= 0 {
		s.held = append(s.held[:0], e[behind:]...)
	} else {
		s.held = append(s.held[:copy(s.held, s.held[keep:])], e...)
	}
}

// finish ends the answer at a sequence. Calls before it are run: nothing else would answer them. The usage of a stream is not
// known by now; that of a whole answer is at its end.
func (s *stops) finish(met ir.Escaped) {
	s.end = ir.Event{Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: met, Usage: s.usage}
	if s.calls {
		s.end.Stop, s.end.StopSequence = ir.ToolUse, ""
	}
	if !s.whole {
		s.sink.Event(&s.end)
	}
}

// step takes one unit, and returns how long the longest beginning of a sequence is that the text ends with. Where that is a whole
// sequence the answer has ended; of several that end here it is the longest.
func (s *stops) step(unit uint16, width int) (longest int) {
	s.widths[s.unit%maxStopLength] = uint8(width)
	s.unit++
	whole := 0
	for i := range s.stops {
		p := &s.stops[i]
		for p.matched > 0 && p.units[p.matched] != unit {
			p.matched = p.shorter[p.matched]
		}
		if p.units[p.matched] == unit {
			p.matched++
		}
		if p.matched == len(p.units) {
			whole = max(whole, p.matched)
		}
		longest = max(longest, p.matched)
	}
	if whole > 0 {
		s.ended = true
		return whole
	}
	return longest
}

// met returns the sequence that the text ends with, which has n units.
func (s *stops) met(n int) ir.Escaped {
	for i := range s.stops {
		if p := &s.stops[i]; p.matched == n && len(p.units) == n {
			return p.name
		}
	}
	return ""
}

// written returns how many bytes the last n units take as they are written.
func (s *stops) written(n int) (bytes int) {
	for k := s.unit - n; k < s.unit; k++ {
		bytes += int(s.widths[k%maxStopLength])
	}
	return bytes
}

// cut passes on the first n bytes of what is held and e together.
func (s *stops) cut(e ir.Escaped, n int) {
	s.pass(ir.Escaped(view(s.held[:min(n, len(s.held))])))
	if n > len(s.held) {
		s.pass(e[:n-len(s.held)])
	}
}

func (s *stops) pass(text ir.Escaped) {
	if text != "" {
		s.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		s.sink.Event(&s.ev)
	}
}

// unitsAt returns the one or two UTF-16 units that e begins with, and how many bytes they are written in.
func unitsAt(e ir.Escaped) (units [2]uint16, n, width int) {
	if e[0] == '\\' {
		unit, width := jsonw.UnitAt(e)
		return [2]uint16{unit}, 1, width
	}
	if e[0] < utf8.RuneSelf {
		return [2]uint16{uint16(e[0])}, 1, 1
	}
	r, width := utf8.DecodeRuneInString(string(e))
	if r >= 0x10000 {
		r -= 0x10000
		return [2]uint16{uint16(0xD800 + r>>10), uint16(0xDC00 + r&0x3FF)}, 2, width
	}
	return [2]uint16{uint16(r)}, 1, width
}

// unitsOf returns the UTF-16 units of a text.
func unitsOf(e ir.Escaped) []uint16 {
	list := make([]uint16, 0, len(e))
	for i := 0; i < len(e); {
		units, n, width := unitsAt(e[i:])
		list = append(list, units[:n]...)
		i += width
	}
	return list
}
