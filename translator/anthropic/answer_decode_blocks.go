package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// form is the type of a block, as far as it says which deltas the block takes.
type form uint8

const (
	wordsForm   form = iota + 1 // text or thinking: each delta says which
	callForm                    // tool_use
	searchForm                  // server_tool_use of web_search, for a client that is shown searches
	hostedForm                  // a call of the upstream's that has a form in the client's API
	summaryForm                 // compaction, for a client of this API
	serverForm                  // any other tool that the upstream runs, for a client of this API
	wholeForm                   // any other block: its start holds all of it, or it is lost. The deltas of a lost block are ignored
)

// block is a content block as the upstream numbers them. It may become several blocks of the hub, or none.
type block struct {
	index     int64 // -1 where the upstream gave none
	form      form
	start     ir.Raw // kept of content_block_start: of a serverForm and a hostedForm all of the block, of a call or a search the input
	input     []byte // of a serverForm, a hostedForm or a search: the input that came in deltas, as the inside of a JSON string. Of a summary its text
	streamed  bool   // of a call: arguments have come in deltas
	signature []byte // of thinking, as far as it has not gone out. Of a summary its encrypted_content
}

// blockStart takes content_block_start and returns the block's number, -1 after a failure. Where a block with the same index is
// open its content_block_stop is missing, and that block ends (FAULTS 6).
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

// blockDelta takes content_block_delta. Where the block's start is missing a block for text or thinking begins (FAULTS 4).
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

// find returns the number of the last open block with an index; for the index -1, which is none, the number of the last open
// block. It returns -1 where no such block is open.
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

// BeginTurn takes what was held of block n: its start, then its deltas.
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

// EndTurn yields what is known of block n only at its end, and frees what was kept of it. A call whose arguments did not come
// in deltas has them in its start, as from a server that does not stream them.
//
//go:noinline
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
	case hostedForm:
		d.closeHosted(c)
	case serverForm:
		d.out.Opaque("", c.raw())
	case summaryForm:
		d.out.Summary(jsonw.View(c.input), jsonw.View(c.signature))
		d.out.Release(len(c.signature))
	}
	d.stopOpen(c)
	d.out.Release(len(c.start) + len(c.input))
	*c = block{index: c.index}
}

// words yields text or reasoning, in a hub block of that kind: where a server puts thinking_delta into a block that it has
// opened as text, or the reverse, the upstream's block is split (FAULTS 1).
func (d *decoder) words(c *block, kind ir.BlockKind, text ir.Escaped) {
	if text != "" {
		d.turnTo(c, kind)
		d.out.Text(text)
	}
}

// turnTo opens a hub block of a kind, unless one is open. A text behind something else begins a message, also where the client is not
// shown what that is: texts that follow each other are one, which Claude cuts where a citation begins or ends.
func (d *decoder) turnTo(c *block, kind ir.BlockKind) {
	switch {
	case d.out.Block() == kind:
		return
	case kind == ir.TextBlock && d.apart:
		d.stopOpen(c)
		d.apart = false
		d.out.BeginMessage(kind, "", ir.NoPhase)
	default:
		d.stopOpen(c)
		d.apart = d.apart || kind != ir.TextBlock
		d.out.Begin(kind, "")
	}
}

// stopOpen ends the open hub block, if one is open. The signature goes out last in a block of reasoning (FAULTS 11).
func (d *decoder) stopOpen(c *block) {
	if d.out.Block() == ir.ReasoningBlock && len(c.signature) > 0 {
		d.out.Sign(jsonw.View(c.signature), Name)
		c.signature = nil
	}
	d.out.Stop()
}
