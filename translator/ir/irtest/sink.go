// Package irtest helps tests with events of the hub. It has sinks that record, check, count, encode
// or drop events, and clients of a made-up protocol. Only tests import irtest.
package irtest

import (
	"testing"

	"edgelingua/translator/ir"
)

// Func is a function as a sink.
type Func func(*ir.Event)

// Event calls f.
func (f Func) Event(ev *ir.Event) { f(ev) }

// Discard drops events. Tests use Discard to count allocations.
var Discard ir.Sink = discard{}

type discard struct{}

func (discard) Event(*ir.Event) {}

// Counter is a sink that counts events without allocating.
type Counter int

// Event counts ev.
func (c *Counter) Event(*ir.Event) { *c++ }

// Stream encodes events as the stream of a client. It allocates only to grow Out.
type Stream struct {
	Encoder ir.Encoder
	Out     []byte // may be truncated at any time
}

// Event encodes ev and appends the result to Out.
func (s *Stream) Event(ev *ir.Event) { s.Out = s.Encoder.AppendEvent(s.Out, ev) }

// Send passes copies of events to sink, one by one.
func Send(sink ir.Sink, events ...ir.Event) {
	for _, ev := range events {
		sink.Event(&ev)
	}
}

// Encode returns events as the stream of encoder's client.
func Encode(encoder ir.Encoder, events ...ir.Event) string {
	s := &Stream{Encoder: encoder}
	Send(s, events...)
	return string(s.Out)
}

// Checked passes events to another sink. The test fails at the first event that breaks the grammar
// in the comment of package ir.
type Checked struct {
	t       testing.TB
	checker ir.Checker
	sink    ir.Sink
}

// Check returns a Checked that passes events to sink.
func Check(t testing.TB, sink ir.Sink) *Checked { return &Checked{t: t, sink: sink} }

// Event checks ev and passes it to the sink.
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
