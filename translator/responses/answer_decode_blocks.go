package responses

import (
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// queuedPart is the meaning of a queue number: a part of an item, or the end of the item, which is
// queued after all its parts.
type queuedPart struct {
	item *item
	part *part // nil for the end of the item
}

// MayBegin reports whether the item of number n may be emitted: a call needs a name and an id. If a
// complete item has no id, MayBegin makes one. A call without a name is a call of the only tool.
func (d *decoder) MayBegin(n int) bool {
	it := d.queued[n].item
	switch {
	case !it.isCall() || it.call.Known():
		return true
	case !it.done:
		return false
	case len(it.call.Name) == 0:
		d.lost.Add(lostName)
		if it.call.Name = d.r.OnlyTool(openai.MaxIdentifier); len(it.call.Name) == 0 {
			d.out.Fail(failure.Unreadable("a tool call has no name"))
			return false
		}
		if it.call.Known() {
			return true
		}
	}
	d.makeID(it)
	return true
}

// BeginSlot emits the buffered content of number n: a part's text, then its annotations. The end of
// an item has no buffered content.
func (d *decoder) BeginSlot(n int, text ir.Escaped, annotations []string) {
	it, c := d.queued[n].item, d.queued[n].part
	if c != nil && it.kind == messageItem {
		d.out.Stop() // the preceding part
	}
	if text != "" {
		d.show(it, c, text)
	}
	for _, v := range annotations {
		d.citation(it, ir.Raw(v))
	}
}

// EndSlot ends number n. Each part of a message is a block of its own; all parts of any other item
// form one block. The last block of a message ends with the item, because the phase may arrive only
// with the item's end.
//
//go:noinline
func (d *decoder) EndSlot(n int) {
	it, c := d.queued[n].item, d.queued[n].part
	switch {
	case c != nil:
		return
	case it.isCall() && d.shows(it.block(inputPart), it):
		d.open(it, it.block(inputPart))
	case it.kind == reasoningItem:
		d.sign(it)
	case it.kind == searchItem:
		d.search(it)
	case it.kind == ranItem && it.isProgram():
		d.program(it)
	case it.kind == ranItem:
		d.hosted(it)
	case it.kind == opaqueItem:
		d.opaque(it)
	}
	d.out.StopMessage(it.phase)
	d.out.Release(len(it.raw) + len(it.signature))
	it.raw, it.signature = nil, nil
}

// isProgram reports whether the item is a program, or the result of one.
func (it *item) isProgram() bool {
	kind := jsonw.View(it.call.Name)
	return kind == "program" || kind == "program_output"
}

// shows reports whether the client's API can represent a block. If not, the item is recorded as a
// loss.
func (d *decoder) shows(block ir.BlockKind, it *item) bool {
	if d.r.API.Client.Shows(block) {
		return true
	}
	d.loseItem(it)
	return false
}

// block returns the kind of block for a part of the item.
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

// show emits text of the current part. The parts of reasoning go into one block, separated by empty
// lines, because one signature covers them all (FAULTS 36, 74).
func (d *decoder) show(it *item, c *part, text ir.Escaped) {
	if d.out.Block() != 0 && it.kind == reasoningItem && !c.shown {
		d.out.Text(`\n\n`)
	}
	c.shown = true
	d.open(it, it.block(c.kind))
	d.out.Text(text)
}

// open opens a block for the current item, unless a block is open.
func (d *decoder) open(it *item, block ir.BlockKind) {
	switch {
	case d.out.Block() != 0:
	case it.isCall():
		d.called = true
		d.setCaller(ir.Raw(jsonw.View(it.caller)))
		d.out.BeginCall(block, jsonw.View(it.id), jsonw.View(it.call.ID),
			d.toolName(jsonw.View(it.namespace), jsonw.View(it.call.Name)))
	case it.kind == messageItem && !it.begun:
		it.begun, d.resumes = true, false
		d.out.BeginMessage(block, jsonw.View(it.id), it.phase)
	default:
		d.out.Begin(block, jsonw.View(it.id))
	}
}

// sign emits encrypted_content, which carries the reasoning to the client's next request: after the
// text or, if no text was shown, in a block of its own.
func (d *decoder) sign(it *item) {
	if len(it.signature) > 0 && (d.out.Block() != 0 || d.shows(ir.RedactedBlock, it)) {
		d.open(it, ir.RedactedBlock)
		d.out.Sign(jsonw.View(it.signature), Name)
	}
}

// opaque emits an item known only to clients of this API.
func (d *decoder) opaque(it *item) {
	if d.own {
		d.out.Opaque(jsonw.View(it.id), ir.Raw(jsonw.View(it.raw)))
	} else {
		d.loseItem(it)
	}
}
