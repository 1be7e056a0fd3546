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

// place returns the item and the part that an event is about; they begin with it where they did not before. -1 after a failure,
// and for what comes behind the item's end.
func (o *outputItems) place(ev *streamEvent, kind itemKind, pk partKind) (n, p int) {
	if n = o.find(ev.index, ev.id, kind); n < 0 {
		if kind == customItem {
			return -1, -1 // of a tool that the upstream runs, unless its item says otherwise when it is done
		}
		if n = o.add(kind, ev.index, ev.id); n < 0 {
			return -1, -1
		}
	}
	switch {
	case !o.list[n].done:
		return n, o.part(n, pk, ev.part)
	case ev.delta == "": // what is done once more
	case pk == inputPart:
		o.d.fail(failure.Unreadable("arguments of a tool call that was complete"))
	default:
		o.d.lost.add(lostText)
	}
	return n, -1
}

// find returns the last item of a kind that an event with an index and an id is about, -1 where there is none. Ids that change
// from event to event are common, and so are repeated indexes. Without both it is the last item.
func (o *outputItems) find(index int64, id ir.Escaped, kind itemKind) int {
	byIndex, byID := -1, -1
	for n := len(o.list) - 1; n >= 0; n-- {
		it := &o.list[n]
		if it.kind != kind {
			continue
		}
		sameID := id != "" && jsonw.View(it.id) == id
		switch {
		case index >= 0 && it.index == index:
			if sameID || id == "" || len(it.id) == 0 {
				return n
			}
			if !it.done {
				byIndex = max(byIndex, n)
			}
		case sameID:
			byID = max(byID, n)
		case index < 0 && id == "":
			return n
		}
	}
	if byIndex >= 0 {
		return byIndex
	}
	if byID >= 0 && (index < 0 || o.list[byID].index < 0 || !o.list[byID].done) {
		return byID
	}
	return -1
}

// add puts an item at the end of the queue and returns its place, -1 after a failure.
func (o *outputItems) add(kind itemKind, index int64, id ir.Escaped) int {
	o.d.begin("", "", "")
	if o.d.ended || !o.count() {
		return -1
	}
	o.list = append(o.list, outputItem{kind: kind, index: index, id: []byte(id)})
	return len(o.list) - 1
}

// count counts one more item, or part of one. It is false after a failure.
func (o *outputItems) count() bool {
	if o.blocks++; o.blocks > ir.MaxBlocks {
		o.d.fail(failure.TooManyBlocks())
		return false
	}
	return true
}

// part returns the place of a part in item n, which begins with it where it did not before; -1 after a failure. Without an index
// it is the last one of its kind.
func (o *outputItems) part(n int, kind partKind, index int64) int {
	it := &o.list[n]
	for p := len(it.parts) - 1; p >= 0; p-- {
		if c := &it.parts[p]; c.kind == kind && (index < 0 || c.index == index || kind == inputPart) {
			return p
		}
	}
	return o.addPart(n, kind, index)
}

// addPart puts a part at the end of item n and returns its place, -1 after a failure.
func (o *outputItems) addPart(n int, kind partKind, index int64) int {
	it := &o.list[n]
	if len(it.parts) > 0 && !o.count() {
		return -1
	}
	it.parts = append(it.parts, outputPart{kind: kind, index: max(index, 0)})
	return len(it.parts) - 1
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
