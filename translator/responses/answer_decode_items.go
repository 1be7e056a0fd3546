package responses

import (
	"strconv"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// itemFields is what an item says of itself.
type itemFields struct {
	kind                    itemKind
	id, callID              ir.Escaped
	name, namespace         ir.Escaped
	content, summary, input ir.Raw
	encrypted               ir.Escaped
}

// read reads an item; its kind is 0 where it has no type.
func (o *outputItems) read(v ir.Raw) (f itemFields) {
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
		case "caller":
			for r.OpenObject(); r.Member(); {
				if r.Key() == "type" && r.Value() == `"program"` { // a call of code that runs upstream, which waits for the result
					o.d.lost.add(lostCaller)
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
		if f.name == "" || o.d.offersCustom(f.namespace, f.name) {
			return f
		}
		f.kind = opaqueItem // a tool that the upstream ran
	case "web_search_call":
		f.kind = searchItem
	default:
		f.kind = opaqueItem
	}
	f.name, f.callID, f.namespace = kind, "", ""
	return f
}

// added takes an item that begins. What it holds already comes again.
func (o *outputItems) added(v ir.Raw, index int64) {
	f := o.read(v)
	if f.kind == 0 {
		return
	}
	n := o.find(index, f.id, f.kind)
	if n >= 0 && (o.list[n].done || f.id != "" && len(o.list[n].id) > 0 && jsonw.View(o.list[n].id) != f.id) {
		n = -1
	}
	if n < 0 {
		if n = o.add(f.kind, index, f.id); n < 0 {
			return
		}
	}
	o.identify(n, &f)
	o.keep(n, &f, v)
	o.advance()
}

// done takes an item that is done.
func (o *outputItems) done(v ir.Raw, index int64) {
	f := o.read(v)
	if f.kind == 0 {
		return
	}
	n := o.find(index, f.id, f.kind)
	if n >= 0 && o.list[n].done {
		if f.id != "" && jsonw.View(o.list[n].id) == f.id {
			return
		}
		n = -1
	}
	if n < 0 {
		n = o.add(f.kind, index, f.id)
	}
	o.complete(n, &f, v)
}

// complete takes the whole of item n: what has not come of it comes now.
func (o *outputItems) complete(n int, f *itemFields, v ir.Raw) {
	if n < 0 {
		return
	}
	o.identify(n, f)
	switch f.kind {
	case messageItem:
		o.contents(n, f.content)
	case reasoningItem:
		o.contents(n, f.summary)
		o.contents(n, f.content)
		if it := &o.list[n]; f.encrypted != "" && o.hold(len(f.encrypted)) {
			it.signature = []byte(f.encrypted)
		}
	case functionItem, customItem:
		if !jsonr.IsNothing(f.input) && !o.d.ended {
			if p := o.part(n, inputPart, 0); p >= 0 {
				o.settle(n, p, f.input)
			}
		}
	default:
		o.keep(n, f, v)
	}
	o.list[n].done = true
	o.advance()
}

// identify takes an item's ids and name. Those of a call may not change inside it: the wrong call would be run.
func (o *outputItems) identify(n int, f *itemFields) {
	it := &o.list[n]
	if len(it.id) == 0 {
		it.id = []byte(f.id)
	}
	switch {
	case len(it.callID) > 0 && f.callID != "" && jsonw.View(it.callID[:it.given]) != f.callID:
		o.d.fail(failure.Unreadable("the id of a tool call changes"))
	case len(it.name) > 0 && f.name != "" && jsonw.View(it.name) != f.name:
		o.d.fail(failure.Unreadable("the name of a tool call changes"))
	}
	if len(it.callID) == 0 && f.callID != "" {
		it.callID, it.given = []byte(o.unique(f.callID)), len(f.callID)
	}
	if len(it.name) == 0 {
		it.name, it.namespace = []byte(f.name), []byte(f.namespace)
	}
}

// unique returns id, changed where an earlier call of the answer has it already: clients tell results apart by ids.
func (o *outputItems) unique(id ir.Escaped) ir.Escaped {
	for n := range o.list {
		if jsonw.View(o.list[n].callID) == id {
			return id + "_" + ir.Escaped(strconv.Itoa(len(o.list)))
		}
	}
	return id
}

// keep keeps an item that goes as one, where it has anywhere to go.
func (o *outputItems) keep(n int, f *itemFields, v ir.Raw) {
	it := &o.list[n]
	if f.kind != searchItem && (f.kind != opaqueItem || !o.d.own) || !o.hold(len(v)-len(it.raw)) {
		return
	}
	it.raw = append(it.raw[:0], v...)
}

// contents takes the parts of an item that is done.
func (o *outputItems) contents(n int, list ir.Raw) {
	if text, _ := jsonr.Text(list); text != "" { // as servers write it that have only text
		if p := o.part(n, textPart, 0); p >= 0 && o.list[n].kind == messageItem {
			o.settle(n, p, list)
		}
		return
	}
	i := int64(0)
	r := jsonr.NewReader(string(list))
	if r.Kind() != jsonr.Array {
		return
	}
	for r.OpenArray(); r.Element() && !o.d.ended; i++ {
		o.content(n, r.Value(), i)
	}
}

// content takes one part that is done of item n.
func (o *outputItems) content(n int, v ir.Raw, index int64) {
	var kind ir.Escaped
	var text, annotations ir.Raw
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "text", "refusal":
			text = r.Value()
		case "annotations":
			annotations = r.Value()
		case "logprobs":
			if !jsonr.IsNothing(r.Value()) {
				o.d.lost.add(lostLogprobs)
			}
		}
	}
	pk := partKindOf(v)
	reasons := pk == summaryPart || pk == reasoningPart
	switch {
	case kind == "":
		return
	case pk == 0, reasons != (o.list[n].kind == reasoningItem):
		o.d.lost.list.AddNamed("output[].content[].", kind)
		return
	case jsonr.IsNothing(text) && jsonr.IsNothing(annotations):
		return
	}
	p := o.part(n, pk, index)
	if p < 0 {
		return
	}
	o.settle(n, p, text)
	if jsonr.KindOf(annotations) == jsonr.Array && pk == textPart {
		list, i := jsonr.NewReader(string(annotations)), 0
		for list.OpenArray(); list.Element(); i++ {
			if i >= o.list[n].parts[p].cited {
				o.cite(n, p, list.Value())
			}
		}
	}
	o.list[n].parts[p].done = true
}

