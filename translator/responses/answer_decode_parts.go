package responses

import (
	"unicode/utf8"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

type partKind uint8

const (
	textPart partKind = iota + 1
	refusalPart
	summaryPart
	reasoningPart
	inputPart // the arguments or the input of a call
)

// part is one text of an item: an element of a message's content or of a reasoning item's summary
// or content, or a call's arguments or input.
type part struct {
	kind     partKind
	number   int   // in the queue
	index    int64 // content_index or summary_index
	gathered digest
	shown    bool // text of the part was emitted
	probed   bool // logprobs of the text were emitted
	cited    int  // how many annotations have arrived
	done     bool // the part is complete
}

// textDelta handles a delta event. After the end of a part, a delta begins a new part.
func (d *decoder) textDelta(ev *streamEvent, of subject) {
	text, _ := jsonr.Text(ev.delta)
	if text == "" && (d.r.Logprobs == "" || jsonr.IsNothing(ev.logprobs)) {
		return
	}
	it, c := d.locate(ev, of)
	if c != nil && c.done {
		c = d.newPart(it, of.part, ev.part)
	}
	if c != nil {
		d.logprobs(it, c, ev.logprobs)
		d.take(it, c, text)
		d.out.Advance()
	}
}

// logprobs emits the log probabilities of the text emitted next.
func (d *decoder) logprobs(it *item, c *part, list ir.Raw) {
	switch {
	case jsonr.IsNothing(list):
	case d.r.Logprobs == "" || c.kind != textPart || !d.out.IsCurrent(c.number):
		d.lost.Add(lostLogprobs)
	default:
		c.probed = true
		d.open(it, ir.TextBlock)
		d.out.Logprobs(list)
	}
}

// textDone handles a done event, which has the whole text of a part. A message's text does not end
// there, because annotations may follow.
func (d *decoder) textDone(ev *streamEvent, of subject) {
	if jsonr.IsNothing(ev.whole) {
		return
	}
	if it, c := d.locate(ev, of); c != nil {
		d.reconcile(it, c, ev.whole)
		if of.item == reasoningItem {
			d.endPart(c)
		}
		d.out.Advance()
	}
}

// partDone handles response.content_part.done and the similar events for reasoning. The part's type
// decides whether the part belongs to a message or to reasoning, because vLLM sends content_part
// events for reasoning (vllm#24788).
func (d *decoder) partDone(ev *streamEvent) {
	f := readPart(ev.content)
	kind := messageItem
	if f.reasons() {
		kind = reasoningItem
	}
	it := d.find(ev.index, ev.id, kind)
	if it == nil {
		it = d.newItem(kind, ev.index, ev.id)
	}
	if it != nil && !it.done {
		d.content(it, &f, ev.part)
		d.out.Advance()
	}
}

// locate returns the item and the part of an event, and begins them if they are new. After a
// failure, or if the item is already complete, both are nil. In a complete item, a done event is a
// repeat and is ignored, a text delta is recorded as a loss, and a delta of arguments fails the
// answer, because the client would run a call without them. The input of a custom_tool_call begins
// no item, because the upstream may run the tool itself. The complete item decides that.
func (d *decoder) locate(ev *streamEvent, of subject) (*item, *part) {
	it := d.find(ev.index, ev.id, of.item)
	if it == nil && of.item != customItem {
		it = d.newItem(of.item, ev.index, ev.id)
	}
	switch {
	case it == nil:
	case !it.done:
		return it, d.part(it, of.part, ev.part)
	case ev.delta == "":
	case of.part == inputPart:
		d.out.Fail(failure.Unreadable("a tool call has further arguments after it was complete"))
	default:
		d.lost.Add(lostText)
	}
	return nil, nil
}

// part returns the part of an item by kind and index, and begins a new one if there is none.
// Without an index, the last part of the kind is meant. After a failure the result is nil.
func (d *decoder) part(it *item, kind partKind, index int64) *part {
	for p := len(it.parts) - 1; p >= 0; p-- {
		if c := it.parts[p]; c.kind == kind && (index < 0 || c.index == index || kind == inputPart) {
			return c
		}
	}
	return d.newPart(it, kind, index)
}

// newPart appends a new part to an item and returns it, or nil after a failure.
func (d *decoder) newPart(it *item, kind partKind, index int64) *part {
	number := d.out.Insert(it.number)
	if number < 0 {
		return nil
	}
	c := &part{kind: kind, number: number, index: max(index, 0)}
	it.parts = append(it.parts, c)
	d.queued = append(d.queued, queuedPart{it, c})
	d.out.Advance()
	return c
}

func (d *decoder) endPart(c *part) {
	c.done = true
	d.out.Complete(c.number)
}

// take adds text to a part. Text after the end of the part's block is lost.
func (d *decoder) take(it *item, c *part, text ir.Escaped) {
	if text == "" || d.out.Ended() {
		return
	}
	c.gathered.add(text)
	d.refused = d.refused || c.kind == refusalPart
	if it.kind == functionItem {
		text = d.unheld(it, text)
	}
	d.put(it, c, text)
}

// put emits text of a part, or buffers it until the queue reaches the part.
func (d *decoder) put(it *item, c *part, text ir.Escaped) {
	switch {
	case text == "" || d.out.Ended():
	case !d.shows(it.block(c.kind), it):
	case d.out.HasEnded(c.number):
		d.lost.Add(lostText)
	case d.out.IsCurrent(c.number):
		d.show(it, c, text)
	default:
		d.out.Buffer(c.number, text)
	}
}

// reconcile compares the whole text of a part with the text so far, and adds the rest. If arguments
// differ, the answer fails, because the client would run a wrong call. If a text differs, the
// client keeps the text it has seen. No known server sends done events with an empty text; an empty
// text is ignored, so the deltas count.
func (d *decoder) reconcile(it *item, c *part, whole ir.Raw) {
	text, _ := jsonr.Text(whole)
	if c.kind == inputPart && jsonr.KindOf(whole) == jsonr.Object {
		text = ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(whole)+len(whole)/8), whole))
	}
	// a call without arguments, as in Chat (FAULTS 25)
	if text == "" || text == "null" && c.kind == inputPart && c.gathered.units == 0 {
		return
	}
	rest, ok := c.gathered.rest(text)
	switch {
	case ok:
		d.take(it, c, rest)
	case c.kind == inputPart:
		d.out.Fail(failure.Unreadable("the arguments of a tool call change"))
	default:
		d.lost.Add(lostText)
	}
}

