package chat

import (
	"strconv"
	"unsafe"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

const (
	maxBlocks    = 1024    // blocks of one answer
	maxCallIndex = 1023    // index of a tool call
	maxHeld      = 8 << 20 // bytes of blocks that wait for their turn
)

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
	held  int // bytes in all blocks' held
}

// block is one content block.
type block struct {
	kind  ir.BlockKind
	index int64  // of a tool call, -1 where the upstream gave none
	id    []byte // of a tool call; "" until the upstream gives one
	given int    // how much of id is the upstream's own
	name  []byte // of a tool call
	args  object // how far a tool call's arguments are
	held  []byte // deltas before its turn
}

// piece is one element of tool_calls.
type piece struct {
	index     int64 // -1: none
	id, name  ir.Escaped
	arguments ir.Raw
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

// call takes a piece of a tool call. fresh says that it can't continue an earlier one.
func (b *blocks) call(p *piece, fresh bool) {
	if p.index > maxCallIndex || p.index < -1 {
		b.d.fail(failure.Unreadable("a tool call with the index " + strconv.FormatInt(p.index, 10)))
		return
	}
	n := -1
	if !fresh {
		n = b.find(p)
	}
	if n >= 0 && !b.continues(n, p) {
		if b.d.ended {
			return
		}
		n = -1
	}
	if n < 0 && p.id == "" && p.name == "" && p.bare() {
		return // some servers end a list of calls so
	}
	if n < 0 {
		if n = b.begin(block{kind: ir.ToolCallBlock, index: p.index}); n < 0 {
			return
		}
	}
	c := &b.list[n]
	if len(c.id) == 0 && p.id != "" {
		c.id = append(c.id, b.unique(p.id)...)
		c.given = len(p.id)
	}
	if len(c.name) == 0 {
		c.name = append(c.name, p.name...)
	}
	b.arguments(n, p.arguments)
	b.advance()
}

// find returns the call that p may continue, or -1: the last one with its index; without an index the last one with its id;
// without both the last call, unless p names a function, which begins one.
func (b *blocks) find(p *piece) int {
	for n := len(b.list) - 1; n >= 0; n-- {
		c := &b.list[n]
		if c.kind != ir.ToolCallBlock {
			continue
		}
		switch {
		case p.index >= 0:
			if c.index == p.index {
				return n
			}
		case p.id != "":
			if c.isGiven(p.id) {
				return n
			}
		case p.name != "" && len(c.name) > 0:
			return -1
		default:
			return n
		}
	}
	return -1
}

// continues reports whether p goes on with call n, whose index it has. Some servers give all calls the index 0: a name begins
// another call where the id is another one, or where there is no id and the arguments of call n are complete. An id that
// changes inside one call is an error, as is a name: the wrong call would be run.
func (b *blocks) continues(n int, p *piece) bool {
	c := &b.list[n]
	otherID := p.id != "" && len(c.id) > 0 && !c.isGiven(p.id)
	otherName := p.name != "" && len(c.name) > 0 && view(c.name) != p.name
	switch {
	case p.id == "" && p.name != "" && len(c.name) > 0 && c.args.done:
		return !otherName && p.bare() // the name once more
	case otherID && p.name != "" && (c.args.done || otherName || !c.args.begun):
		return false
	case otherID:
		b.d.fail(failure.Unreadable("the id of a tool call changes"))
		return false
	case otherName:
		b.d.fail(failure.Unreadable("the name of a tool call changes"))
		return false
	}
	return true
}

// unique returns id, changed where an earlier call of the answer has it already: clients tell results apart by ids.
func (b *blocks) unique(id ir.Escaped) ir.Escaped {
	for n := range b.list {
		if view(b.list[n].id) == id {
			return id + "_" + ir.Escaped(strconv.Itoa(len(b.list)))
		}
	}
	return id
}

// begin puts a block at the end of the queue and returns its place, -1 after a failure.
func (b *blocks) begin(c block) int {
	if len(b.list) == maxBlocks {
		b.d.fail(failure.Unreadable("it has more than " + strconv.Itoa(maxBlocks) + " blocks"))
		return -1
	}
	b.list = append(b.list, c)
	b.advance()
	return len(b.list) - 1
}

// arguments takes a piece of call n's arguments: a string, or an object from servers that don't quote them.
func (b *blocks) arguments(n int, v ir.Raw) {
	text, ok := jsonr.Text(v)
	if !ok && jsonr.KindOf(v) == jsonr.Object {
		text = ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(v)+len(v)/8), v))
	}
	c := &b.list[n]
	if text == "" || text == "null" && !c.args.begun { // a call without arguments
		return
	}
	if !c.args.read(text) {
		b.d.fail(failure.Unreadable("arguments of a tool call that was complete"))
		return
	}
	if n >= b.front {
		b.take(n, text)
	}
}

