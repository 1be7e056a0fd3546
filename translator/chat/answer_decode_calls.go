package chat

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxCallIndex bounds the index of a call, as ir.MaxBlocks does the number of calls.
const maxCallIndex = 1023

// calls reads tool_calls, or function_call, which is the one call of the API's older form (API
// reference, "function_call", deprecated). whole says that the calls are those of a plain body. No
// server is known that puts one call into tool_calls without a list, or that sends a call in both
// forms; both are accepted because either reading is safe: there is one call.
func (d *decoder) calls(calls *jsonr.Reader, legacy ir.Raw, whole bool) {
	switch calls.Kind() {
	case jsonr.Array:
		for calls.OpenArray(); !d.out.Ended() && calls.Element(); {
			d.call(calls, whole)
		}
	case jsonr.Object:
		d.call(calls, whole)
	}
	if jsonr.KindOf(legacy) == jsonr.Object && !d.calledNew && !d.out.Ended() {
		d.flushHeld()
		p := piece{unnamed: d.target.LegacyFunctions}
		r := jsonr.NewReader(string(legacy))
		p.readCalled(&r)
		d.take(&p, whole)
	}
}

// call reads one element of tool_calls.
func (d *decoder) call(r *jsonr.Reader, whole bool) {
	d.flushHeld()
	d.calledNew = true
	p := readPiece(r, whole)
	d.take(&p, whole)
}

// piece is one element of tool_calls in a chunk or body.
type piece struct {
	custom    bool  // the call is of a tool that takes free text
	unnamed   bool  // the call will get no id: see block
	index     int64 // -1 where the piece has none
	id, name  ir.Escaped
	arguments ir.Raw // or the input of a tool that takes free text
	extra     ir.Raw // extra_content
}

// readPiece reads an element of tool_calls (API reference, "tool_calls"). In a plain body an index
// says nothing: each element is a call.
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
		case "name": // of a flat answer
			p.name, _ = jsonr.Text(r.Value())
		case "arguments":
			p.arguments = r.Value()
		case "extra_content":
			p.extra = r.Value()
		}
	}
	return p
}

// readCalled reads the member function, custom or function_call.
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

