package translator

import (
	"strings"

	"edgelingua/translator/ir"
)

// lostTrailing is the loss of an envelope after the last text of an answer.
const lostTrailing = "content[redacted_thinking]"

// trailing is a sink for clients that print the last block of an answer as its result
// (ir.API.LastIsResult). A turn without calls must not end with an envelope after its text: Claude
// Code 2.1.332 then prints nothing. Google's models sign their final text, and Google does not
// validate the signatures of texts (ai.google.dev/gemini-api/docs/thought-signatures), so trailing
// drops such an envelope and reports the loss. It buffers the envelopes after a text until the next
// block, or until the turn ends with a call.
type trailing struct {
	exchange *Exchange
	sink     ir.Sink
	text     bool // the last block, apart from the buffered ones, is a text or a refusal
	inside   bool // the open block is buffered
	called   bool // the turn has a call
	// held buffers RedactedBlocks, with copies of their texts. The decoder limits their size to
	// ir.MaxHeld.
	held []ir.Event
}

// withoutTrailing returns a sink that passes events on to sink. If the client requires it, the
// envelopes after the last text are dropped.
func (x *Exchange) withoutTrailing(sink ir.Sink) ir.Sink {
	if !x.pair.Client.LastIsResult || x.pair.Client == x.pair.Upstream {
		return sink
	}
	return &trailing{exchange: x, sink: sink}
}

// Event implements ir.Sink.
func (t *trailing) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && ev.Block == ir.RedactedBlock && t.text:
		t.inside = true
		t.hold(ev)
		return
	case t.inside && ev.Kind != ir.Failure:
		t.hold(ev)
		t.inside = ev.Kind != ir.BlockStop
		return
	case ev.Kind == ir.BlockStart:
		t.release()
		t.text = ev.Block == ir.TextBlock || ev.Block == ir.RefusalBlock
		t.called = t.called || ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock
	case ev.Kind == ir.Finish && t.called:
		t.release()
	case ev.Kind == ir.Finish && len(t.held) > 0:
		t.exchange.Lost.Add(lostTrailing)
	}
	t.sink.Event(ev)
}

// hold buffers a copy of an event of a RedactedBlock.
func (t *trailing) hold(ev *ir.Event) {
	t.held = append(t.held, *ev)
	e := &t.held[len(t.held)-1]
	e.ID, e.Text = ir.Escaped(strings.Clone(string(ev.ID))), ir.Escaped(strings.Clone(string(ev.Text)))
}

// release passes on the buffered events.
func (t *trailing) release() {
	for i := range t.held {
		t.sink.Event(&t.held[i])
	}
	t.held = t.held[:0]
}
