package chat

import (
	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// block is a content block of the answer. Deltas of this API name no blocks. A block of text,
// reasoning or refusal ends when anything else begins, and so does a call with free text. A
// function call ends when something else has begun and its arguments are a whole JSON object. So
// consecutive calls are streamed, and of calls with interleaved pieces (FAULTS 6) the later calls
// are buffered.
type block struct {
	kind   ir.BlockKind
	hidden bool  // the client's API has no form for it
	index  int64 // of a tool call, -1 if the upstream gave none
	call   events.Call
	// a call in the API's older form, from an endpoint with legacy_functions: the call will get no
	// id from the upstream
	unnamed bool
	argued  uint64    // of a tool call: FNV-1a of the id that came with the first arguments, 0 for none
	args    arguments // of a function
	details *details  // of reasoning: the details that the client must return, nil for none
}

// isCall reports whether the block is a function call or a call with free text.
func (c *block) isCall() bool {
	return c.kind == ir.ToolCallBlock || c.kind == ir.CustomToolCallBlock
}

// add reads a piece of text, reasoning or refusal. The piece continues the last block if both are
// of the same kind, and otherwise begins a block.
func (d *decoder) add(kind ir.BlockKind, text ir.Escaped) {
	n := len(d.blocks) - 1
	if n < 0 || d.blocks[n].kind != kind {
		n = d.begin(block{kind: kind})
	}
	if n >= 0 {
		d.yield(n, text)
	}
}

// begin appends a block and returns its number, -1 after a failure.
func (d *decoder) begin(c block) int {
	d.resume()
	n := d.out.Add()
	if n < 0 {
		return -1
	}
	if !d.request.API.Client.Shows(c.kind) {
		c.hidden = true
		d.lost.Add(lostOfBlock[c.kind])
	}
	d.blocks = append(d.blocks, c)
	if n > 0 {
		d.checkComplete(n - 1)
	}
	d.out.Advance()
	return n
}

// checkComplete marks block n as complete, unless it is a function call whose arguments are not a
// whole object yet. Callers call it once another block has begun after block n.
func (d *decoder) checkComplete(n int) {
	if c := &d.blocks[n]; c.kind != ir.ToolCallBlock || c.args.state == complete {
		d.out.Complete(n)
	}
}

// yield sends text of block n, or buffers the text until the block's slot comes.
func (d *decoder) yield(n int, text ir.Escaped) {
	d.resume()
	switch {
	case d.blocks[n].hidden:
	case d.out.IsCurrent(n):
		if d.blocks[n].kind == ir.TextBlock && !jsonr.IsNothing(d.logprobs) {
			d.out.Logprobs(d.logprobs)
			d.logprobs = ""
		}
		d.out.Text(text)
	default:
		d.out.Buffer(n, text)
	}
}

// resume notes that more of the answer has come, perhaps after finish_reason.
func (d *decoder) resume() {
	if d.progress == stopped {
		d.progress = resumed
	}
}

// MayBegin reports whether block n can be opened: a call needs a name and an id. If the upstream
// has given no id by the end of the answer, MayBegin makes an id. A call without a name (LM Studio
// 0.3.21: lmstudio-ai/lmstudio-bug-tracker#830) is taken for a call of the only tool.
func (d *decoder) MayBegin(n int) bool {
	c := &d.blocks[n]
	switch {
	case !c.isCall() || c.call.Known():
		return true
	case len(c.call.Name) == 0:
		if d.progress != closing {
			return false
		}
		d.lost.Add(lostName)
		if c.call.Name = d.request.OnlyTool(openai.MaxIdentifier); len(c.call.Name) == 0 {
			d.out.Fail(failure.Unreadable("a tool call has no name"))
			return false
		}
		if c.call.Known() {
			return true
		}
	case d.progress != closing && !c.unnamed:
		return false
	}
	d.out.MakeID(&c.call, jsonw.View(d.id), 32, n)
	return true
}

// BeginSlot opens block n and yields its buffered text.
func (d *decoder) BeginSlot(n int, text ir.Escaped, _ []string) {
	c := &d.blocks[n]
	switch {
	case c.hidden:
		return
	case c.isCall():
		d.out.BeginCall(c.kind, "", jsonw.View(c.call.ID), d.names.Restore(jsonw.View(c.call.Name)))
	default:
		d.out.Begin(c.kind, "")
	}
	if text != "" {
		d.out.Text(text)
	}
}

// EndSlot ends block n, with the reasoning details that the client must return.
func (d *decoder) EndSlot(n int) {
	c := &d.blocks[n]
	if c.details != nil && !c.hidden {
		d.out.Sign(c.details.signature(), Name)
	}
	d.out.Stop()
}

// finishBlocks ends all blocks at the end of the answer.
func (d *decoder) finishBlocks() {
	for n := range d.blocks {
		d.settleArguments(n)
	}
	d.progress = closing
	d.out.CompleteAll()
}
