package chat

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxCallIndex bounds the index of a tool call.
const maxCallIndex = 1023

// blocks puts an answer's deltas, which name no blocks, into blocks that follow each other. It is a queue in the order in
// which the blocks began: the deltas of the first one go out as they come, those of later ones are held until it is their
// turn. A block's turn ends when a later one has begun and it is complete: text as soon as anything else begins, a tool call
// when its arguments are a whole JSON object. So calls that come one after the other are streamed, and calls whose
// fragments are mixed come out whole.
type blocks struct {
	d     *decoder
	list  []block
	front int // the block whose turn it is; len(list) where there is none
	open  bool
	held  int // bytes that are kept
}

// block is one content block.
type block struct {
	kind    ir.BlockKind
	hidden  bool   // the client's API has no form for it
	index   int64  // of a tool call, -1 where the upstream gave none
	id      []byte // of a tool call; "" until the upstream gives one
	given   int    // how much of id is the upstream's own
	name    []byte // of a tool call
	args    arguments
	held    []byte   // deltas before its turn
	details *details // of reasoning: what is to be given back
}

// text takes a piece of text, reasoning or refusal.
func (b *blocks) text(kind ir.BlockKind, text ir.Escaped) {
	n := len(b.list) - 1
	if n < 0 || b.list[n].kind != kind {
		if n = b.begin(block{kind: kind}); n < 0 {
			return
		}
	}
	b.take(n, text)
	b.advance()
}

// begin puts a block at the end of the queue and returns its place, -1 after a failure.
func (b *blocks) begin(c block) int {
	b.d.late = b.d.stop != 0
	if len(b.list) == ir.MaxBlocks {
		b.d.fail(failure.TooManyBlocks())
		return -1
	}
	if !b.d.request.API.Client.Shows(c.kind) {
		c.hidden = true
		b.d.lost.note(lostOfBlock[c.kind])
	}
	b.list = append(b.list, c)
	b.advance()
	return len(b.list) - 1
}

// take yields a delta of block n, or holds it until its turn.
func (b *blocks) take(n int, text ir.Escaped) {
	b.d.late = b.d.stop != 0
	c := &b.list[n]
	if n == b.front && b.open {
		b.delta(c, text)
		return
	}
	if c.hidden {
		return
	}
	if b.held+len(text) > ir.MaxHeld {
		b.d.fail(failure.Unreadable("mixed tool calls of more than 8 MB"))
		return
	}
	b.held += len(text)
	c.held = append(c.held, text...)
}

// advance goes on in the queue as far as it may.
func (b *blocks) advance() {
	for !b.d.ended && b.front < len(b.list) {
		c := &b.list[b.front]
		if !b.open {
			if !c.ready() {
				return
			}
			b.start(c)
		}
		if b.front == len(b.list)-1 || !c.complete() {
			return
		}
		b.stopBlock(c)
	}
}

// finish ends the queue: nothing more will come.
func (b *blocks) finish() {
	for n := range b.list {
		b.settle(n)
	}
	for !b.d.ended && b.front < len(b.list) {
		c := &b.list[b.front]
		if !b.open {
			if c.isCall() && len(c.name) == 0 {
				b.d.fail(failure.Unreadable("a tool call without a name"))
				return
			}
			if len(c.id) == 0 {
				b.nameCall(c)
			}
			b.start(c)
		}
		b.stopBlock(c)
	}
}

// start opens the block whose turn it is, with what was held of it.
func (b *blocks) start(c *block) {
	b.open = true
	if c.hidden {
		return
	}
	ev := &b.d.ev
	*ev = ir.Event{Kind: ir.BlockStart, Block: c.kind}
	if c.isCall() {
		ev.CallID = jsonw.View(c.id)
		ev.Name = b.d.names.Restore(jsonw.View(c.name))
	}
	b.d.sink.Event(ev)
	if len(c.held) > 0 {
		b.delta(c, jsonw.View(c.held))
		b.held -= len(c.held)
		c.held = nil
	}
}

func (b *blocks) delta(c *block, text ir.Escaped) {
	if c.hidden {
		return
	}
	ev := &b.d.ev
	*ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
	b.d.sink.Event(ev)
}

func (b *blocks) stopBlock(c *block) {
	b.open = false
	b.front++
	if c.hidden {
		return
	}
	ev := &b.d.ev
	if c.details != nil {
		*ev = ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: c.details.signature(), Origin: Name}
		b.d.sink.Event(ev)
	}
	*ev = ir.Event{Kind: ir.BlockStop}
	b.d.sink.Event(ev)
}

// stop returns why the answer is complete, given what the upstream said: servers say stop where the model calls tools, and
// the reverse.
func (b *blocks) stop(said ir.StopReason) ir.StopReason {
	if said != ir.EndTurn && said != ir.ToolUse && said != ir.StopSequence {
		return said
	}
	result := ir.EndTurn
	for n := range b.list {
		switch c := &b.list[n]; {
		case c.hidden:
		case c.isCall():
			return ir.ToolUse
		case c.kind == ir.RefusalBlock:
			result = ir.Refusal
		}
	}
	if said == ir.StopSequence && result == ir.EndTurn {
		return said
	}
	return result
}

// isCall reports whether the block is a tool call of either kind.
func (c *block) isCall() bool {
	return c.kind == ir.ToolCallBlock || c.kind == ir.CustomToolCallBlock
}

// ready reports whether the block may be opened: a call needs its id and name.
func (c *block) ready() bool {
	return !c.isCall() || len(c.id) > 0 && len(c.name) > 0
}

// complete reports whether the block can have no further deltas once another one has begun.
func (c *block) complete() bool {
	return c.kind != ir.ToolCallBlock || c.args.done
}
