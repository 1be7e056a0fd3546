package stages

import (
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxReasoning limits the reasoning of one block in an envelope, in bytes of its text. Longer
// reasoning is lost.
const maxReasoning = 1 << 20

// reasoning is the sink of HideReasoning.
type reasoning struct {
	sink     ir.Sink
	client   string        // the name of the client's API
	upstream string        // the name of the upstream's API
	hidden   *count.Output // estimates the tokens of hidden reasoning; nil: no estimate
	texts    bool          // the upstream needs the text of unsigned reasoning back
	returns  bool          // the client gets reasoning, without its text
	inside   bool          // a block of reasoning is open
	passed   bool          // the client has got the open block
	id       []byte
	text     []byte
	envelope []byte
	ev       ir.Event // the event for sink
}

// HideReasoning returns a sink that passes events to sink, without the texts of reasoning if the
// client must not see them (ir.Request.HideThoughts). If the upstream needs its reasoning back in
// the next turn, the client gets a block without a text and with the whole reasoning in an envelope
// as its signature. Only clients with tools that let the model think get this block: for any other
// client the next turn is a new question, and scripts with SDKs take the first block for the
// answer. hidden estimates the tokens of reasoning withheld from the client; nil: no estimate.
func HideReasoning(
	r *ir.Request, t *ir.Target, upstream *ir.API, hidden *count.Output, sink ir.Sink,
) ir.Sink {
	if !r.HideThoughts || t.ShowThoughts {
		return sink
	}
	h := &reasoning{
		sink: sink, client: r.API.Name, upstream: upstream.Name, hidden: hidden, texts: t.WantsText(),
	}
	for i := range r.Tools {
		h.returns = h.returns || r.Effort != "none" && r.Tools[i].Kind.RunByClient()
	}
	return h
}

// Event implements ir.Sink.
func (h *reasoning) Event(ev *ir.Event) {
	switch {
	case ev.Kind == ir.BlockStart &&
		(ev.Block == ir.ReasoningBlock || ev.Block == ir.RedactedBlock && !h.returns):
		h.inside, h.passed = true, false
		h.id, h.text = append(h.id[:0], ev.ID...), h.text[:0]
	case !h.inside:
		h.sink.Event(ev)
	case ev.Kind == ir.Delta && ev.Delta == ir.TextDelta && h.returns:
		h.text = append(h.text, ev.Text[:min(len(ev.Text), maxReasoning+1-len(h.text))]...)
	case ev.Kind == ir.Delta && ev.Delta == ir.SignatureDelta && h.returns:
		h.pass(ev.Origin, ev.Text)
	case ev.Kind == ir.BlockStop:
		h.stop()
	case ev.Kind == ir.Failure:
		h.sink.Event(ev)
	default:
		h.count(ev)
	}
}

// stop ends the open block. Unsigned reasoning is sent only to an upstream that needs its text
// back.
func (h *reasoning) stop() {
	h.inside = false
	if !h.passed && h.texts {
		h.pass(h.upstream, "")
	}
	if h.passed {
		h.send(ir.Event{Kind: ir.BlockStop})
	} else { // withheld reasoning is billed by the upstream
		h.count(&ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: jsonw.View(h.text)})
	}
}

// count counts an event withheld from the client.
func (h *reasoning) count(ev *ir.Event) {
	if h.hidden != nil {
		h.hidden.Event(ev)
	}
}

// pass sends the beginning of the open block: without its text, and with its signature, "" for
// none. The envelope with the text becomes the client's own signature, so encoders leave it
// unchanged.
func (h *reasoning) pass(origin string, signature ir.Escaped) {
	enveloped := len(h.text) > 0 && len(h.text) <= maxReasoning && ir.HidesIn(signature)
	if !enveloped && signature == "" {
		return
	}
	h.passed = true
	h.send(ir.Event{Kind: ir.BlockStart, Block: ir.ReasoningBlock, ID: jsonw.View(h.id)})
	if enveloped {
		h.envelope = ir.AppendHidden(h.envelope[:0], origin, jsonw.View(h.id), jsonw.View(h.text), signature)
		origin, signature = h.client, jsonw.View(h.envelope)
	}
	h.send(ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Origin: origin, Text: signature})
}

// send sends ev to sink. Not inlined, to keep the module small.
//
//go:noinline
func (h *reasoning) send(ev ir.Event) {
	h.ev = ev
	h.sink.Event(&h.ev)
}