// take takes a piece of a call: of one that has begun, or of a new one. whole says that the piece
// is a call of its own.
func (d *decoder) take(p *piece, whole bool) {
	if p.index > maxCallIndex || p.index < -1 {
		d.out.Fail(failure.Unreadable("a tool call with the index " + strconv.FormatInt(p.index, 10)))
		return
	}
	n := -1
	if !whole {
		n = d.find(p)
	}
	if n >= 0 {
		switch d.relation(n, p) {
		case another:
			n = -1
		case changedID:
			d.out.Fail(failure.Unreadable("the id of a tool call changes"))
			return
		case changedName:
			d.out.Fail(failure.Unreadable("the name of a tool call changes"))
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
	if c.argued == 0 && p.id != "" && !p.bare() {
		c.argued = hash(hashStart, p.id)
	}
	d.giveArguments(n, p)
}

// giveArguments takes the arguments or the input that p brings for block n.
func (d *decoder) giveArguments(n int, p *piece) {
	if d.blocks[n].kind == ir.CustomToolCallBlock {
		d.input(n, p.arguments)
	} else {
		d.arguments(n, p.arguments)
	}
	if n < len(d.blocks)-1 {
		d.checkComplete(n)
	}
	d.out.Advance()
}

// beginCall begins the call whose first piece is p, and returns the number of its block; -1 after a
// failure, and where p holds nothing: DeepSeek ends tool_calls with an element that has an empty
// id, no name and no arguments (langchain4j#5209), which is no call.
func (d *decoder) beginCall(p *piece) int {
	if p.id == "" && p.name == "" && p.bare() {
		return -1
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

// find returns the number of the call that p may continue, -1 where it can't be any. A piece with
// an index continues the last call that has that index and the piece's id, or else the last one
// that has that index. A piece without an index, as Gemini's, continues the last call that has its
// id. A piece with neither continues the last call, unless the piece has a name and that call too.
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

// relation is what a piece is to the call that find has returned.
type relation uint8

const (
	same    relation = iota // more of the call
	another                 // the beginning of another call
	// more of the call under another id: the answer fails, since the client would run a wrong call
	changedID
	changedName // more of the call under another name: the answer fails too
)

// relation returns what p is to c. By the API the index decides alone, and id and name come once.
// But
//   - all calls have the index 0 from SGLang and older vLLM (lmdeploy#3412) and from Gemini through
//     LiteLLM (litellm#16188), and the same id from Xinference (inference#4237). So a piece with a
//     name begins another call where its id is another one or the arguments of the call are
//     complete (FAULTS 9).
//   - Poolside makes two ids for a call, one for its name and one for all of its arguments
//     (poolsideai/pool#9). So another id without a name says nothing, as long as no arguments have
//     come under the first one and it is no other call's.
//   - id and name come again with later pieces from vLLM's GLM parser (vllm#44098). So the same
//     name begins no other call where the piece brings no arguments, or only those that have come
//     (FAULTS 20).
func (d *decoder) relation(n int, p *piece) relation {
	c := &d.blocks[n]
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
	case p.id != "" && !p.bare() && d.strays(c, p, otherID):
		return changedID
	}
	return same
}

// strays reports whether p, which has an id and arguments, may be another call's than c: arguments
// of c have come under another id or, where otherID says that p's is not the one of c, without one,
// or another call has p's id.
func (d *decoder) strays(c *block, p *piece, otherID bool) bool {
	if c.argued != 0 {
		return c.argued != hash(hashStart, p.id) || otherID && d.isGiven(p.id)
	}
	return otherID && (c.args.state != unbegun || d.isGiven(p.id))
}

// isGiven reports whether the upstream knows a call by an id.
func (d *decoder) isGiven(id ir.Escaped) bool {
	for n := range d.blocks {
		if d.blocks[n].isCall() && d.blocks[n].call.IsGiven(id) {
			return true
		}
	}
	return false
}

// repeatedBy reports whether p is all of the call once more. That it is no second call with the
// same arguments is known by the id, or from a server that repeats the arguments with each piece.
func (c *block) repeatedBy(p *piece) bool {
	text, _ := jsonr.Text(p.arguments)
	return (p.id != "" || c.args.sent == cumulative) && len(text) == c.args.size && c.args.repeated(text)
}

// arguments takes a piece of the arguments of block n. By the API the piece is a string; llama.cpp
// has sent an object (llama.cpp#20198), and so does TGI (text-generation-inference#2461). A value
// of any other type goes to the client as it stands, since dropping it would call the function
// without arguments; but an empty list is how PHP's json_encode writes an empty object.
func (d *decoder) arguments(n int, v ir.Raw) {
	piece, ok := jsonr.Text(v)
	if !ok && (jsonr.KindOf(v) == jsonr.Object || jsonr.Asks(v)) {
		piece = ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(v)+len(v)/8), v))
	}
	a := &d.blocks[n].args
	if piece == "" || piece == "null" && a.state == unbegun { // the call has no arguments (FAULTS 25)
		return
	}
	for taken := false; !taken && !d.out.Ended(); {
		var text ir.Escaped
		held := len(a.held)
		text, taken, ok = a.next(piece)
		switch {
		case !ok:
			d.out.Fail(failure.Unreadable("the arguments of a tool call change"))
		case d.out.Keep(len(a.held)-held, "arguments of a tool call of more than 8 MB"):
			d.gather(n, text)
		}
	}
}

// settleArguments takes the arguments of block n that are held, since no piece will follow.
func (d *decoder) settleArguments(n int) { d.gather(n, d.blocks[n].args.rest()) }

// gather takes new arguments of block n. Another object behind their end is another call's: that
// fails the answer, and so does any text that comes once the call is over. A bracket or a word too
// many is the model's mistake, and goes to the client as it came.
func (d *decoder) gather(n int, text ir.Escaped) {
	if text == "" || d.out.Ended() {
		return
	}
	a, over := &d.blocks[n].args, d.out.IsOver(n)
	switch ok := a.gather(text); {
	case !ok && (over || a.more == '{'):
		d.out.Fail(failure.Unreadable("arguments of a tool call that was complete"))
	case !over:
		d.yield(n, text)
	}
}

// input takes a piece of the free text of block n. The text ends where something else begins, since
// nothing in it says so.
func (d *decoder) input(n int, v ir.Raw) {
	text, _ := jsonr.Text(v)
	switch {
	case text == "":
	case d.out.IsOver(n):
		d.out.Fail(failure.Unreadable("input of a tool call that was complete"))
	default:
		d.blocks[n].args.state = outside
		d.yield(n, text)
	}
}

// bare reports whether p brings no arguments, or only space.
func (p *piece) bare() bool {
	text, _ := jsonr.Text(p.arguments)
	return spaceAt(text) == len(text) && jsonr.KindOf(p.arguments) != jsonr.Object
}
