package translator

import (
	"strconv"

	"edgelingua/translator/ir"
)

// defaultMaxOutput is Exchange.MaxOutput where it is not set.
const defaultMaxOutput = 8 << 20

// limit bounds what is gathered of an answer. Past it the answer has failed.
type limit struct {
	sink      ir.Sink
	max, rest int // bytes
	failed    bool
}

// Event takes the next event of the answer.
func (l *limit) Event(ev *ir.Event) {
	if l.failed {
		return
	}
	if ev.Kind == ir.Delta {
		l.rest -= len(ev.Text) + len(ev.Raw)
		if c := ev.Citation; c != nil {
			l.rest -= len(c.URL) + len(c.Title) + len(c.Quote) + len(c.Raw)
		}
	}
	if l.rest < 0 {
		l.failed = true
		ev = &ir.Event{Kind: ir.Failure, Err: &ir.Error{Kind: ir.Unavailable, Message: "The answer is longer than " +
			strconv.Itoa(l.max) + " bytes, which is the limit of what is gathered. Ask for less, or raise MAX_OUTPUT_BYTES."}}
	}
	l.sink.Event(ev)
}
