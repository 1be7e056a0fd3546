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
	// any other block: its start holds all of it, or it is lost. The deltas of a lost block are
	// ignored
	wholeForm
)

// block is a content block of the upstream. It may become several blocks of the hub, or none.
type block struct {
	form form
	// kept of content_block_start: of a serverForm and a hostedForm all of the block, of a call or
	// a search the input
	start ir.Raw
	// of a serverForm, a hostedForm or a search: the input that came in deltas, as the inside of a
	// JSON string. Of a summary its text
	input     []byte
	streamed  bool   // of a call: arguments have come in deltas
	signature []byte // of thinking, as far as it has not gone out. Of a summary its encrypted_content
}

// OpenBlock adds block n and reads its start.
func (d *decoder) OpenBlock(n int, start ir.Raw) {
	d.blocks = append(d.blocks, block{})
	d.openBlock(&d.blocks[n], n, start)
}

// ReadDelta reads a delta of block n.
func (d *decoder) ReadDelta(n int, delta *jsonr.Reader) { d.delta(&d.blocks[n], delta) }

// EndBlock yields what is known of block n only at its end, and frees its memory. A server that
// does not stream the arguments of a call has them in the start of the call.
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

// words yields text or reasoning, in a hub block of that kind: where a server puts thinking_delta
// into a block that it has opened as text, or the reverse, the upstream's block is split (FAULTS
// 1).
func (d *decoder) words(c *block, kind ir.BlockKind, text ir.Escaped) {
	if text != "" {
		d.turnTo(c, kind)
		d.out.Text(text)
	}
}

// turnTo opens a hub block of a kind, unless one is open. A text behind something else begins a
// message, also where the client is not shown what that is: texts that follow each other are one,
// which Claude cuts where a citation begins or ends.
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

// stopOpen ends the open hub block, if one is open. The signature goes out last in a block of
// reasoning (FAULTS 11).
func (d *decoder) stopOpen(c *block) {
	if d.out.Block() == ir.ReasoningBlock && len(c.signature) > 0 {
		d.out.Sign(jsonw.View(c.signature), Name)
		c.signature = nil
	}
	d.out.Stop()
}
