// Package irtest helps tests of the hub's events: sinks that record, check, count, encode or drop
// them, and clients of no protocol in particular. Only tests import it.
package irtest

import (
	"testing"

	"edgelingua/translator/ir"
)

// Func is a function as a sink.
type Func func(*ir.Event)

// Event calls f.
func (f Func) Event(ev *ir.Event) { f(ev) }

// Discard is a sink that does nothing, for tests that count allocations.
var Discard ir.Sink = discard{}

type discard struct{}

func (discard) Event(*ir.Event) {}

// Counter is a sink that counts events and allocates nothing.
type Counter int

// Event counts ev.
func (c *Counter) Event(*ir.Event) { *c++ }

// Stream is a sink that encodes events as a client's stream. It allocates only to let Out grow.
type Stream struct {
	Encoder ir.Encoder
	Out     []byte // may be truncated at any time
}

// Event appends what the client gets for ev to Out.
func (s *Stream) Event(ev *ir.Event) { s.Out = s.Encoder.AppendEvent(s.Out, ev) }

// Send hands copies of events to sink, one by one.
func Send(sink ir.Sink, events ...ir.Event) {
	for _, ev := range events {
		sink.Event(&ev)
	}
}

// Encode returns the stream that a client gets for events.
func Encode(encoder ir.Encoder, events ...ir.Event) string {
	s := &Stream{Encoder: encoder}
	Send(s, events...)
	return string(s.Out)
}

// Checked is a sink that passes events to another sink. The test fails at the first event that
// breaks the grammar, which is in the comment of package ir.
type Checked struct {
	t       testing.TB
	checker ir.Checker
	sink    ir.Sink
}

// Check returns a Checked that passes events to sink.
func Check(t testing.TB, sink ir.Sink) *Checked { return &Checked{t: t, sink: sink} }

// Event checks ev and passes it.
func (c *Checked) Event(ev *ir.Event) {
	c.t.Helper()
	if err := c.checker.Check(ev); err != nil {
		c.t.Fatalf("%v: %s", err, Line(ev))
	}
	c.sink.Event(ev)
}

// RequireEnd fails the test if the answer has no end.
func (c *Checked) RequireEnd() {
	c.t.Helper()
	if err := c.checker.End(); err != nil {
		c.t.Fatal(err)
	}
}
