package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// openBlock takes the start of the block whose turn it is, which may be all of it.
func (d *decoder) openBlock(v ir.Raw) {
	var f startFields
	f.read(v)
	c := &d.list[d.front]
	c.form = wholeForm
	switch {
	case f.kind == "text":
		c.form = wordsForm
		if f.text != "" {
			d.blockText(ir.TextBlock, f.text)
		}
		d.citations(f.citations)
	case f.kind == "thinking":
		c.form = wordsForm
		if f.thinking != "" {
			d.blockText(ir.ReasoningBlock, f.thinking)
		}
		c.signature = append(c.signature, f.signature...)
	case f.kind == "redacted_thinking":
		if f.data != "" {
			d.startOpen(ir.RedactedBlock)
			d.signature(f.data)
			d.stopOpen()
		}
	case f.kind == "tool_use":
		c.form = callForm
		d.openCall(c, &f)
	case f.kind == "server_tool_use" && f.name == webSearch && d.r.API.Client.Shows(ir.WebSearchBlock):
		c.form = searchForm
		d.openSearch(c, &f)
	case f.kind == "web_search_tool_result" && d.r.API.Client.Shows(ir.WebSearchBlock):
		d.searchResult(&f)
	case f.isServers() && d.own:
		if d.holds(len(v)) {
			c.form = serverForm
			c.whole = ir.Raw(strings.Clone(string(v)))
		}
	default:
		d.lost.AddNamed("block:", f.kind)
	}
}

// startFields is what the start of a block, or a whole one, may hold.
type startFields struct {
	kind, id, name, toolUseID       ir.Escaped
	text, thinking, signature, data ir.Escaped
	input, citations, content       ir.Raw
	toolset                         bool
}

func (f *startFields) read(v ir.Raw) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			f.kind, _ = jsonr.Text(r.Value())
		case "id":
			f.id, _ = jsonr.Text(r.Value())
		case "name":
			f.name, _ = jsonr.Text(r.Value())
		case "tool_use_id":
			f.toolUseID, _ = jsonr.Text(r.Value())
		case "text":
			f.text, _ = jsonr.Text(r.Value())
		case "thinking":
			f.thinking, _ = jsonr.Text(r.Value())
		case "signature":
			f.signature, _ = jsonr.Text(r.Value())
		case "data":
			f.data, _ = jsonr.Text(r.Value())
		case "input":
			f.input = r.Value()
		case "citations":
			f.citations = r.Value()
		case "content":
			f.content = r.Value()
		case "toolset_name":
			f.toolset = r.Kind() == jsonr.String
		}
	}
}

// isServers reports whether a block is the use of a tool that the upstream runs, or what that returned.
func (f *startFields) isServers() bool {
	return f.kind == "server_tool_use" || f.kind == "mcp_tool_use" || f.kind == "container_upload" ||
		strings.HasSuffix(string(f.kind), "_tool_result")
}

// openCall opens a tool call. A call without an id gets one that follows from the id of the answer.
func (d *decoder) openCall(c *block, f *startFields) {
	if f.name == "" {
		d.fail(failure.Unreadable("a tool call without a name"))
		return
	}
	if f.toolset { // which group of the vendor's tools it is from
		d.lost.Add("content[].toolset_name")
	}
	if f.id == "" {
		f.id = "toolu_" + ir.Identifier(jsonw.View(d.id), 32) + "_" + ir.Escaped(strconv.Itoa(d.front))
	}
	d.calls, d.open = true, ir.ToolCallBlock
	d.ev = ir.Event{Kind: ir.BlockStart, Block: ir.ToolCallBlock, CallID: f.id, Name: d.names.Restore(f.name)}
	d.sink.Event(&d.ev)
	if !isEmpty(f.input) && d.holds(len(f.input)) {
		c.input = ir.Raw(strings.Clone(string(f.input)))
	}
}

// isEmpty reports whether a call's input is missing, null or {}.
func isEmpty(v ir.Raw) bool {
	r := jsonr.NewReader(string(v))
	switch r.Kind() {
	case jsonr.Missing, jsonr.Null:
		return true
	case jsonr.Object:
		r.OpenObject()
		return !r.Member()
	}
	return false
}

