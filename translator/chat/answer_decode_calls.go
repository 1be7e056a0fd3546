package chat

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxCallIndex bounds the index of a tool call.
const maxCallIndex = 1023

// calls reads tool_calls, or the one function_call of the API's older form, which some servers send beside them.
func (d *decoder) calls(calls *jsonr.Reader, legacy ir.Raw, whole bool) {
	switch calls.Kind() {
	case jsonr.Array:
		for calls.OpenArray(); calls.Element() && !d.out.Ended(); {
			d.call(calls, whole)
		}
	case jsonr.Object: // from servers that don't put one call into a list
		d.call(calls, whole)
	}
	if jsonr.KindOf(legacy) == jsonr.Object && !d.calledNew && !d.out.Ended() {
		d.settle()
		p := piece{unnamed: d.target.LegacyFunctions}
		r := jsonr.NewReader(string(legacy))
		p.readCalled(&r)
		d.take(&p, whole)
	}
}

// call reads one element of tool_calls.
func (d *decoder) call(r *jsonr.Reader, whole bool) {
	d.settle()
	d.calledNew = true
	p := readPiece(r, whole)
	d.take(&p, whole)
}

// piece is one element of tool_calls.
type piece struct {
	custom    bool  // of a tool that takes free text
	unnamed   bool  // the upstream never gives its calls ids
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

// take takes a piece of a call. whole says that it is all of one: it can't continue an earlier call.
func (d *decoder) take(p *piece, whole bool) {
	if p.index > maxCallIndex || p.index < -1 {
		d.fail(failure.Unreadable("a tool call with the index " + strconv.FormatInt(p.index, 10)))
		return
	}
	n := -1
	if !whole {
		n = d.find(p)
	}
	if n >= 0 {
		switch d.blocks[n].relation(p) {
		case another:
			n = -1
		case changedID:
			d.fail(failure.Unreadable("the id of a tool call changes"))
			return
		case changedName:
			d.fail(failure.Unreadable("the name of a tool call changes"))
			return
		}
	}
	if n < 0 {
		n = d.beginCall(p)
	} else {
		d.lose(lostExtra, p.extra)
	}
	if n < 0 {
		return
	}
	c := &d.blocks[n]
	if len(c.call.ID) == 0 && p.id != "" {
		d.out.GiveID(&c.call, p.id, len(d.blocks))
	}
	if len(c.call.Name) == 0 {
		c.call.Name = append(c.call.Name, p.name...)
	}
	if c.kind == ir.CustomToolCallBlock {
		d.input(n, p.arguments)
	} else {
		d.arguments(n, p.arguments)
	}
	if n < len(d.blocks)-1 {
		d.checkComplete(n)
	}
	d.out.Advance()
}

// beginCall begins the call that p is the first piece of and returns its number; -1 after a failure, and where p holds nothing.
func (d *decoder) beginCall(p *piece) int {
	if p.id == "" && p.name == "" && p.bare() {
		return -1 // some servers end a list of calls so
	}
	if d.target.ReasoningEcho == ir.EchoExtra && jsonr.KindOf(p.extra) == jsonr.Object {
		d.keepExtra(p.extra)
	} else {
		d.lose(lostExtra, p.extra)
	}
	c := block{kind: ir.ToolCallBlock, index: p.index, unnamed: p.unnamed}
	if p.custom {
		c.kind = ir.CustomToolCallBlock
	}
	return d.begin(c)
}

// find returns the call that p may continue, or -1: the last one with its index and its id, or else with its index; without an index
// the last one with its id; without both the last call, unless p names a function, which begins one.
func (d *decoder) find(p *piece) int {
	other := -1
	for n := len(d.blocks) - 1; n >= 0; n-- {
		c := &d.blocks[n]
		if !c.isCall() {
			continue
		}
		switch {
		case p.index >= 0:
			if c.index == p.index && (p.id == "" || c.call.IsGiven(p.id)) {
				return n
			}
			if c.index == p.index && other < 0 {
				other = n
			}
		case p.id != "":
			if c.call.IsGiven(p.id) {
				return n
			}
		case p.name != "" && len(c.call.Name) > 0:
			return -1
		default:
			return n
		}
	}
	return other
}

// relation is what a piece is to a call that has its index.
type relation uint8

const (
	same relation = iota
	another
	changedID // a contradiction: the wrong call would be run
	changedName
)

// relation returns what p is to c. Some servers give all calls the index 0, or the same id: a
// name begins another call where the id is another one, or where the arguments of call n are complete. Some make an id for each
// piece: the index holds.
func (c *block) relation(p *piece) relation {
	otherID := p.id != "" && len(c.call.ID) > 0 && !c.call.IsGiven(p.id)
	named := p.name != "" && len(c.call.Name) > 0
	otherName := named && jsonw.View(c.call.Name) != p.name
	switch {
	case otherID && p.name != "":
		if c.args.state == complete || c.args.state == unbegun || otherName {
			return another
		}
		return changedID
	case named && c.args.state == complete:
		if otherName || !p.bare() && !c.repeatedBy(p) {
			return another
		}
	case otherName:
		return changedName
	}
	return same
}

// repeatedBy reports whether p brings nothing but all of the call once more, with its id or from a server that repeats it with every
// piece.
func (c *block) repeatedBy(p *piece) bool {
	text, _ := jsonr.Text(p.arguments)
	return (p.id != "" || c.args.sent == cumulative) && len(text) == c.args.size && c.args.repeated(text)
}

// makeID makes an id for call n, whose upstream gave none, from that of the answer.
func (d *decoder) makeID(n int) {
	d.out.MakeID(&d.blocks[n].call, jsonw.View(d.id), 32, n)
}

// arguments takes a piece of call n's arguments: a string, or an object from servers that don't quote them. What is neither the
// client gets to see, but for an empty list, which is PHP's empty object.
func (d *decoder) arguments(n int, v ir.Raw) {
	piece, ok := jsonr.Text(v)
	if !ok && (jsonr.KindOf(v) == jsonr.Object || jsonr.Asks(v)) {
		piece = ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(v)+len(v)/8), v))
	}
	a := &d.blocks[n].args
	if piece == "" || piece == "null" && a.state == unbegun { // a call without arguments
		return
	}
	for taken := false; !taken && !d.out.Ended(); {
		var text ir.Escaped
		held := len(a.held)
		text, taken, ok = a.next(piece)
		switch {
		case !ok:
			d.fail(failure.Unreadable("the arguments of a tool call change"))
		case d.out.Keep(len(a.held)-held, "arguments of a tool call of more than 8 MB"):
			d.gather(n, text)
		}
	}
}

// settleArguments takes what call n holds in doubt: nothing more will come.
func (d *decoder) settleArguments(n int) { d.gather(n, d.blocks[n].args.rest()) }

// gather takes new arguments of call n.
func (d *decoder) gather(n int, text ir.Escaped) {
	switch {
	case text == "" || d.out.Ended():
	case !d.blocks[n].args.gather(text):
		d.fail(failure.Unreadable("arguments of a tool call that was complete"))
	case !d.out.IsOver(n):
		d.yield(n, text)
	}
}

// input takes a piece of the free text of call n. Where it ends is not said: it is over when something else begins.
func (d *decoder) input(n int, v ir.Raw) {
	text, _ := jsonr.Text(v)
	switch {
	case text == "":
	case d.out.IsOver(n):
		d.fail(failure.Unreadable("input of a tool call that was complete"))
	default:
		d.blocks[n].args.state = outside
		d.yield(n, text)
	}
}

// bare reports whether p brings no arguments.
func (p *piece) bare() bool {
	text, _ := jsonr.Text(p.arguments)
	return spaceAt(text) == len(text) && jsonr.KindOf(p.arguments) != jsonr.Object
}
