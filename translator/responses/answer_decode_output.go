package responses

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// outputItems puts the items of an answer behind each other. It is a queue in the order in which they began: the deltas of the first
// one go out as they come, those of later ones are held until it is their turn, which begins when the one before is done. The
// same holds for the parts of an item. What is said to be done is held against what has gone out, and only the rest follows:
// some servers send no deltas, some no items, some both.
type outputItems struct {
	d       *decoder
	list    []outputItem
	front   int  // the item whose turn it is; len(list) where there is none
	open    bool // a block of it is open
	blocks  int  // items, and their parts beyond the first
	held    int  // bytes that are held
	calls   bool // a call has been among them
	refused bool // a refusal has
}

type itemKind uint8

const (
	messageItem   itemKind = iota + 1
	reasoningItem          // one block for all its parts
	functionItem
	customItem
	searchItem // a search on the web that the upstream ran
	opaqueItem // any other
)

// outputItem is one output item.
type outputItem struct {
	kind      itemKind
	index     int64 // output_index, -1 where the upstream gave none
	id        []byte
	callID    []byte // of a call; "" until the upstream gives one
	given     int    // how much of callID is the upstream's own
	name      []byte // of a call, as the upstream says it; of an item that goes as one, its type
	namespace []byte
	parts     []outputPart
	front     int    // the part whose turn it is
	done      bool   // nothing more will come
	signature []byte // of reasoning
	raw       []byte // the whole of an item that goes as one
	counted   bool   // it has been found in the output of the response
}

type partKind uint8

const (
	textPart partKind = iota + 1
	refusalPart
	summaryPart
	reasoningPart
	inputPart // arguments or input of a call
)

// outputPart is one text of an item.
type outputPart struct {
	kind     partKind
	index    int64
	gathered digest
	shown    bool   // something of it has gone out
	cited    int    // how many annotations have been taken
	held     []byte // text that waits for its turn
	notes    [][]byte
	done     bool
}

// delta takes more of a part.
func (o *outputItems) delta(ev *streamEvent, kind itemKind, pk partKind) {
	text, ok := jsonr.Text(ev.delta)
	if !ok || text == "" {
		return
	}
	n, p := o.place(ev, kind, pk)
	if p >= 0 && o.list[n].parts[p].done {
		p = o.addPart(n, pk, ev.part)
	}
	if p < 0 {
		return
	}
	o.take(n, p, text)
	o.advance()
}

// whole takes what the deltas of a part add up to.
func (o *outputItems) whole(ev *streamEvent, kind itemKind, pk partKind) {
	if jsonr.IsNothing(ev.whole) {
		return
	}
	n, p := o.place(ev, kind, pk)
	if p < 0 {
		return
	}
	o.settle(n, p, ev.whole)
	if kind == reasoningItem {
		o.list[n].parts[p].done = true
	}
	o.advance()
}

// partDone takes the whole of a part of a message or of reasoning, whatever the event is called.
func (o *outputItems) partDone(ev *streamEvent) {
	kind := messageItem
	if pk := partKindOf(ev.content); pk == summaryPart || pk == reasoningPart {
		kind = reasoningItem
	}
	n := o.find(ev.index, ev.id, kind)
	if n < 0 {
		if n = o.add(kind, ev.index, ev.id); n < 0 {
			return
		}
	}
	if !o.list[n].done {
		o.content(n, ev.content, ev.part)
		o.advance()
	}
}

// annotation takes one annotation of a text.
func (o *outputItems) annotation(ev *streamEvent) {
	n, p := o.place(ev, messageItem, textPart)
	if p < 0 || jsonr.IsNothing(ev.annotation) || o.list[n].parts[p].done { // what is done had all of them
		return
	}
	o.cite(n, p, ev.annotation)
	o.advance()
}

// take yields a piece of a part, or holds it until its turn.
func (o *outputItems) take(n, p int, text ir.Escaped) {
	if text == "" || o.d.ended {
		return
	}
	it := &o.list[n]
	c := &it.parts[p]
	c.gathered.add(text)
	o.refused = o.refused || c.kind == refusalPart
	switch {
	case !o.shows(it.block(c.kind), it):
	case p < it.front: // its block has ended
		o.d.lost.add(lostText)
	case n == o.front && p == it.front && len(c.held) == 0 && it.ready():
		o.show(it, c, text)
	case o.hold(len(text)):
		c.held = append(c.held, text...)
	}
}

