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

// calls reads tool_calls, or function_call, the single call of the API's older form (API reference,
// "function_call", deprecated). whole means that the calls are from a plain body. No server is
// known to put one call into tool_calls without a list, or to send a call in both forms. Both are
// accepted, because either reading is safe: there is one call.
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
	custom    bool  // the tool takes free text
	unnamed   bool  // the call will get no id: see block
	index     int64 // -1 if the piece has none
	id, name  ir.Escaped
	arguments ir.Raw // or the free text of a custom tool
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

// take reads a piece of a begun call or of a new call. whole means that the piece is a complete
// call.
func (d *decoder) take(p *piece, whole bool) {
	if p.index > maxCallIndex || p.index < -1 {
		d.out.Fail(failure.Unreadable("a tool call has the invalid index " + strconv.FormatInt(p.index, 10)))
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

// giveArguments adds p's arguments or input to block n.
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

// beginCall begins a call with its first piece p and returns the block's number. It returns -1
// after a failure, and for an empty p: DeepSeek ends tool_calls with an element without arguments
// and with an empty id and no name (langchain4j#5209), which is not a call.
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

// find returns the number of the call that p may continue, or -1. A piece with an index continues
// the last call with its index and id, or else the last call with its index. A piece with an id but
// no index, as Gemini's, continues the last call with its id. A piece with neither continues the
// last call, unless both the piece and the call have names.
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

// relation is how a piece relates to the call returned by find.
type relation uint8

const (
	same    relation = iota // more of the call
	another                 // the beginning of another call
	// more of the call under another id: the answer fails, since the client would run a wrong call
	changedID
	changedName // more of the call under another name: the answer fails too
)

// relation returns how p relates to c. By the API the index decides, and id and name come once.
// But:
//   - All calls have the index 0 from SGLang and older vLLM (lmdeploy#3412) and from Gemini through
//     LiteLLM (litellm#16188), and the same id from Xinference (inference#4237). So a piece with a
//     name begins another call if its id differs, or if the arguments of the call are complete
//     (FAULTS 9).
//   - Poolside makes two ids for a call, one for its name and one for all of its arguments
//     (poolsideai/pool#9). So a different id without a name means nothing, as long as no arguments
//     have come under the first id and no other call has the new id.
//   - vLLM's GLM parser repeats id and name in later pieces (vllm#44098). So the same name begins no
//     other call if the piece has no arguments, or only arguments that have already come
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

// strays reports whether p, which has an id and arguments, may belong to another call than c.
// otherID means that c has an id and p's differs. p may belong to another call if arguments of c
// have come under another id, or, with otherID, if they have come without an id or another call has
// p's id.
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

// repeatedBy reports whether p is the whole call once more. An id, or a server known to repeat the
// arguments with each piece, shows that p is not a second call with the same arguments.
func (c *block) repeatedBy(p *piece) bool {
	text, _ := jsonr.Text(p.arguments)
	return (p.id != "" || c.args.sent == cumulative) && len(text) == c.args.size && c.args.repeated(text)
}

// arguments reads a piece of the arguments of block n. By the API the piece is a string, but
// llama.cpp has sent an object (llama.cpp#20198), and so does TGI (text-generation-inference#2461).
// A value of any other type goes to the client unchanged, since without the value the function
// would be called with no arguments. The exception is an empty list: PHP's json_encode writes an
// empty object like this.
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
		held := len(a.buffered)
		text, taken, ok = a.next(piece)
		switch {
		case !ok:
			d.out.Fail(failure.Unreadable("the arguments of a tool call change"))
		case d.out.Reserve(len(a.buffered)-held, "the arguments of a tool call are larger than 8 MB"):
			d.gather(n, text)
		}
	}
}

// settleArguments gathers the buffered arguments of block n when no piece will follow.
func (d *decoder) settleArguments(n int) { d.gather(n, d.blocks[n].args.rest()) }

// gather yields new arguments of block n. Another object after the end of the arguments belongs to
// another call and fails the answer, and so does any text after the end of the call. A surplus
// bracket or word is the model's mistake, and goes to the client unchanged.
func (d *decoder) gather(n int, text ir.Escaped) {
	if text == "" || d.out.Ended() {
		return
	}
	a, over := &d.blocks[n].args, d.out.HasEnded(n)
	switch ok := a.gather(text); {
	case !ok && (over || a.more == '{'):
		d.out.Fail(failure.Unreadable("a tool call has further arguments after it was complete"))
	case !over:
		d.yield(n, text)
	}
}

// input reads a piece of the free text of block n. The text has no end mark: it ends when something
// else begins.
func (d *decoder) input(n int, v ir.Raw) {
	text, _ := jsonr.Text(v)
	switch {
	case text == "":
	case d.out.HasEnded(n):
		d.out.Fail(failure.Unreadable("a tool call has further input after it was complete"))
	default:
		d.blocks[n].args.state = outside
		d.yield(n, text)
	}
}

// bare reports whether p has no arguments, or only white space.
func (p *piece) bare() bool {
	text, _ := jsonr.Text(p.arguments)
	return spaceAt(text) == len(text) && jsonr.KindOf(p.arguments) != jsonr.Object
}
