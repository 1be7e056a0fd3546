// Package events contains code shared by the decoders of answers. A Writer makes the events of one
// answer. A Queue orders blocks that an upstream sends mixed. Indexed is a Queue for upstreams that
// number their blocks.
package events

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// Writer passes the events of one answer to a sink. A second Start is ignored, and so is every call
// after Finish or Fail. The caller must not let blocks overlap: a block is open from Begin or
// BeginCall until Stop.
type Writer struct {
	sink     ir.Sink
	phase    phase
	open     ir.BlockKind
	ev       ir.Event // the current event, reused
	citation ir.Citation
	tier     ir.Tier
	edits    ir.Raw
	caller   ir.Raw     // of the next call
	program  *ir.Hosted // of the next call
	// of Messages, see ir.Event
	container ir.Raw
	own       own
}

// phase is the state of an answer.
type phase uint8

const (
	before phase = iota // no event was emitted
	within              // Start was emitted
	ended               // Finish or Failure was emitted
)

// NewWriter returns a Writer for sink.
func NewWriter(sink ir.Sink) Writer { return Writer{sink: sink} }

// Started reports whether Start was emitted.
func (w *Writer) Started() bool { return w.phase != before }

// Ended reports whether Finish or Failure was emitted.
func (w *Writer) Ended() bool { return w.phase == ended }

// Block returns the kind of the open block, or 0.
func (w *Writer) Block() ir.BlockKind { return w.open }

// SetTier notes the service tier of the answer, for Start or Finish. NoTier changes nothing.
// AutoTier is for Finish only, since a later event may name the tier.
func (w *Writer) SetTier(t ir.Tier) {
	if t != ir.NoTier {
		w.tier = t
	}
}

// SetEdits sets the edits of the history for Finish, see ir.Event. The Writer does not copy v.
func (w *Writer) SetEdits(v ir.Raw) { w.edits = v }

// SetCaller sets the caller of the next call, see ir.Event. The Writer does not copy v.
func (w *Writer) SetCaller(v ir.Raw) { w.caller = v }

// SetProgram sets the program that makes the next call, see ir.Event.
func (w *Writer) SetProgram(h *ir.Hosted) { w.program = h }

// SetContainer sets the container of Start or Finish, see ir.Event. The Writer does not copy v.
func (w *Writer) SetContainer(v ir.Raw) { w.container = v }

// Start begins the answer. created is in seconds since 1970, 0 if unknown.
func (w *Writer) Start(id, model ir.Escaped, created int64, usage ir.Usage) {
	if w.phase == before {
		w.phase = within
		w.ev = ir.Event{Kind: ir.Start, ID: id, Model: model, Created: created, Usage: usage, Tier: w.tier,
			Container: w.container, Own: ir.Raw(jsonw.View(w.own.members)),
			OwnUsage: ir.Raw(jsonw.View(w.own.usage))}
		if w.tier == ir.AutoTier {
			w.ev.Tier = ir.NoTier
		}
		w.sink.Event(&w.ev)
	}
}

// Begin opens a block, except calls of a client's tool. id is the upstream's id of the item, or "".
func (w *Writer) Begin(block ir.BlockKind, id ir.Escaped) { w.BeginPart(block, id, false, ir.NoPhase) }

// BeginMessage opens the first text or refusal of a message, separate from any other message.
func (w *Writer) BeginMessage(block ir.BlockKind, id ir.Escaped, phase ir.Phase) {
	w.BeginPart(block, id, true, phase)
}

// BeginPart opens a text or a refusal. newMessage: the block is the first of a message.
//
//go:noinline
func (w *Writer) BeginPart(block ir.BlockKind, id ir.Escaped, newMessage bool, phase ir.Phase) {
	w.open = block
	w.ev = ir.Event{Kind: ir.BlockStart, Block: block, ID: id, NewMessage: newMessage, Phase: phase}
	w.sink.Event(&w.ev)
}

// BeginCall opens a call. name is the client's name of the tool.
func (w *Writer) BeginCall(block ir.BlockKind, id, callID, name ir.Escaped) {
	w.open = block
	w.ev = ir.Event{Kind: ir.BlockStart, Block: block, ID: id, CallID: callID, Name: name, Caller: w.caller,
		Program: w.program}
	w.caller, w.program = "", nil
	w.sink.Event(&w.ev)
}

