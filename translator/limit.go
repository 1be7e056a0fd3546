package translator

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
)

// defaultMaxOutput is Exchange.MaxOutput where that is 0, in bytes.
const defaultMaxOutput = 4 << 20

// tokenSize is how many bytes of JSON clients get for a token of which the upstream has said nothing, as {}: package openai writes all members.
const tokenSize = 64

// limit bounds an answer that has to be kept as a whole: a plain body, or a stream whose end repeats the whole answer. An answer
// past the bound has failed.
type limit struct {
	sink  ir.Sink
	most  int64 // bytes that the answer may have
	left  int64 // bytes that it may have from here on
	ended bool  // it has failed
}

// bounded returns a sink that hands the events on to sink, up to MaxOutput.
func (x *Exchange) bounded(sink ir.Sink) ir.Sink {
	most := x.MaxOutput
	if most == 0 {
		most = defaultMaxOutput
	}
	return &limit{sink: sink, most: most, left: most}
}

// Event implements ir.Sink.
func (l *limit) Event(ev *ir.Event) {
	if l.ended {
		return
	}
	l.left -= int64(len(ev.Text) + len(ev.Raw) + len(ev.ID) + len(ev.CallID) + len(ev.Name))
	if ev.Delta == ir.LogprobsDelta {
		l.left -= int64(strings.Count(string(ev.Raw), "{")) * tokenSize
	}
	if h := ev.Hosted; h != nil {
		l.left -= int64(len(h.Server) + len(h.Name) + len(h.Input) + len(h.Output))
		for _, name := range h.Found {
			l.left -= int64(len(name))
		}
	}
	if c := ev.Citation; c != nil {
		l.left -= int64(len(c.URL) + len(c.Title) + len(c.Quote) + len(c.Raw) + len(c.Age) + len(c.Sealed))
	}
	if l.left < 0 {
		l.ended = true
		ev = &ir.Event{Kind: ir.Failure, Err: &ir.Error{
			Kind: ir.Unavailable,
			Message: "The upstream's answer is longer than " + strconv.FormatInt(l.most, 10) +
				" bytes, which is the limit for answers that have to be kept as a whole (max_output_bytes).",
		}}
	}
	l.sink.Event(ev)
}
