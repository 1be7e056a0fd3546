package translator

import (
	"strings"

	"edgelingua/translator/ir"
)

// lostTrailing is the loss of an envelope after the last text of an answer.
const lostTrailing = "content[redacted_thinking]"

// trailing is a sink for clients that print the last block of an answer as its result (ir.API.LastIsResult). A turn without calls
// must not end with an envelope after its text: Claude Code 2.1.332 then prints nothing. Google's models sign their final text, and
// Google does not validate the signatures of texts (ai.google.dev/gemini-api/docs/thought-signatures), so such an envelope is
// dropped and reported. trailing holds the envelopes after a text until the next block, or until the turn ends with a call.
type trailing struct {
	exchange *Exchange
	sink     ir.Sink
	text     bool       // the last block, apart from the held ones, is a text or a refusal
	inside   bool       // the open block is held
	called   bool       // the turn has a call
	held     []ir.Event // RedactedBlocks, with copies of their texts; the decoder bounds their size by ir.MaxHeld
}

// withoutTrailing returns a sink that hands the events on to sink, without envelopes after the last text if the client needs that.
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

// hold keeps a copy of an event of a RedactedBlock.
func (t *trailing) hold(ev *ir.Event) {
	t.held = append(t.held, *ev)
	e := &t.held[len(t.held)-1]
	e.ID, e.Text = ir.Escaped(strings.Clone(string(ev.ID))), ir.Escaped(strings.Clone(string(ev.Text)))
}

// release hands on the held events.
func (t *trailing) release() {
	for i := range t.held {
		t.sink.Event(&t.held[i])
	}
	t.held = t.held[:0]
}