// delta takes a delta of the block whose turn it is. Each goes into a block of its own kind: where a server puts thinking
// into a block that it has opened as text, or the reverse, the block is split.
func (d *decoder) delta(r *jsonr.Reader) {
	var kind, text ir.Escaped
	var citation ir.Raw
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "text", "thinking", "signature", "partial_json":
			text, _ = jsonr.Text(r.Value())
		case "citation":
			citation = r.Value()
		}
	}
	c := &d.list[d.front]
	switch {
	case kind == "input_json_delta" && c.form == callForm:
		if text != "" {
			c.begun = true
			d.text(text)
		}
	case kind == "input_json_delta" && (c.form == searchForm || c.form == serverForm):
		if d.holds(len(text)) {
			c.gathered = append(c.gathered, text...)
		}
	case c.form != wordsForm:
		if c.form != wholeForm { // a block that is passed over takes its deltas along
			d.lost.AddNamed("delta:", kind)
		}
	case kind == "text_delta":
		if text != "" {
			d.blockText(ir.TextBlock, text)
		}
	case kind == "thinking_delta":
		if text != "" {
			d.blockText(ir.ReasoningBlock, text)
		}
	case kind == "signature_delta" && d.open != ir.TextBlock:
		c.signature = append(c.signature[:0], text...)
	case kind == "citations_delta":
		d.cited(citation)
	case kind == "input_json_delta":
		if text != "" {
			d.fail(failure.Unreadable("arguments of no tool call"))
		}
	default:
		d.lost.AddNamed("delta:", kind)
	}
}

// closeBlock ends the block whose turn it is.
func (d *decoder) closeBlock() {
	c := &d.list[d.front]
	switch c.form {
	case wordsForm:
		if len(c.signature) > 0 {
			d.turnTo(ir.ReasoningBlock)
		}
	case callForm:
		if !c.begun && c.input != "" {
			quoted := jsonw.AppendQuotedRaw(make([]byte, 0, len(c.input)+len(c.input)/8), c.input)
			d.text(jsonw.View(quoted))
		}
	case searchForm:
		d.closeSearch(c)
	case serverForm:
		d.startOpen(ir.ServerToolBlock)
		d.ev = ir.Event{Kind: ir.Delta, Delta: ir.OpaqueDelta, Raw: c.raw()}
		d.sink.Event(&d.ev)
	}
	d.stopOpen()
	d.held -= len(c.input) + len(c.whole) + len(c.gathered)
	*c = block{index: c.index, stopped: true}
}

// raw returns a server tool's block with the input that has come behind its start.
func (c *block) raw() ir.Raw {
	if len(c.gathered) == 0 {
		return c.whole
	}
	b := make([]byte, 0, len(c.whole)+len(c.gathered)+16)
	lead := byte('{')
	r := jsonr.NewReader(string(c.whole))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "input" {
			continue
		}
		b = append(b, lead)
		b = jsonw.AppendString(b, r.Key())
		b = append(b, ':')
		b = append(b, r.Value()...)
		lead = ','
	}
	b = append(b, lead)
	b = append(b, `"input":`...)
	b = jsonr.AppendObject(b, jsonw.View(c.gathered))
	b = append(b, '}')
	return ir.Raw(jsonw.View(b))
}

// blockText yields a piece of text or reasoning, in a block of that kind.
func (d *decoder) blockText(kind ir.BlockKind, text ir.Escaped) {
	d.turnTo(kind)
	d.text(text)
}

// turnTo opens a block of a kind, unless one is open.
func (d *decoder) turnTo(kind ir.BlockKind) {
	if d.open != kind {
		d.stopOpen()
		d.startOpen(kind)
	}
}

func (d *decoder) startOpen(kind ir.BlockKind) {
	d.open = kind
	d.ev = ir.Event{Kind: ir.BlockStart, Block: kind}
	d.sink.Event(&d.ev)
}

// stopOpen stops the open block, if there is one. The signature of reasoning comes last in it.
func (d *decoder) stopOpen() {
	if d.open == ir.ReasoningBlock && len(d.list[d.front].signature) > 0 {
		d.signature(jsonw.View(d.list[d.front].signature))
		d.list[d.front].signature = nil
	}
	if d.open != 0 {
		d.open = 0
		d.ev = ir.Event{Kind: ir.BlockStop}
		d.sink.Event(&d.ev)
	}
}

func (d *decoder) text(text ir.Escaped) {
	d.ev = ir.Event{Kind: ir.Delta, Delta: ir.TextDelta, Text: text}
	d.sink.Event(&d.ev)
}

func (d *decoder) signature(text ir.Escaped) {
	d.ev = ir.Event{Kind: ir.Delta, Delta: ir.SignatureDelta, Text: text, Origin: Name}
	d.sink.Event(&d.ev)
}
