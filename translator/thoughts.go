package translator

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxThought bounds, in bytes, the text of one block of reasoning that is kept for the next turn. A longer one is lost.
const maxThought = 1 << 20

// thoughts is a sink for a client that does not want to read how the model reasons (ir.Request.HideThoughts): it keeps the texts of
// reasoning back. What the upstream wants back with the next turn, the client gets as a block without text, whose signature is an
// envelope with all of it: only where the client has tools and lets the model think. For others a turn more is a new question,
// and SDKs' scripts take the first block for the answer.
type thoughts struct {
	exchange *Exchange
	sink     ir.Sink
	returns  bool // reasoning goes to the client, without its text
	inside   bool // a block of reasoning is open
	passed   bool // the client has got the open block
	id       []byte
	text     []byte
	envelope []byte
	ev       ir.Event // the event that is being handed to sink
}

// withoutThoughts returns a sink that hands the events on to sink, without reasoning that the client does not want to see. Between two
// sides of the same protocol nothing is kept back: there the upstream knows itself what the client has asked for.
func (x *Exchange) withoutThoughts(sink ir.Sink) ir.Sink {
	r := x.Request
	if !r.HideThoughts || x.target.ShowThoughts || x.pair.Client == x.pair.Upstream {
		return sink
	}
	t := &thoughts{exchange: x, sink: sink}
	for i := range r.Tools {
		t.returns = t.returns || r.Effort != "none" && r.Tools[i].Kind.RunByClient()
	}
	return t
}

// Event implements ir.Sink.
func (t *thoughts) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart && (ev.Block == ir.ReasoningBlock || ev.Block == ir.RedactedBlock && !t.returns):
		t.inside, t.passed = true, false
		t.id, t.text = append(t.id[:0], ev.ID...), t.text[:0]
	case !t.inside:
		t.sink.Event(ev)
	case ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && t.returns:
		t.text = append(t.text, ev.Text[:min(len(ev.Text), maxThought+1-len(t.text))]...)
	case ev.Kind == ir.Delta && ev.Delta == ir.SignatureDelta && t.returns:
		t.pass(ev.Origin, ev.Text)
	case ev.Kind == ir.BlockStop:
		t.stop()
	case ev.Kind == ir.Failure:
		t.sink.Event(ev)
	default:
		t.exchange.note(ev)
	}
}

// stop ends the open block. Reasoning that nobody has signed goes back only to an upstream that wants its text.
func (t *thoughts) stop() {
	t.inside = false
	if !t.passed && t.exchange.target.WantsText() {
		t.pass(t.exchange.pair.Upstream.Name, "")
	}
	if t.passed {
		t.hand(ir.Event{Kind: ir.BlockStop})
	} else { // its tokens have been paid for
		t.exchange.note(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(t.text)})
	}
}

// pass hands on the open block, without its text and with its signature, "" where it has none. The envelope with the text is made here,
// as the client's own signature: encoders leave that as it is.
func (t *thoughts) pass(origin string, signature ir.Escaped) {
	held := len(t.text) > 0 && len(t.text) <= maxThought && ir.HidesIn(signature)
	if !held && signature == "" {
		return
	}
	t.passed = true
	t.hand(ir.Event{Kind: ir.BlockStart, Block: ir.ReasoningBlock, ID: jsonw.View(t.id)})
	if held {
		t.envelope = ir.AppendHidden(t.envelope[:0], origin, jsonw.View(t.id), jsonw.View(t.text), signature)
		origin, signature = t.exchange.pair.Client.Name, jsonw.View(t.envelope)
	}
	t.hand(ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Origin: origin, Text: signature})
}

// hand hands ev to sink. Not inlined: that keeps the module small.
//
//go:noinline
func (t *thoughts) hand(ev ir.Event) {
	t.ev = ev
	t.sink.Event(&t.ev)
}