// partFields has the members of a part's JSON.
type partFields struct {
	typ         ir.Escaped
	kind        partKind // 0 for an unknown type
	text        ir.Raw
	annotations ir.Raw
	logprobs    ir.Raw
}

func readPart(v ir.Raw) (f partFields) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			f.typ, _ = jsonr.Text(r.Value())
		case "text", "refusal":
			f.text = r.Value()
		case "annotations":
			f.annotations = r.Value()
		case "logprobs":
			f.logprobs = r.Value()
		}
	}
	switch f.typ {
	case "output_text", "text":
		f.kind = textPart
	case "refusal":
		f.kind = refusalPart
	case "summary_text":
		f.kind = summaryPart
	case "reasoning_text":
		f.kind = reasoningPart
	}
	return f
}

// reasons reports whether the part belongs to reasoning.
func (f *partFields) reasons() bool { return f.kind == summaryPart || f.kind == reasoningPart }

// contents reads the content or the summary of a complete item, a list of parts. No known server
// sends a string. A string in a message is read as its text, as the API does in a request.
func (d *decoder) contents(it *item, list ir.Raw) {
	r := jsonr.NewReader(string(list))
	switch r.Kind() {
	case jsonr.String:
		if it.kind == messageItem {
			if c := d.part(it, textPart, 0); c != nil {
				d.reconcile(it, c, list)
			}
		}
	case jsonr.Array:
		i := int64(0)
		for r.OpenArray(); !d.out.Ended() && r.Element(); i++ {
			f := readPart(r.Value())
			d.content(it, &f, i)
		}
	}
}

// content reads a complete part, from a complete item or from an event that ends a part.
func (d *decoder) content(it *item, f *partFields, index int64) {
	switch {
	case f.typ == "":
		return
	case f.kind == 0, f.reasons() != (it.kind == reasoningItem):
		d.lost.AddNamed("output[].content[].", f.typ)
		return
	case jsonr.IsNothing(f.text) && jsonr.IsNothing(f.annotations):
		return
	}
	c := d.part(it, f.kind, index)
	if c == nil {
		return
	}
	if !c.probed { // no delta had logprobs
		d.logprobs(it, c, f.logprobs)
	}
	d.reconcile(it, c, f.text)
	if list := jsonr.NewReader(string(f.annotations)); f.kind == textPart && list.Kind() == jsonr.Array {
		i := 0
		for list.OpenArray(); list.Element(); i++ {
			if v := list.Value(); i >= c.cited {
				d.cite(it, c, v)
			}
		}
	}
	d.endPart(c)
}

// digest is a hash of a part's text so far. It allows a comparison with a later whole text,
// although no text is buffered. The hash covers UTF-16 units, because the same text can be escaped
// and cut in many ways. Space does not count: mlx-node trims the text of its done events
// (mlx-node#45), and a server that parses arguments writes them with different space.
type digest struct {
	units int
	solid int    // how many of the units are not space
	sum   uint64 // FNV-1a of the units that are not space
}

func (d *digest) add(e ir.Escaped) {
	for i := 0; i < len(e); {
		if c := e[i]; c < utf8.RuneSelf && c != '\\' {
			d.unit(uint32(c))
			i++
		} else {
			i += d.step(e[i:])
		}
	}
}

// rest returns the part of whole after the digested text. If whole does not begin with the digested
// text, ok is false.
func (d *digest) rest(whole ir.Escaped) (rest ir.Escaped, ok bool) {
	var w digest
	i := 0
	for i < len(whole) && w.units < d.units {
		i += w.step(whole[i:])
	}
	if w == *d {
		return whole[i:], true
	}
	w.add(whole[i:])
	return "", w.solid == d.solid && w.sum == d.sum
}

// step adds the first character of e, and returns its length in e, in bytes.
func (d *digest) step(e ir.Escaped) (n int) {
	c := e[0]
	switch {
	case c == '\\' && len(e) > 1:
		u, n := jsonw.UnitAt(e)
		d.unit(uint32(u))
		return n
	case c < utf8.RuneSelf:
		d.unit(uint32(c))
		return 1
	}
	r, n := utf8.DecodeRuneInString(string(e))
	if r > 0xFFFF {
		r -= 0x10000
		d.unit(0xD800 | uint32(r)>>10)
		r = 0xDC00 | r&0x3FF
	}
	d.unit(uint32(r))
	return n
}

// unit adds one unit.
func (d *digest) unit(u uint32) {
	d.units++
	if u > ' ' {
		d.solid++
		d.sum = (d.sum ^ uint64(u)) * 1099511628211
	}
}
