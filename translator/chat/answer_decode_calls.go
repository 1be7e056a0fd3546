package chat

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// piece is one element of tool_calls.
type piece struct {
	custom    bool  // of a tool that takes free text
	index     int64 // -1: none
	id, name  ir.Escaped
	arguments ir.Raw // or the input of a tool that takes free text
	extra     ir.Raw // extra_content
}

// readPiece reads an element of tool_calls (API reference, "Tool calls"). One of a plain body has no index.
func readPiece(r *jsonr.Reader, whole bool) piece {
	p := piece{index: -1}
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "index":
			if n, ok := jsonr.Int(r.Value()); ok && !whole {
				p.index = n
			}
		case "id":
			p.id, _ = jsonr.Text(r.Value())
		case "function", "custom":
			p.custom = p.custom || key == "custom" && r.Kind() == jsonr.Object
			p.readCalled(r)
		case "extra_content":
			p.extra = r.Value()
		}
	}
	return p
}

// readCalled reads what is called, and with what.
func (p *piece) readCalled(r *jsonr.Reader) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "name":
			p.name, _ = jsonr.Text(r.Value())
		case "arguments", "input":
			p.arguments = r.Value()
		}
	}
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
	if n < 0 && b.d.target.ReasoningEcho == ir.EchoExtra && jsonr.KindOf(p.extra) == jsonr.Object {
		b.keepExtra(p.extra)
	} else {
		b.d.lost.add(lostExtra, p.extra)
	}
	if n < 0 {
		kind := ir.ToolCallBlock
		if p.custom {
			kind = ir.CustomToolCallBlock
		}
		if n = b.begin(block{kind: kind, index: p.index}); n < 0 {
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
	if c.kind == ir.CustomToolCallBlock {
		b.input(n, p.arguments)
	} else {
		b.arguments(n, p.arguments)
	}
	b.advance()
}

// find returns the call that p may continue, or -1: the last one with its index and its id, or else with its index; without an index
// the last one with its id; without both the last call, unless p names a function, which begins one.
func (b *blocks) find(p *piece) int {
	other := -1
	for n := len(b.list) - 1; n >= 0; n-- {
		c := &b.list[n]
		if !c.isCall() {
			continue
		}
		switch {
		case p.index >= 0:
			if c.index == p.index && (p.id == "" || c.isGiven(p.id)) {
				return n
			}
			if c.index == p.index && other < 0 {
				other = n
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
	return other
}

// continues reports whether p goes on with call n, whose index it has. Some servers give all calls the index 0, or the same id: a
// name begins another call where the id is another one, or where the arguments of call n are complete. Some make an id for each
// piece: the index holds. An id that changes with a name inside one call is an error, as is a name: the wrong call would be run.
func (b *blocks) continues(n int, p *piece) bool {
	c := &b.list[n]
	otherID := p.id != "" && len(c.id) > 0 && !c.isGiven(p.id)
	otherName := p.name != "" && len(c.name) > 0 && jsonw.View(c.name) != p.name
	switch {
	case !otherID && p.name != "" && len(c.name) > 0 && c.args.done:
		return !otherName && (p.bare() || c.repeatedBy(p)) // the name once more
	case otherID && p.name != "" && (c.args.done || otherName || !c.args.begun):
		return false
	case otherID && p.name != "":
		b.d.fail(failure.Unreadable("the id of a tool call changes"))
		return false
	case otherName:
		b.d.fail(failure.Unreadable("the name of a tool call changes"))
		return false
	}
	return true
}

// repeatedBy reports whether p brings nothing but all of the call once more, with its id or from a server that repeats it with every
// piece.
func (c *block) repeatedBy(p *piece) bool {
	text, _ := jsonr.Text(p.arguments)
	return (p.id != "" || c.args.mode == cumulative) && len(text) == c.args.size && c.args.repeats(text)
}

// unique returns id, changed where an earlier call of the answer has it already: clients tell results apart by ids.
func (b *blocks) unique(id ir.Escaped) ir.Escaped {
	for n := range b.list {
		if jsonw.View(b.list[n].id) == id {
			return id + "_" + ir.Escaped(strconv.Itoa(len(b.list)))
		}
	}
	return id
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

// nameLast makes one for the call that began last, from an upstream that never gives any: the call need not wait for the end.
func (b *blocks) nameLast() {
	if n := len(b.list) - 1; n >= 0 && n == b.front && b.list[n].isCall() && len(b.list[n].id) == 0 {
		b.nameCall(&b.list[n])
		b.advance()
	}
}

// arguments takes a piece of call n's arguments: a string, or an object from servers that don't quote them. What is neither the
// client gets to see, but for an empty list, which is PHP's empty object.
func (b *blocks) arguments(n int, v ir.Raw) {
	text, ok := jsonr.Text(v)
	if !ok && (jsonr.KindOf(v) == jsonr.Object || jsonr.Asks(v)) {
		text = ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(v)+len(v)/8), v))
	}
	a := &b.list[n].args
	if text == "" || text == "null" && !a.begun { // a call without arguments
		return
	}
	switch a.judge(text) {
	case fresh:
		b.gather(n, text)
	case repeated:
		b.gather(n, text[a.size:])
	case freshAfterAll:
		b.gather(n, jsonw.View(a.doubt))
		if !b.d.ended {
			b.arguments(n, v)
		}
	case held:
		if b.held += len(text); b.held > ir.MaxHeld {
			b.d.fail(failure.Unreadable("arguments of a tool call of more than 8 MB"))
			return
		}
		if a.hold(text) {
			b.gather(n, a.settle())
		}
	case changed:
		b.d.fail(failure.Unreadable("the arguments of a tool call change"))
	}
}

// settle takes what call n holds in doubt: nothing more will come.
func (b *blocks) settle(n int) {
	if a := &b.list[n].args; a.mode == doubtful || a.mode == wrapped {
		b.gather(n, a.settle())
	}
}

// gather takes new arguments of call n.
func (b *blocks) gather(n int, text ir.Escaped) {
	if text == "" || b.d.ended {
		return
	}
	if !b.list[n].args.gather(text) {
		b.d.fail(failure.Unreadable("arguments of a tool call that was complete"))
		return
	}
	if n >= b.front {
		b.take(n, text)
	}
}

// input takes a piece of the free text of call n. Where it ends is not said: it is over when something else begins.
func (b *blocks) input(n int, v ir.Raw) {
	text, _ := jsonr.Text(v)
	switch {
	case text == "":
	case n < b.front:
		b.d.fail(failure.Unreadable("input of a tool call that was complete"))
	default:
		b.list[n].args.begun = true
		b.take(n, text)
	}
}

// isGiven reports whether id is what the upstream calls the call.
func (c *block) isGiven(id ir.Escaped) bool { return jsonw.View(c.id[:c.given]) == id }

// bare reports whether p brings no arguments.
func (p *piece) bare() bool {
	text, _ := jsonr.Text(p.arguments)
	return spaceAt(text) == len(text) && jsonr.KindOf(p.arguments) != jsonr.Object
}
