package stages

import (
	"strconv"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Limits of the stop sequences of a request: Stops compares each character of an answer with all of
// them.
const (
	maxStops      = 16
	maxStopLength = 256 // UTF-16 units
)

// stops is the sink of Stops. It watches each text block separately. It buffers the end of a text
// while the end may be the beginning of a sequence. It compares characters by their meaning, as
// UTF-16 units, because an escape (\ud83d) may be half a character. Characters keep their original
// form.
type stops struct {
	sink     ir.Sink
	stops    []stop
	arrival  Arrival
	usage    ir.Usage             // of the answer's Start
	tier     ir.Tier              // of the answer's Start
	inText   bool                 // the open block is a text
	calls    bool                 // the answer has a call
	ended    bool                 // a sequence was met
	end      ir.Event             // the answer's end after a sequence was met
	buffered []byte               // text, with the original escapes
	widths   [maxStopLength]uint8 // a ring: the width in bytes of each of the last units
	unit     int                  // the number of units so far; the next one is at widths[unit%maxStopLength]
	ev       ir.Event             // the event for sink
}

// stop is one sequence.
type stop struct {
	name    ir.Escaped // in the client's form
	units   []uint16
	shorter []int // by length of a match: the next shorter match with the same end (Knuth, Morris, Pratt)
	matched int   // how many units of the sequence are at the end of the text
}

// WatchesStops reports whether Stops must watch for stop sequences of r, because the upstream can't
// be sent all of them.
func WatchesStops(r *ir.Request, t *ir.Target, upstream *ir.API) bool {
	if len(r.Stop) > 0 && !t.AcceptsStops(len(r.Stop)) {
		return true
	}
	for _, sequence := range r.Stop {
		if !upstream.Upstream.AcceptsStop(sequence) {
			return true
		}
	}
	return false
}

// CheckStops returns an error if the stop sequences of r are too many or too long for Stops. The
// error is the client's fault.
func CheckStops(r *ir.Request) *ir.Error {
	refused := func(limit string) *ir.Error {
		return &ir.Error{Kind: ir.InvalidRequest, Path: r.FieldPath(ir.FieldStop),
			Message: "the upstream does not support these stop sequences, and without its support the " +
				"limit is " + limit}
	}
	if len(r.Stop) > maxStops {
		return refused(strconv.Itoa(maxStops) + " stop sequences")
	}
	for _, s := range r.Stop {
		if len(unitsOf(s)) > maxStopLength {
			return refused(strconv.Itoa(maxStopLength) + " characters per stop sequence")
		}
	}
	return nil
}

// Stops returns a sink that passes an answer to sink, up to one of the stop sequences in list.
// CheckStops must have accepted them. An empty sequence matches nothing.
//
//go:noinline
func Stops(list []ir.Escaped, a Arrival, sink ir.Sink) ir.Sink {
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
		if s.arrival == Complete && (ev.Kind == ir.Finish || ev.Kind == ir.Failure) {
			if ev.Kind == ir.Finish {
				s.end.Usage, s.end.Tier, s.end.Own, s.end.OwnUsage = ev.Usage, ev.Tier, ev.Own, ev.OwnUsage
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
		s.pass(jsonw.View(s.buffered))
		s.buffered = s.buffered[:0]
		for i := range s.stops {
			s.stops[i].matched = 0
		}
	}
	s.sink.Event(ev)
}

// text reads a piece of text. It passes on everything except a possible beginning of a sequence.
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
			s.cut(e, len(s.buffered)+i-s.written(longest))
			s.ev = ir.Event{Kind: ir.BlockStop}
			s.sink.Event(&s.ev)
			s.finish(s.met(longest))
			return
		}
	}
	passed := len(s.buffered) + len(e) - s.written(longest)
	s.cut(e, passed)
	if from := passed - len(s.buffered); from >= 0 {
		s.buffered = append(s.buffered[:0], e[from:]...)
	} else {
		s.buffered = append(s.buffered[:copy(s.buffered, s.buffered[passed:])], e...)
	}
}

// finish ends the answer at the sequence met. An answer with a call ends with ToolUse, because the
// client must run the call. For an answer that arrives all at once, Event adds the usage of the
// upstream's own end. A stream does not wait for the usage.
func (s *stops) finish(met ir.Escaped) {
	s.end = ir.Event{Kind: ir.Finish, Stop: ir.StopSequence, StopSequence: met, Usage: s.usage, Tier: s.tier}
	if s.calls {
		s.end.Stop, s.end.StopSequence = ir.ToolUse, ""
	}
	if s.arrival == Streamed {
		s.sink.Event(&s.end)
	}
}

// step reads one unit, width bytes wide. It returns the length of the longest beginning of a
// sequence at the end of the text. If the text ends with a whole sequence, step sets ended and
// returns the length of the longest such sequence.
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

// met returns the sequence of n units at the end of the text.
func (s *stops) met(n int) ir.Escaped {
	for i := range s.stops {
		if p := &s.stops[i]; p.matched == n && len(p.units) == n {
			return p.name
		}
	}
	return ""
}

// written returns the width in bytes of the last n units.
func (s *stops) written(n int) (bytes int) {
	for k := s.unit - n; k < s.unit; k++ {
		bytes += int(s.widths[k%maxStopLength])
	}
	return bytes
}

// cut passes on the first n bytes of the buffered text and e.
func (s *stops) cut(e ir.Escaped, n int) {
	s.pass(jsonw.View(s.buffered[:min(n, len(s.buffered))]))
	if n > len(s.buffered) {
		s.pass(e[:n-len(s.buffered)])
	}
}

// pass passes text on as a delta.
func (s *stops) pass(text ir.Escaped) {
	if text != "" {
		s.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
		s.sink.Event(&s.ev)
	}
}

// unitsAt returns the first character or escape of e: its n UTF-16 units, one or two, and its width
// in bytes.
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
