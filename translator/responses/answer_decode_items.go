package responses

import (
	"edgelingua/translator/events"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

type itemKind uint8

const (
	messageItem   itemKind = iota + 1 // a block for each part
	reasoningItem                     // one block for all parts
	functionItem                      // a call of a function
	customItem                        // a call of a tool that takes free text
	searchItem                        // a search on the web that the upstream ran
	// another call that the upstream made, or its result, for a client of another API that has a
	// form for both
	ranItem
	opaqueItem // any other
)

// item is one output item.
type item struct {
	kind      itemKind
	place     int   // in the decoder's items
	number    int   // the number of the item's end in the queue
	index     int64 // output_index, -1 where the upstream gave none
	id        []byte
	call      events.Call // of any other item than a call: Name is the item's type
	namespace []byte      // of a call
	wrapped   wrapped     // of a functionItem
	parts     []*part
	phase     ir.Phase
	begun     bool   // a block of the message has begun
	done      bool   // all of the item has come
	signature []byte // of reasoning: encrypted_content
	raw       []byte // of a searchItem or an opaqueItem: all of the item
	matched   bool   // the output of the response has brought the item again
}

// itemFields is what the JSON of an item holds.
type itemFields struct {
	kind                    itemKind
	raw                     ir.Raw // all of it
	id, callID              ir.Escaped
	name, namespace         ir.Escaped
	content, summary, input ir.Raw
	encrypted               ir.Escaped
	phase                   ir.Phase
}

// readItem reads the JSON of an item. The kind is 0 where there is no type.
func (d *decoder) readItem(v ir.Raw) (f itemFields) {
	f.raw = v
	var kind ir.Escaped
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "id":
			f.id, _ = jsonr.Text(r.Value())
		case "call_id":
			f.callID, _ = jsonr.Text(r.Value())
		case "name":
			f.name, _ = jsonr.Text(r.Value())
		case "namespace":
			f.namespace, _ = jsonr.Text(r.Value())
		case "arguments", "input":
			f.input = r.Value()
		case "content":
			f.content = r.Value()
		case "summary":
			f.summary = r.Value()
		case "encrypted_content":
			f.encrypted, _ = jsonr.Text(r.Value())
		case "phase":
			f.phase = phaseOf(r.Value())
		case "caller":
			for r.OpenObject(); r.Member(); {
				// code that runs upstream has called, and gets the result
				if r.Key() == "type" && r.Value() == `"program"` {
					d.lost.Add(lostCaller)
				}
			}
		}
	}
	switch kind {
	case "":
		return f
	case "message":
		f.kind = messageItem
	case "reasoning":
		f.kind = reasoningItem
	case "function_call":
		f.kind = functionItem
		return f
	case "custom_tool_call":
		f.kind = customItem
		if f.name == "" || d.offersCustom(f.namespace, f.name) {
			return f
		}
		// a tool that the upstream runs, as xAI's searches of X (vercel/ai#9896): the client has
		// not offered it
		f.kind = opaqueItem
	case "web_search_call":
		f.kind = searchItem
	case "mcp_call", "tool_search_call", "tool_search_output":
		if f.kind = ranItem; d.own || !d.r.API.Client.Shows(ir.HostedBlock) {
			f.kind = opaqueItem
		}
	default:
		f.kind = opaqueItem
	}
	// no upstream gets or makes our envelopes: one that sent this would speak with the user's voice
	// from then on
	if f.kind == opaqueItem && ir.IsEnvelope(f.encrypted) {
		d.lost.Add("output[].encrypted_content")
		f.kind = 0
		return f
	}
	f.name, f.callID, f.namespace = kind, "", ""
	return f
}

// itemAdded takes response.output_item.added. Texts that the item holds by then come again, in
// deltas or when it is done; its encrypted_content may come with it alone.
func (d *decoder) itemAdded(f itemFields, index int64) {
	it := d.find(index, f.id, f.kind)
	if it == nil || it.done || f.id != "" && len(it.id) > 0 && jsonw.View(it.id) != f.id {
		it = d.newItem(f.kind, index, f.id)
	}
	if it != nil {
		d.identify(it, &f)
		d.seal(it, &f)
		d.keep(it, &f)
		d.out.Advance()
	}
}

// itemDone takes response.output_item.done. Without an output_index it ends the open call that has
// its call_id: a second call would run the tool twice.
func (d *decoder) itemDone(f itemFields, index int64) {
	it := d.find(index, f.id, f.kind)
	if index < 0 && f.callID != "" {
		for _, open := range d.items {
			if open.kind == f.kind && !open.done && open.call.IsGiven(f.callID) {
				it = open
				break
			}
		}
	}
	switch {
	case it == nil, it.done && (f.id == "" || jsonw.View(it.id) != f.id):
		it = d.newItem(f.kind, index, f.id)
	case it.done:
		return
	}
	if it != nil {
		d.whole(it, &f)
	}
}