// Text adds text to the open block.
//
//go:noinline
func (w *Writer) Text(text ir.Escaped) {
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
	w.sink.Event(&w.ev)
}

// Sign adds the signature, the last delta of a block. origin is the protocol whose vendor can read
// the signature.
func (w *Writer) Sign(signature ir.Escaped, origin string) {
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: signature, Origin: origin}
	w.sink.Event(&w.ev)
}

// Cite adds a citation to the open block.
func (w *Writer) Cite(c ir.Citation) {
	w.citation = c
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &w.citation}
	w.sink.Event(&w.ev)
}

// Logprobs adds the log probabilities of the next text's tokens.
func (w *Writer) Logprobs(list ir.Raw) {
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.LogprobsDelta, Raw: list}
	w.sink.Event(&w.ev)
}

// Opaque writes a whole block of the upstream's own protocol, for clients of the same protocol.
func (w *Writer) Opaque(id ir.Escaped, raw ir.Raw) {
	w.Begin(ir.ServerToolBlock, id)
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: raw}
	w.sink.Event(&w.ev)
	w.Stop()
}

// Summary writes a block with a summary of the conversation made by the upstream. Its usage is
// unknown.
func (w *Writer) Summary(text, sealed ir.Escaped) {
	w.Begin(ir.CompactionBlock, "")
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.SummaryDelta, Text: text, Envelope: sealed, Usage: ir.NoUsage}
	w.sink.Event(&w.ev)
	w.Stop()
}

// Hosted writes a block with a call made by the upstream itself.
func (w *Writer) Hosted(h *ir.Hosted) {
	w.Begin(ir.HostedBlock, h.ID)
	w.ev = ir.Event{Kind: ir.Delta, Delta: ir.HostedDelta, Hosted: h}
	w.sink.Event(&w.ev)
	w.Stop()
}

// Stop ends the open block, if any.
func (w *Writer) Stop() { w.StopMessage(ir.NoPhase) }

// StopMessage is Stop for a text or a refusal. phase is its message's phase.
//
//go:noinline
func (w *Writer) StopMessage(phase ir.Phase) {
	if w.open != 0 {
		w.open = 0
		w.ev = ir.Event{Kind: ir.BlockStop, Phase: phase}
		w.sink.Event(&w.ev)
	}
}

// Finish ends a complete answer. sequence is the stop sequence found; it is sent only if stop is
// ir.StopSequence.
func (w *Writer) Finish(stop ir.StopReason, sequence ir.Escaped, usage ir.Usage) {
	if stop != ir.StopSequence {
		sequence = ""
	}
	w.ev = ir.Event{Kind: ir.Finish, Stop: stop, StopSequence: sequence, Usage: usage, Tier: w.tier,
		Edits: w.edits, Container: w.container, Own: ir.Raw(jsonw.View(w.own.members)),
		OwnUsage: ir.Raw(jsonw.View(w.own.usage))}
	w.end()
}

// Refuse ends the answer because a filter stopped it. details are the details in the form of
// Messages, see ir.Event.
func (w *Writer) Refuse(details ir.Raw, usage ir.Usage) {
	w.ev = ir.Event{Kind: ir.Finish, Stop: ir.Refusal, Raw: details, Usage: usage, Tier: w.tier,
		Edits: w.edits, Own: ir.Raw(jsonw.View(w.own.members)),
		OwnUsage: ir.Raw(jsonw.View(w.own.usage))}
	w.end()
}

// Fail ends the answer with a failure, even inside a block.
//
//go:noinline
func (w *Writer) Fail(err *ir.Error) {
	w.ev = ir.Event{Kind: ir.Failure, Err: err}
	w.end()
}

// end passes on the last event. All further events are dropped.
func (w *Writer) end() {
	w.sink.Event(&w.ev)
	w.phase, w.sink = ended, nowhere{}
}

type nowhere struct{}

func (nowhere) Event(*ir.Event) {}