// partKindOf returns what a part says it is, 0 for what is unknown.
func partKindOf(v ir.Raw) partKind {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "type" {
			continue
		}
		switch r.Value() {
		case `"output_text"`, `"text"`:
			return textPart
		case `"refusal"`:
			return refusalPart
		case `"summary_text"`:
			return summaryPart
		case `"reasoning_text"`:
			return reasoningPart
		}
	}
	return 0
}

// rest takes the output of a response that has ended: the items that have not been seen, and what has not come of those that
// have. Some servers count and name items anew there, so an item is known by its id or its call's, and else by its place among
// those of its kind.
func (o *outputItems) rest(output ir.Raw) {
	var known [ir.MaxBlocks / 64]uint64
	for _, byID := range [...]bool{true, false} {
		r := jsonr.NewReader(string(output))
		if r.Kind() != jsonr.Array {
			break
		}
		i := 0
		for r.OpenArray(); r.Element() && !o.d.ended; i++ {
			if i == ir.MaxBlocks {
				o.count()
				break
			}
			v := r.Value()
			f := o.read(v)
			if f.kind == 0 || known[i/64]>>(i%64)&1 == 1 {
				continue
			}
			n := o.match(&f, byID)
			if n < 0 && byID {
				continue
			}
			known[i/64] |= 1 << (i % 64)
			if n < 0 {
				n = o.add(f.kind, -1, f.id)
			}
			if n >= 0 {
				o.list[n].counted = true
				if !o.list[n].done {
					o.complete(n, &f, v)
				}
			}
		}
	}
	for n := range o.list {
		o.list[n].done = true
	}
	o.advance()
}

// match returns the item that f is about and that no other was about, -1 where there is none: the one with its id or its call's,
// or the first of its kind.
func (o *outputItems) match(f *itemFields, byID bool) int {
	for n := range o.list {
		it := &o.list[n]
		switch {
		case it.counted || it.kind != f.kind:
		case !byID,
			f.id != "" && jsonw.View(it.id) == f.id,
			f.callID != "" && len(it.callID) > 0 && jsonw.View(it.callID[:it.given]) == f.callID:
			return n
		}
	}
	return -1
}

// quoted returns an object that should be a string that holds it.
func quoted(v ir.Raw) ir.Escaped {
	return ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(v)+len(v)/8), v))
}