// whole takes all of an item, and ends it.
func (d *decoder) whole(it *item, f *itemFields) {
	d.identify(it, f)
	switch f.kind {
	case messageItem:
		d.contents(it, f.content)
	case reasoningItem:
		d.contents(it, f.summary)
		d.contents(it, f.content)
		d.seal(it, f)
	case functionItem, customItem:
		if !jsonr.IsNothing(f.input) && !d.out.Ended() {
			if c := d.part(it, inputPart, 0); c != nil {
				d.reconcile(it, c, f.input)
			}
		}
	default:
		d.keep(it, f)
	}
	d.endItem(it)
}

// seal copies the encrypted_content of reasoning; the last one counts.
func (d *decoder) seal(it *item, f *itemFields) {
	if it.kind == reasoningItem && f.encrypted != "" && d.out.Keep(len(f.encrypted)-len(it.signature),
		tooMuch) {
		it.signature = append(it.signature[:0], f.encrypted...)
	}
}

func (d *decoder) endItem(it *item) {
	d.unwrap(it)
	it.done = true
	for _, c := range it.parts {
		d.out.Complete(c.number)
	}
	d.out.Complete(it.number)
	d.out.Advance()
}

// keep copies an item that goes out as one, at its end, where the client can be shown it.
func (d *decoder) keep(it *item, f *itemFields) {
	if (f.kind == searchItem || f.kind == ranItem || f.kind == opaqueItem && d.own) &&
		d.out.Keep(len(f.raw)-len(it.raw), tooMuch) {
		it.raw = append(it.raw[:0], f.raw...)
	}
}

// newItem puts a new item behind the others and returns it, nil after a failure.
func (d *decoder) newItem(kind itemKind, index int64, id ir.Escaped) *item {
	d.begin("", "", "")
	number := d.out.Add()
	if number < 0 {
		return nil
	}
	it := &item{kind: kind, place: len(d.items), number: number, index: index, id: []byte(id)}
	d.items = append(d.items, it)
	d.places = append(d.places, place{item: it})
	return it
}

// find returns the item of a kind that an event with an index and an id belongs to, nil where none
// has begun. Neither can be relied on alone: GitHub Copilot has another item_id in each event of an
// item (litellm#30071), and Ollama gives a text and the call behind it one output_index. So where
// both fit that is the item; else it is the last open one with the index, or else the last one with
// the id. An event with neither belongs to the last item of the kind.
func (d *decoder) find(index int64, id ir.Escaped, kind itemKind) *item {
	var byIndex, byID *item
	for n := len(d.items) - 1; n >= 0; n-- {
		it := d.items[n]
		sameID := id != "" && jsonw.View(it.id) == id
		switch {
		case it.kind != kind:
		case index >= 0 && it.index == index:
			if sameID || id == "" || len(it.id) == 0 {
				return it
			}
			if !it.done && byIndex == nil {
				byIndex = it
			}
		case sameID:
			if byID == nil {
				byID = it
			}
		case index < 0 && id == "":
			return it
		}
	}
	if byIndex == nil && byID != nil && (index < 0 || byID.index < 0 || !byID.done) {
		return byID
	}
	return byIndex
}

// output takes the output of a response that has ended: items that have not come before, and what
// was missing of the others. Its items have new ids at vLLM, which makes new call_ids too
// (vllm#47916), at SMG (smg#160) and at LiteLLM (litellm#36375). So items are matched by their ids
// and call_ids first, and those that are left in their order among the items of one kind.
func (d *decoder) output(output ir.Raw) {
	var known [ir.MaxBlocks / 64]uint64
	for _, byID := range [...]bool{true, false} {
		r := jsonr.NewReader(string(output))
		if r.Kind() != jsonr.Array {
			break
		}
		i := 0
		for r.OpenArray(); r.Element() && !d.out.Ended(); i++ {
			if i == ir.MaxBlocks {
				d.out.Count()
				break
			}
			f := d.readItem(r.Value())
			if f.kind == 0 || known[i/64]>>(i%64)&1 == 1 {
				continue
			}
			it := d.match(&f, byID)
			if it == nil && byID {
				continue
			}
			known[i/64] |= 1 << (i % 64)
			if it == nil {
				it = d.newItem(f.kind, -1, f.id)
			}
			if it != nil {
				it.matched = true
				if !it.done {
					d.whole(it, &f)
				}
			}
		}
	}
	for _, it := range d.items {
		d.endItem(it)
	}
}

// match returns the item that f is, of those that have not been matched, nil where it is none: by
// id or call_id, or else the first one of the kind.
func (d *decoder) match(f *itemFields, byID bool) *item {
	for _, it := range d.items {
		switch {
		case it.matched || it.kind != f.kind:
		case !byID,
			f.id != "" && jsonw.View(it.id) == f.id,
			f.callID != "" && it.call.IsGiven(f.callID):
			return it
		}
	}
	return nil
}
