package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// shows reports whether the client's API has a form for a block, and notes an item that it has none for.
func (o *outputItems) shows(block ir.BlockKind, it *outputItem) bool {
	if o.d.r.API.Client.Shows(block) {
		return true
	}
	o.loseItem(it)
	return false
}

// loseItem notes an item as lost, by its type.
func (o *outputItems) loseItem(it *outputItem) {
	kind := jsonw.View(it.name)
	switch it.kind {
	case messageItem:
		kind = "message"
	case reasoningItem:
		kind = "reasoning"
	case functionItem:
		kind = "function_call"
	case customItem:
		kind = "custom_tool_call"
	}
	o.d.lost.list.AddNamed("output[].", kind)
}

// block returns what a part of the item becomes.
func (it *outputItem) block(kind partKind) ir.BlockKind {
	switch it.kind {
	case reasoningItem:
		return ir.ReasoningBlock
	case functionItem:
		return ir.ToolCallBlock
	case customItem:
		return ir.CustomToolCallBlock
	}
	if kind == refusalPart {
		return ir.RefusalBlock
	}
	return ir.TextBlock
}

// show yields text of a part whose turn it is. Parts of reasoning share one block, with an empty line between them.
func (o *outputItems) show(it *outputItem, c *outputPart, text ir.Escaped) {
	if o.open && it.kind == reasoningItem && !c.shown {
		o.yield(`\n\n`)
	}
	c.shown = true
	o.start(it, it.block(c.kind))
	o.yield(text)
}

// start opens a block of an item, unless one is open.
func (o *outputItems) start(it *outputItem, block ir.BlockKind) {
	if o.open || o.d.ended {
		return
	}
	o.open = true
	ev := &o.d.ev
	*ev = ir.Event{Kind: ir.BlockStart, Block: block, ID: jsonw.View(it.id)}
	if block == ir.ToolCallBlock || block == ir.CustomToolCallBlock {
		ev.CallID, ev.Name = jsonw.View(it.callID), o.d.toolName(jsonw.View(it.namespace), jsonw.View(it.name))
		o.calls = true
	}
	o.d.sink.Event(ev)
}

func (o *outputItems) yield(text ir.Escaped) {
	ev := &o.d.ev
	*ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
	o.d.sink.Event(ev)
}

// stop ends the open block, if there is one.
func (o *outputItems) stop() {
	if o.open && !o.d.ended {
		o.open = false
		o.d.ev = ir.Event{Kind: ir.BlockStop}
		o.d.sink.Event(&o.d.ev)
	}
}

// citation yields an annotation of a text. Sources on the web are for all clients, those in files for this protocol's own.
func (o *outputItems) citation(it *outputItem, annotation ir.Raw) {
	var kind, url, title ir.Escaped
	start, end := int64(-1), int64(-1)
	r := jsonr.NewReader(string(annotation))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "url":
			url, _ = jsonr.Text(r.Value())
		case "title":
			title, _ = jsonr.Text(r.Value())
		case "start_index":
			start = indexOf(r.Value())
		case "end_index":
			end = indexOf(r.Value())
		}
	}
	cite := ir.Citation{URL: url, Title: title, Start: start, End: end}
	if kind != "url_citation" || url == "" {
		if !o.d.own {
			o.d.lost.add(lostAnnotations)
			return
		}
		cite = ir.Citation{Start: -1, End: -1, Raw: annotation}
	}
	o.start(it, ir.TextBlock)
	o.cited(cite)
}

func (o *outputItems) cited(c ir.Citation) {
	o.d.cite = c
	o.d.ev = ir.Event{Kind: ir.Delta, Delta: ir.CitationDelta, Citation: &o.d.cite}
	o.d.sink.Event(&o.d.ev)
}

// sign yields what carries reasoning to the next turn: behind its text, or where nothing of it was shown in a block of its own.
func (o *outputItems) sign(it *outputItem) {
	if len(it.signature) == 0 || !o.open && !o.shows(ir.RedactedBlock, it) {
		return
	}
	o.start(it, ir.RedactedBlock)
	o.d.ev = ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: jsonw.View(it.signature), Origin: Name}
	o.d.sink.Event(&o.d.ev)
}

// opaque yields an item of this protocol's own.
func (o *outputItems) opaque(it *outputItem) {
	if !o.d.own {
		o.loseItem(it)
		return
	}
	o.start(it, ir.ServerToolBlock)
	o.d.ev = ir.Event{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: ir.Raw(jsonw.View(it.raw))}
	o.d.sink.Event(&o.d.ev)
}

// search yields a search of the upstream with what it found. Pages that it opened in between are items of the same type without
// a query.
func (o *outputItems) search(it *outputItem) {
	var query ir.Escaped
	var sources ir.Raw
	r := jsonr.NewReader(string(jsonw.View(it.raw)))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "action":
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "query":
					query, _ = jsonr.Text(r.Value())
				case "queries":
					for r.OpenArray(); r.Element(); {
						if q, _ := jsonr.Text(r.Value()); query == "" {
							query = q
						}
					}
				case "sources":
					sources = r.Value()
				}
			}
		case "arguments": // as one vendor calls it
			if arguments, _ := jsonr.Text(r.Value()); arguments != "" && query == "" {
				query = queryOf(jsonw.Unescape(arguments))
			}
		}
	}
	if query == "" {
		o.opaque(it)
		return
	}
	if !o.shows(ir.WebSearchBlock, it) {
		return
	}
	o.start(it, ir.WebSearchBlock)
	o.yield(query)
	list := jsonr.NewReader(string(sources))
	for list.OpenArray(); list.Element(); {
		cite := ir.Citation{Start: -1, End: -1}
		for list.OpenObject(); list.Member(); {
			switch list.Key() {
			case "url":
				cite.URL, _ = jsonr.Text(list.Value())
			case "title":
				cite.Title, _ = jsonr.Text(list.Value())
			}
		}
		if cite.URL != "" {
			o.cited(cite)
		}
	}
}

func queryOf(arguments string) (query ir.Escaped) {
	if jsonr.Check(arguments) == nil {
		r := jsonr.NewReader(arguments)
		for r.OpenObject(); r.Member(); {
			if r.Key() == "query" {
				query, _ = jsonr.Text(r.Value())
			}
		}
	}
	return query
}

// toolName returns the client's name of the tool that the upstream calls name, in a group of tools.
func (d *decoder) toolName(namespace, name ir.Escaped) ir.Escaped {
	if namespace != "" {
		for i := range d.r.Tools {
			if t := &d.r.Tools[i]; t.Namespace == namespace && t.Local == name {
				return t.Name
			}
		}
		d.lost.add(lostNamespace)
	}
	return d.names.Restore(name)
}

// offersCustom reports whether a tool that takes free text has been offered by that name.
func (d *decoder) offersCustom(namespace, name ir.Escaped) bool {
	for i := range d.r.Tools {
		t := &d.r.Tools[i]
		if t.Kind == ir.CustomTool && (openai.ToolName(t.Name) == name || t.Namespace == namespace && t.Local == name) {
			return true
		}
	}
	return false
}
