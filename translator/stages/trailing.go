package stages

import (
	"strings"

	"edgelingua/translator/ir"
)

// lostTrailing is the loss of an envelope after the last text of an answer.
const lostTrailing = "content[redacted_thinking]"

// trailing is the sink of DropTrailing. It buffers the envelopes after a text until the next block,
// or until the turn ends with a call.
type trailing struct {
	sink     ir.Sink
	lost     *ir.Lost
	text     bool       // the last block, apart from the buffered ones, is a text or a refusal
	inside   bool       // the open block is buffered
	passes   bool       // the envelopes after the last text pass, if the answer is complete
	buffered []ir.Event // RedactedBlocks, with copies of their texts; the decoder's limit is ir.MaxBuffered
}

// DropTrailing returns a sink that passes events to sink, without the envelopes after the last text
// of an answer. It reports them in lost. Clients that print the last block of an answer as its
// result need this (ir.API.LastIsResult): after an envelope Claude Code 2.1.332 prints nothing. A
// turn with a call keeps its envelopes. Other clients need this only for an answer that was cut: the
// text is the incomplete item, and not the envelope (ir.API.CutIsLast). Google's models sign their
// final text, cut or not, and Google does not validate the signatures of texts
// (ai.google.dev/gemini-api/docs/thought-signatures).
func DropTrailing(r *ir.Request, lost *ir.Lost, sink ir.Sink) ir.Sink {
	if !r.API.LastIsResult && !r.API.CutIsLast {
		return sink
	}
	return &trailing{sink: sink, lost: lost, passes: r.API.CutIsLast}
}

// Event implements ir.Sink.
func (t *trailing) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && ev.Block == ir.RedactedBlock && t.text:
		t.inside = true
		t.buffer(ev)
		return
	case t.inside && ev.Kind != ir.Failure:
		t.buffer(ev)
		t.inside = ev.Kind != ir.BlockStop
		return
	case ev.Kind == ir.BlockStart:
		t.flush()
		t.text = ev.Block == ir.TextBlock || ev.Block == ir.RefusalBlock
		t.passes = t.passes || ev.Block == ir.ToolCallBlock || ev.Block == ir.CustomToolCallBlock
	case ev.Kind == ir.Finish && t.passes && ev.Stop != ir.MaxTokens && ev.Stop != ir.ContextWindow &&
		ev.Stop != ir.Refusal:
		t.flush()
	case ev.Kind == ir.Finish && len(t.buffered) > 0:
		t.lost.Add(lostTrailing)
	}
	t.sink.Event(ev)
}

// buffer buffers a copy of an event of a RedactedBlock.
func (t *trailing) buffer(ev *ir.Event) {
	t.buffered = append(t.buffered, *ev)
	e := &t.buffered[len(t.buffered)-1]
	e.ID, e.Text = ir.Escaped(strings.Clone(string(ev.ID))), ir.Escaped(strings.Clone(string(ev.Text)))
}

// flush passes the buffered events on.
func (t *trailing) flush() {
	for i := range t.buffered {
		t.sink.Event(&t.buffered[i])
	}
	t.buffered = t.buffered[:0]
}
