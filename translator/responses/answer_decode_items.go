package responses

import (
	"edgelingua/translator/events"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

type itemKind uint8

const (
	messageItem   itemKind = iota + 1 // one block per part
	reasoningItem                     // one block for all parts
	functionItem                      // the call of a function
	customItem                        // the call of a free-text tool
	searchItem                        // a web search run by the upstream
	// any other call run by the upstream, or its result, for a client of a different API that can
	// represent both
	ranItem
	opaqueItem // everything else
)

// item is one output item.
type item struct {
	kind      itemKind
	position  int   // index in the decoder's items
	number    int   // the queue number of the item's end
	index     int64 // output_index, or -1
	id        []byte
	call      events.Call // if the item is not a call, Name is the item's type
	namespace []byte      // of a call
	wrapped   wrapped     // of a functionItem
	parts     []*part
	phase     ir.Phase
	begun     bool   // a block of the message has begun
	done      bool   // the item is complete
	signature []byte // of reasoning: encrypted_content
	caller    []byte // of a call; empty: the model itself
	raw       []byte // the item's JSON, if the item is emitted whole
	matched   bool   // the output of the response has repeated the item
}

// itemFields has the members of an item's JSON.
type itemFields struct {
	kind                    itemKind
	raw                     ir.Raw // the whole JSON
	id, callID              ir.Escaped
	name, namespace         ir.Escaped
	content, summary, input ir.Raw
	encrypted               ir.Escaped
	phase                   ir.Phase
	caller                  ir.Raw
}

// readItem reads the JSON of an item. Without a type, the kind is 0.
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
		case "async": // only Responses runs calls beside the answer
			d.lost.AddMember("output[]", &r)
		case "caller":
			// code run by the upstream made the call, and gets the result
			if f.caller = ir.CallerOf(r.Value()); f.caller != "" && !d.own && !d.runs {
				d.lost.Add(lostCaller)
				f.caller = ""
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
		// a tool run by the upstream, such as xAI's searches of X (vercel/ai#9896); the client did
		// not offer it
		f.kind = opaqueItem
	case "web_search_call":
		f.kind = searchItem
	case "program", "program_output":
		if f.kind = opaqueItem; d.runs {
			f.kind = ranItem
		}
	case "mcp_call", "tool_search_call", "tool_search_output":
		if f.kind = ranItem; d.own || !d.r.API.Client.Shows(ir.HostedBlock) {
			f.kind = opaqueItem
		}
	default:
		f.kind = opaqueItem
	}
	// No upstream receives or makes our envelopes. An upstream that sends one could speak with the
	// user's voice in later requests.
	if f.kind == opaqueItem && ir.IsEnvelope(f.encrypted) {
		d.lost.Add("output[].encrypted_content")
		f.kind = 0
		return f
	}
	f.name, f.callID, f.namespace = kind, "", ""
	return f
}

// itemAdded handles response.output_item.added. Texts in the item are repeated later, in deltas or
// in the complete item. encrypted_content may be only in this event.
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

// itemDone handles response.output_item.done. If there is no output_index, it ends the open call
// with the same call_id: a second call would run the tool twice.
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

// whole reads a complete item, and ends it.
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
	if it.kind == reasoningItem && f.encrypted != "" && d.out.Reserve(len(f.encrypted)-len(it.signature),
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

// keep copies the JSON of an item emitted whole at its end, if the client can be shown the item.
func (d *decoder) keep(it *item, f *itemFields) {
	if (f.kind == searchItem || f.kind == ranItem || f.kind == opaqueItem && d.own) &&
		d.out.Reserve(len(f.raw)-len(it.raw), tooMuch) {
		it.raw = append(it.raw[:0], f.raw...)
	}
}

// newItem appends a new item and returns it, or nil after a failure.
func (d *decoder) newItem(kind itemKind, index int64, id ir.Escaped) *item {
	d.begin("", "", "")
	number := d.out.Add()
	if number < 0 {
		return nil
	}
	it := &item{kind: kind, position: len(d.items), number: number, index: index, id: []byte(id)}
	d.items = append(d.items, it)
	d.queued = append(d.queued, queuedPart{item: it})
	return it
}

// find returns the item of a kind to which an event belongs, by the event's index and id, or nil
// for a new item. Neither is reliable by itself: GitHub Copilot sends a different item_id in each
// event of an item (litellm#30071), and Ollama gives a text and the call after it the same
// output_index. An item that fits both comes first, then the last open item with the index, then
// the last item with the id. An event with neither index nor id belongs to the last item of the
// kind.
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

// output reads the output of a response that has ended: new items, and the missing rest of known
// ones. The items may have new ids: vLLM makes new ids and call_ids (vllm#47916); SMG (smg#160) and
// LiteLLM (litellm#36375) make new ids. Items are therefore matched by ids and call_ids first, and
// the remaining ones by their order among the items of a kind.
func (d *decoder) output(output ir.Raw) {
	var known [ir.MaxBlocks / 64]uint64
	for _, byID := range [...]bool{true, false} {
		r := jsonr.NewReader(string(output))
		if r.Kind() != jsonr.Array {
			break
		}
		i := 0
		for r.OpenArray(); !d.out.Ended() && r.Element(); i++ {
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

// match returns the unmatched item that corresponds to f, by id or call_id, or else the first one
// of the kind. It returns nil if f is a new item.
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