// take yields a delta of block n, or holds it until its turn.
func (b *blocks) take(n int, text ir.Escaped) {
	c := &b.list[n]
	if n == b.front && b.open {
		b.delta(text)
		return
	}
	if b.held+len(text) > maxHeld {
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
		b.stopBlock()
	}
}

// finish ends the queue: nothing more will come.
func (b *blocks) finish() {
	for !b.d.ended && b.front < len(b.list) {
		c := &b.list[b.front]
		if !b.open {
			if c.kind == ir.ToolCallBlock && len(c.name) == 0 {
				b.d.fail(failure.Unreadable("a tool call without a name"))
				return
			}
			if len(c.id) == 0 {
				b.nameCall(c)
			}
			b.start(c)
		}
		b.stopBlock()
	}
}

// nameCall makes an id for a call whose upstream gave none. It follows from the id of the answer, so that it is another one
// in each turn.
func (b *blocks) nameCall(c *block) {
	c.id = append(c.id, "call_"...)
	if len(b.d.id) > 0 {
		c.id = append(c.id, ir.Identifier(ir.Escaped(b.d.id), 32)...)
		c.id = append(c.id, '_')
	}
	c.id = strconv.AppendInt(c.id, int64(b.front), 10)
}

// start opens the block whose turn it is, with what was held of it.
func (b *blocks) start(c *block) {
	b.open = true
	ev := &b.d.ev
	*ev = ir.Event{Kind: ir.BlockStart, Block: c.kind}
	if c.kind == ir.ToolCallBlock {
		ev.CallID = view(c.id)
		ev.Name = b.d.toolName(view(c.name))
	}
	b.d.sink.Event(ev)
	if len(c.held) > 0 {
		b.delta(view(c.held))
		b.held -= len(c.held)
		c.held = nil
	}
}

func (b *blocks) delta(text ir.Escaped) {
	ev := &b.d.ev
	*ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
	b.d.sink.Event(ev)
}

func (b *blocks) stopBlock() {
	b.open = false
	b.front++
	b.d.ev = ir.Event{Kind: ir.BlockStop}
	b.d.sink.Event(&b.d.ev)
}

// stop returns why the answer is complete, given what the upstream said: servers say stop where the model calls tools, and
// the reverse.
func (b *blocks) stop(said ir.StopReason) ir.StopReason {
	if said != ir.EndTurn && said != ir.ToolUse {
		return said
	}
	result := ir.EndTurn
	for n := range b.list {
		switch b.list[n].kind {
		case ir.ToolCallBlock:
			return ir.ToolUse
		case ir.RefusalBlock:
			result = ir.Refusal
		}
	}
	return result
}

// ready reports whether the block may be opened: a call needs its id and name.
func (c *block) ready() bool {
	return c.kind != ir.ToolCallBlock || len(c.id) > 0 && len(c.name) > 0
}

// complete reports whether the block can have no further deltas once another one has begun.
func (c *block) complete() bool {
	return c.kind != ir.ToolCallBlock || c.args.done
}

// isGiven reports whether id is what the upstream calls the call.
func (c *block) isGiven(id ir.Escaped) bool { return view(c.id[:c.given]) == id }

// bare reports whether p brings no arguments.
func (p *piece) bare() bool {
	text, _ := jsonr.Text(p.arguments)
	for text != "" {
		switch {
		case text[0] == ' ':
			text = text[1:]
		case len(text) > 1 && text[0] == '\\' && (text[1] == 'n' || text[1] == 'r' || text[1] == 't'):
			text = text[2:]
		default:
			return false
		}
	}
	return jsonr.KindOf(p.arguments) != jsonr.Object
}

// view returns b as text without a copy.
func view(b []byte) ir.Escaped {
	return ir.Escaped(unsafe.String(unsafe.SliceData(b), len(b)))
}
