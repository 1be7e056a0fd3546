package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// form is what the upstream calls a block, as far as it makes a difference to its deltas.
type form uint8

const (
	wordsForm  form = iota + 1 // text or thinking: each delta says which
	callForm                   // tool_use
	searchForm                 // server_tool_use of web_search
	serverForm                 // server_tool_use of anything else
	wholeForm                  // nothing is expected behind its start: the start held all of it, or the block is left out
)

// block is a content block of the upstream's.
type block struct {
	index     int64 // -1 where the upstream gave none
	form      form
	start     ir.Raw // kept of its start: of a server tool all of it, of a call or a search the input
	input     []byte // of a server tool or a search: the input that came in deltas, escaped
	streamed  bool   // of a call: arguments have come in deltas
	signature []byte // of thinking
}

// blockStart takes content_block_start and returns the block's number, -1 after a failure. It ends an open block with the same index,
// whose content_block_stop is missing.
func (d *decoder) blockStart(index int64, start ir.Raw) int {
	if index >= 0 {
		d.blockStop(index)
	}
	n := d.out.Add()
	if n < 0 {
		return -1
	}
	d.blocks = append(d.blocks, block{index: index})
	if d.out.Advance(); d.out.HasTurn(n) {
		d.openBlock(&d.blocks[n], n, start)
	} else {
		d.out.HoldPiece(n, string(start))
	}
	return n
}

// blockDelta takes content_block_delta. Text and thinking whose start is missing begin a block.
func (d *decoder) blockDelta(index int64, delta *jsonr.Reader) {
	n := d.find(index)
	if n < 0 {
		n = d.blockStart(index, `{"type":"text"}`)
	}
	switch {
	case n < 0:
	case d.out.HasTurn(n):
		d.delta(&d.blocks[n], delta)
	default:
		d.out.HoldPiece(n, string(delta.Value()))
	}
}

// blockStop takes content_block_stop.
func (d *decoder) blockStop(index int64) {
	if n := d.find(index); n >= 0 {
		d.out.Complete(n)
		d.out.Advance()
	}
}

// find returns the number of the last block with an index that has not stopped, for -1 of the last one; -1 where there is none.
func (d *decoder) find(index int64) int {
	for n := len(d.blocks) - 1; n >= 0; n-- {
		if !d.out.IsComplete(n) && (index < 0 || d.blocks[n].index == index) {
			return n
		}
	}
	return -1
}

// MayBegin tells the queue that any block may begin.
func (d *decoder) MayBegin(int) bool { return true }

// BeginTurn takes the start and the deltas of block n that were held.
func (d *decoder) BeginTurn(n int, _ ir.Escaped, pieces []string) {
	for i, v := range pieces {
		switch {
		case d.out.Ended():
			return
		case i == 0:
			d.openBlock(&d.blocks[n], n, ir.Raw(v))
		default:
			delta := jsonr.NewReader(v)
			d.delta(&d.blocks[n], &delta)
		}
	}
}

// EndTurn yields what is known of block n only at its end, and lets go of what was kept of it.
func (d *decoder) EndTurn(n int) {
	c := &d.blocks[n]
	switch c.form {
	case wordsForm:
		if len(c.signature) > 0 {
			d.turnTo(c, ir.ReasoningBlock)
		}
	case callForm:
		if !c.streamed && c.start != "" {
			d.out.Text(jsonw.View(jsonw.AppendQuotedRaw(make([]byte, 0, len(c.start)+len(c.start)/8), c.start)))
		}
	case searchForm:
		d.closeSearch(c)
	case serverForm:
		d.out.Opaque("", c.raw())
	}
	d.stopOpen(c)
	d.out.Release(len(c.start) + len(c.input))
	*c = block{index: c.index}
}

// words yields text or reasoning, in a block of that kind.
func (d *decoder) words(c *block, kind ir.BlockKind, text ir.Escaped) {
	if text != "" {
		d.turnTo(c, kind)
		d.out.Text(text)
	}
}

// turnTo opens a block of a kind, unless one is open.
func (d *decoder) turnTo(c *block, kind ir.BlockKind) {
	if d.out.Block() != kind {
		d.stopOpen(c)
		d.out.Begin(kind, "")
	}
}

// stopOpen stops the open block, if there is one. The signature of reasoning comes last in it.
func (d *decoder) stopOpen(c *block) {
	if d.out.Block() == ir.ReasoningBlock && len(c.signature) > 0 {
		d.out.Sign(jsonw.View(c.signature), Name)
		c.signature = nil
	}
	d.out.Stop()
}
