package translator

import (
	"strconv"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Bounds of the stop sequences that are watched for here: every character of an answer is compared with all of them.
const (
	maxStops      = 16
	maxStopLength = 256 // UTF-16 units
)

// stops ends an answer at a stop sequence, for an upstream that can't be told of it (see watchesStops). It is a sink that watches
// the text of text blocks, each block by itself, and holds back the end of the text as long as that could be the beginning of a
// sequence. Characters are compared by what they mean, as UTF-16 units, since an escape (\ud83d) may stand for half a character.
// They are passed on as they are written.
type stops struct {
	sink    ir.Sink
	stops   []stop
	arrival arrival
	usage   ir.Usage             // what the answer's Start said
	tier    ir.Tier              // likewise
	inText  bool                 // the open block is a text
	calls   bool                 // the answer holds a call
	ended   bool                 // a sequence was met
	end     ir.Event             // the answer's end once a sequence was met
	held    []byte               // the text that is held back, as it is written
	widths  [maxStopLength]uint8 // in how many bytes each of the last units is written, as a ring
	unit    int                  // how many units there were: the next one's place in widths, modulo its length
	ev      ir.Event             // the event that is being handed to sink
}

// stop is one sequence.
type stop struct {
	name    ir.Escaped // as the client wrote it
	units   []uint16
	shorter []int // by the length of a match: the next shorter match that the same text ends with (Knuth, Morris, Pratt)
	matched int   // how many units of the sequence the text ends with
}

// checkStops returns an error where the sequences of a request are too many or too long to be watched for.
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

// newStops returns a sink that ends an answer at one of the sequences in list. An empty sequence matches nothing.
//
//go:noinline
func newStops(list []ir.Escaped, a arrival, sink ir.Sink) *stops {
	s := &stops{sink: sink, arrival: a, usage: ir.NoUsage, stops: make([]stop, 0, len(list))}
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

// Event implements ir.Sink.
func (s *stops) Event(ev *ir.Event) {
	switch {
	case s.ended:
		if s.arrival == complete && (ev.Kind == ir.Finish || ev.Kind == ir.Failure) {
			if ev.Kind == ir.Finish {
				s.end.Usage, s.end.Tier = ev.Usage, ev.Tier
			}
			s.sink.Event(&s.end)
		}
		return
	case ev.Kind == ir.Start:
		s.usage, s.tier = ev.Usage, ev.Tier
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

// text takes a piece of text, and passes on what can't be the beginning of a sequence.
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

// finish ends the answer at the sequence met. An answer with a call ends as one, so that the client runs the call. The usage that
// the upstream says at its own end is known for an answer that arrives all at once; a stream is not waited for.
func (s *stops) finish(met ir.Escaped) {
	s.end = ir.Event{Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: met, Usage: s.usage, Tier: s.tier}
	if s.calls {
		s.end.Stop, s.end.StopSequence = ir.ToolUse, ""
	}
	if s.arrival == streamed {
		s.sink.Event(&s.end)
	}
}

// step takes one unit, written in width bytes, and returns the length of the longest beginning of a sequence that the text ends
// with. Where the text ends with a whole sequence the answer has ended, and the length is that of the longest such sequence.
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

// written returns in how many bytes the last n units are written.
func (s *stops) written(n int) (bytes int) {
	for k := s.unit - n; k < s.unit; k++ {
		bytes += int(s.widths[k%maxStopLength])
	}
	return bytes
}

// cut passes on the first n bytes of the text that is held followed by e.
func (s *stops) cut(e ir.Escaped, n int) {
	s.pass(jsonw.View(s.held[:min(n, len(s.held))]))
	if n > len(s.held) {
		s.pass(e[:n-len(s.held)])
	}
}

// pass hands text on as a delta.
func (s *stops) pass(text ir.Escaped) {
	if text != "" {
		s.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		s.sink.Event(&s.ev)
	}
}

// unitsAt returns the first character or escape sequence of e: its one or two UTF-16 units, how many they are, and in how many
// bytes they are written.
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