// hold counts bytes that are held. It is false after a failure.
func (o *outputItems) hold(n int) bool {
	if o.held += n; o.held > ir.MaxHeld {
		o.d.fail(failure.Unreadable("mixed items of more than 8 MB"))
		return false
	}
	return true
}

// settle holds the whole of a part against what has come of it, and takes the rest. A call whose arguments are other ones than
// they were must not be run. Of a text the client keeps what it has seen.
func (o *outputItems) settle(n, p int, whole ir.Raw) {
	text, ok := jsonr.Text(whole)
	c := &o.list[n].parts[p]
	if !ok && c.kind == inputPart && jsonr.KindOf(whole) == jsonr.Object {
		text = quoted(whole)
	}
	if text == "" { // some servers leave it out
		return
	}
	rest, ok := c.gathered.rest(text)
	switch {
	case ok:
		o.take(n, p, rest)
	case c.kind == inputPart:
		o.d.fail(failure.Unreadable("the arguments of a tool call change"))
	default:
		o.d.lost.add(lostText)
	}
}

// cite yields an annotation of a text, or holds it until its turn.
func (o *outputItems) cite(n, p int, annotation ir.Raw) {
	it := &o.list[n]
	c := &it.parts[p]
	c.cited++
	switch {
	case p < it.front: // its block has ended
		o.d.lost.add(lostAnnotations)
	case n == o.front && p == it.front && len(c.held) == 0 && len(c.notes) == 0:
		o.citation(it, annotation)
	case o.hold(len(annotation)):
		c.notes = append(c.notes, []byte(annotation))
	}
}

// advance goes on in the queue as far as it may.
func (o *outputItems) advance() {
	for !o.d.ended && o.front < len(o.list) {
		it := &o.list[o.front]
		if it.ready() {
			o.flush(it)
		}
		if !it.done || o.d.ended {
			return
		}
		o.close(it)
		it.release(o)
		o.front++
	}
}

// flush yields what is held of the parts whose turn it is.
func (o *outputItems) flush(it *outputItem) {
	for it.front < len(it.parts) {
		c := &it.parts[it.front]
		if len(c.held) > 0 {
			o.show(it, c, jsonw.View(c.held))
			o.held -= len(c.held)
			c.held = nil
		}
		for _, note := range c.notes {
			o.citation(it, ir.Raw(jsonw.View(note)))
			o.held -= len(note)
		}
		c.notes = nil
		if !c.done && !it.done {
			return
		}
		if it.kind == messageItem {
			o.stop()
		}
		it.front++
	}
}

// close yields the end of an item that is done.
func (o *outputItems) close(it *outputItem) {
	switch it.kind {
	case functionItem, customItem:
		if !it.ready() {
			if len(it.name) == 0 {
				o.d.fail(failure.Unreadable("a tool call without a name"))
				return
			}
			o.nameCall(it)
			o.flush(it)
		}
		if o.shows(it.block(inputPart), it) {
			o.start(it, it.block(inputPart))
		}
	case reasoningItem:
		o.sign(it)
	case searchItem:
		o.search(it)
	case opaqueItem:
		o.opaque(it)
	}
	o.stop()
}

// release lets go of what is not needed any more.
func (it *outputItem) release(o *outputItems) {
	o.held -= len(it.raw) + len(it.signature)
	it.raw, it.signature = nil, nil
}

// ready reports whether the item's block may be opened: a call needs its id and name.
func (it *outputItem) ready() bool {
	return it.kind != functionItem && it.kind != customItem || len(it.callID) > 0 && len(it.name) > 0
}

// nameCall makes an id for a call whose upstream gave none. It follows from the id of the item, or of the answer, so that it is
// another one in each turn.
func (o *outputItems) nameCall(it *outputItem) {
	from := jsonw.View(it.id)
	if from == "" {
		from = jsonw.View(o.d.id)
	}
	it.callID = append(it.callID, "call_"...)
	if from != "" {
		it.callID = append(it.callID, ir.Identifier(from, 48)...)
		it.callID = append(it.callID, '_')
	}
	it.callID = strconv.AppendInt(it.callID, int64(o.front), 10)
}
