package responses

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// place is what a number of the queue stands for: a part of an item, or the end of the item, which
// is queued behind all its parts.
type place struct {
	item *item
	part *part // nil for the end of the item
}

// MayBegin reports whether the item of place n may go out: a call needs a name and an id. Where the
// upstream has given no id by the time that the item is done, one is made. A call without a name is
// that of the only tool.
func (d *decoder) MayBegin(n int) bool {
	it := d.places[n].item
	switch {
	case !it.isCall() || it.call.Known():
		return true
	case !it.done:
		return false
	case len(it.call.Name) == 0:
		d.lost.Add(lostName)
		if it.call.Name = d.r.OnlyTool(openai.MaxIdentifier); len(it.call.Name) == 0 {
			d.out.Fail(failure.Unreadable("a tool call without a name"))
			return false
		}
		if it.call.Known() {
			return true
		}
	}
	d.makeID(it)
	return true
}

// BeginTurn yields what was held of place n: of a part the text, then the annotations; the end of
// an item holds nothing.
func (d *decoder) BeginTurn(n int, text ir.Escaped, annotations []string) {
	it, c := d.places[n].item, d.places[n].part
	if c != nil && it.kind == messageItem {
		d.out.Stop() // the part in front
	}
	if text != "" {
		d.show(it, c, text)
	}
	for _, v := range annotations {
		d.citation(it, ir.Raw(v))
	}
}

// EndTurn ends place n. A part of a message is a block of its own, all parts of any other item are
// one block. The last block of a message ends with the item, which may say its phase only then.
//
//go:noinline
func (d *decoder) EndTurn(n int) {
	it, c := d.places[n].item, d.places[n].part
	switch {
	case c != nil:
		return
	case it.isCall() && d.shows(it.block(inputPart), it):
		d.open(it, it.block(inputPart))
	case it.kind == reasoningItem:
		d.sign(it)
	case it.kind == searchItem:
		d.search(it)
	case it.kind == ranItem:
		d.hosted(it)
	case it.kind == opaqueItem:
		d.opaque(it)
	}
	d.out.StopMessage(it.phase)
	d.out.Release(len(it.raw) + len(it.signature))
	it.raw, it.signature = nil, nil
}

// shows reports whether the client's API has a form for a block, and notes an item that it has none
// for.
func (d *decoder) shows(block ir.BlockKind, it *item) bool {
	if d.r.API.Client.Shows(block) {
		return true
	}
	d.loseItem(it)
	return false
}

// block returns the kind of block that a part of the item becomes.
func (it *item) block(kind partKind) ir.BlockKind {
	switch {
	case it.kind == reasoningItem:
		return ir.ReasoningBlock
	case it.kind == functionItem:
		return ir.ToolCallBlock
	case it.kind == customItem:
		return ir.CustomToolCallBlock
	case kind == refusalPart:
		return ir.RefusalBlock
	}
	return ir.TextBlock
}

// show yields text of a part whose turn it is. The parts of reasoning are put into one block with
// an empty line between them, since its signature stands for all of them (FAULTS 36, 74).
func (d *decoder) show(it *item, c *part, text ir.Escaped) {
	if d.out.Block() != 0 && it.kind == reasoningItem && !c.shown {
		d.out.Text(`\n\n`)
	}
	c.shown = true
	d.open(it, it.block(c.kind))
	d.out.Text(text)
}

// open opens a block for the item whose turn it is, unless one is open.
func (d *decoder) open(it *item, block ir.BlockKind) {
	switch {
	case d.out.Block() != 0:
	case it.isCall():
		d.called = true
		d.out.BeginCall(block, jsonw.View(it.id), jsonw.View(it.call.ID),
			d.toolName(jsonw.View(it.namespace), jsonw.View(it.call.Name)))
	case it.kind == messageItem && !it.begun:
		it.begun = true
		d.out.BeginMessage(block, jsonw.View(it.id), it.phase)
	default:
		d.out.Begin(block, jsonw.View(it.id))
	}
}

// sign yields encrypted_content, with which the client carries the reasoning to the next turn:
// behind the text, or in a block of its own where no text was shown.
func (d *decoder) sign(it *item) {
	if len(it.signature) > 0 && (d.out.Block() != 0 || d.shows(ir.RedactedBlock, it)) {
		d.open(it, ir.RedactedBlock)
		d.out.Sign(jsonw.View(it.signature), Name)
	}
}

// opaque yields an item that only clients of this API know.
func (d *decoder) opaque(it *item) {
	if d.own {
		d.out.Opaque(jsonw.View(it.id), ir.Raw(jsonw.View(it.raw)))
	} else {
		d.loseItem(it)
	}
}
