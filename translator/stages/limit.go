package stages

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
)

// defaultLimit is the limit of Limit for 0, in bytes.
const defaultLimit = 4 << 20

// tokenSize is the size, in JSON for the client, of a token with empty logprobs from the upstream
// ({}): package openai writes all members.
const tokenSize = 64

// limit is the sink of Limit.
type limit struct {
	sink   ir.Sink
	max    int64 // bytes of the answer
	left   int64 // bytes of the rest of the answer
	failed bool
}

// Limit returns a sink that passes the events of an answer to sink, up to max bytes. A longer
// answer fails. Limit is for answers that must be buffered as a whole: a plain body, or a stream
// whose end repeats the answer. If max is 0 the limit is 4 MB.
func Limit(max int64, sink ir.Sink) ir.Sink {
	if max == 0 {
		max = defaultLimit
	}
	return &limit{sink: sink, max: max, left: max}
}

// Event implements ir.Sink.
func (l *limit) Event(ev *ir.Event) {
	if l.failed {
		return
	}
	l.left -= int64(len(ev.Text) + len(ev.Raw) + len(ev.ID) + len(ev.CallID) + len(ev.Name))
	if ev.Delta == ir.LogprobsDelta {
		l.left -= int64(strings.Count(string(ev.Raw), "{")) * tokenSize
	}
	if h := ev.Hosted; h != nil {
		l.left -= int64(len(h.Server) + len(h.Name) + len(h.Input) + len(h.Output) + len(h.State))
		for _, name := range h.FoundTools {
			l.left -= int64(len(name))
		}
	}
	if ev.Program != nil { // its state is in the ids that clients get
		l.left -= int64(len(ev.Program.State))
	}
	if c := ev.Citation; c != nil {
		l.left -= int64(len(c.URL) + len(c.Title) + len(c.Quote) + len(c.Raw) + len(c.Age) + len(c.Envelope))
	}
	if l.left < 0 {
		l.failed = true
		ev = &ir.Event{Kind: ir.Failure, Err: &ir.Error{
			Kind: ir.Unavailable,
			Message: "The upstream's answer is longer than " + strconv.FormatInt(l.max, 10) +
				" bytes, the limit for answers that must be buffered completely (max_output_bytes).",
		}}
	}
	l.sink.Event(ev)
}
