package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// form groups the types of blocks by their possible deltas.
type form uint8

const (
	wordsForm  form = iota + 1 // text or thinking: each delta has a type
	callForm                   // tool_use
	searchForm                 // server_tool_use of web_search, if the client's API has a form for searches
	// a call that ran at the upstream, if the client's API has a form for such calls
	hostedForm
	programForm // server_tool_use of code_execution, for a client of another API with programs
	summaryForm // compaction, for a client of this API
	serverForm  // any other tool of the upstream, for a client of this API
	// any other block: the start is the whole block, or the block is lost. The deltas of a lost
	// block are ignored
	wholeForm
)

// block is a content block of the upstream. A block becomes any number of hub blocks.
type block struct {
	form form
	// a copy of content_block_start: the whole block of a serverForm or a hostedForm, the input of
	// a call or a search
	start ir.Raw
	// of a serverForm, a hostedForm or a search: the input from the deltas, as the inside of a JSON
	// string. Of a summary: its text
	input     []byte
	streamed  bool   // of a call: arguments have come in deltas
	signature []byte // of thinking: the signature, until it is yielded. Of a summary: its encrypted_content
}

// OpenBlock adds block n and reads its start.
func (d *decoder) OpenBlock(n int, start ir.Raw) {
	d.blocks = append(d.blocks, block{})
	d.openBlock(&d.blocks[n], n, start)
}

// ReadDelta reads a delta of block n.
func (d *decoder) ReadDelta(n int, delta *jsonr.Reader) { d.delta(&d.blocks[n], delta) }

// EndBlock yields the parts of block n that are known only at the end, and frees the block's
// memory. A server that does not stream the arguments of a call sends them in the call's start.
//
//go:noinline
func (d *decoder) EndBlock(n int) {
	c := &d.blocks[n]
	switch c.form {
	case wordsForm:
		if len(c.signature) > 0 {
			d.turnTo(c, ir.ReasoningBlock)
		}
	case callForm:
		if !c.streamed && c.start != "" {
			d.out.Text(jsonw.View(jsonw.AppendQuotedRaw(make([]byte, 0, len(c.start)+len(c.start)/8),
				c.start)))
		}
	case searchForm:
		d.closeSearch(c)
	case hostedForm:
		d.closeHosted(c)
	case programForm:
		d.closeProgram(c)
	case serverForm:
		d.out.Opaque("", c.raw())
	case summaryForm:
		d.out.Summary(jsonw.View(c.input), jsonw.View(c.signature))
		d.out.Release(len(c.signature))
	}
	d.stopOpen(c)
	d.out.Release(len(c.start) + len(c.input))
	*c = block{}
}

// words yields text or reasoning, in a hub block of the same kind. If a server opens a block as
// text and sends thinking_delta, or the reverse, words splits the upstream's block (FAULTS 1).
func (d *decoder) words(c *block, kind ir.BlockKind, text ir.Escaped) {
	if text != "" {
		d.turnTo(c, kind)
		d.out.Text(text)
	}
}

// turnTo opens a hub block of a kind, unless one is open. A text after a block of another kind
// begins a new message, even if the client's API has no form for the other block. Texts in a row
// are one message: Claude splits a text where a citation begins or ends.
func (d *decoder) turnTo(c *block, kind ir.BlockKind) {
	switch {
	case d.out.Block() == kind:
		return
	case kind == ir.TextBlock && d.interrupted:
		d.stopOpen(c)
		d.interrupted = false
		d.out.BeginMessage(kind, "", ir.NoPhase)
	default:
		d.stopOpen(c)
		d.interrupted = d.interrupted || kind != ir.TextBlock
		d.out.Begin(kind, "")
	}
}

// stopOpen ends the open hub block, if one is open. In a block of reasoning the signature comes
// last (FAULTS 11).
func (d *decoder) stopOpen(c *block) {
	if d.out.Block() == ir.ReasoningBlock && len(c.signature) > 0 {
		d.out.Sign(jsonw.View(c.signature), Name)
		c.signature = nil
	}
	d.out.Stop()
}
