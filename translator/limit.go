package translator

import (
	"strconv"

	"edgelingua/translator/ir"
)

// defaultMaxOutput bounds an answer that is kept as a whole, in bytes.
const defaultMaxOutput = 4 << 20

// limit bounds what is kept of an answer that goes out as a whole, or whose end repeats the whole of it: past the bound the
// answer has failed.
type limit struct {
	sink  ir.Sink
	most  int64
	left  int64
	ended bool
}

// Event takes the next event of the answer.
func (l *limit) Event(ev *ir.Event) {
	if l.ended {
		return
	}
	l.left -= int64(len(ev.Text) + len(ev.Raw))
	if c := ev.Citation; c != nil {
		l.left -= int64(len(c.URL) + len(c.Title) + len(c.Quote) + len(c.Raw))
	}
	if l.left < 0 {
		l.ended = true
		l.sink.Event(&ir.Event{Kind: ir.Failure, Err: &ir.Error{
			Kind: ir.Unavailable,
			Message: "The upstream's answer is longer than " + strconv.FormatInt(l.most, 10) +
				" bytes, which is the limit for answers that have to be kept as a whole (max_output_bytes).",
		}})
		return
	}
	l.sink.Event(ev)
}
