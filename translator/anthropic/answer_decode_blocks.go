package anthropic

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// heldEvent is what an event takes that is held, in bytes, beside its text.
const heldEvent = 32

// form is what the upstream calls a block, as far as it makes a difference to its deltas.
type form uint8

const (
	wordsForm  form = iota + 1 // text or thinking: each delta says which
	callForm                   // tool_use
	searchForm                 // server_tool_use of web_search
	serverForm                 // server_tool_use of anything else
	wholeForm                  // all that it holds was in its start, or it is passed over
)

// block is one content block. The upstream may mix the events of several: those of the first go out as they come, those of
// later ones are held until it is complete.
type block struct {
	index     int64
	form      form
	stopped   bool
	input     ir.Raw // of a tool, as it stood in the block's start
	whole     ir.Raw // of a server tool: the block as it started
	gathered  []byte // of a server tool: its input, escaped
	signature []byte // of thinking
	begun     bool   // of a call: arguments have come
	waiting   []string
}

// blockStart takes content_block_start. It ends an open block with the same index, whose end is missing.
func (d *decoder) blockStart(index int64, v ir.Raw) {
	if d.ended {
		return
	}
	if n := d.find(index); n >= 0 && index >= 0 {
		d.stopBlock(n)
	}
	if n := d.begin(index); n == d.front {
		d.openBlock(v)
	} else if n > d.front {
		d.wait(n, v)
	}
}

// blockDelta takes content_block_delta. Text and thinking whose start is missing begin a block.
func (d *decoder) blockDelta(index int64, delta *jsonr.Reader) {
	if d.ended {
		return
	}
	n := d.find(index)
	if n < 0 {
		if n = d.begin(index); n < 0 {
			return
		}
		const start = `{"type":"text"}`
		if n == d.front {
			d.openBlock(start)
		} else {
			d.wait(n, start)
		}
	}
	if n == d.front {
		d.delta(delta)
	} else {
		d.wait(n, delta.Value())
	}
}

// blockStop takes content_block_stop.
func (d *decoder) blockStop(index int64) {
	if n := d.find(index); n >= 0 {
		d.stopBlock(n)
	}
}

// stopBlock ends block n, and goes on with those that have waited for it.
func (d *decoder) stopBlock(n int) {
	d.list[n].stopped = true
	for d.front < len(d.list) && d.list[d.front].stopped && !d.ended {
		d.next()
	}
}

// next closes the block whose turn it is and opens the one behind it, with what has come of that.
func (d *decoder) next() {
	d.closeBlock()
	d.front++
	if d.front == len(d.list) || d.ended {
		return
	}
	waiting := d.list[d.front].waiting
	d.list[d.front].waiting = nil
	for i, v := range waiting {
		d.held -= len(v) + heldEvent
		if i == 0 {
			d.openBlock(ir.Raw(v))
		} else {
			delta := jsonr.NewReader(v)
			d.delta(&delta)
		}
		if d.ended {
			return
		}
	}
}

// find returns the block with an index that has not ended, -1 where there is none; for -1 the last one.
func (d *decoder) find(index int64) int {
	for n := len(d.list) - 1; n >= d.front; n-- {
		if c := &d.list[n]; !c.stopped && (index < 0 || c.index == index) {
			return n
		}
	}
	return -1
}

// begin puts a block at the end and returns its place, -1 after a failure.
func (d *decoder) begin(index int64) int {
	if d.ended {
		return -1
	}
	if len(d.list) == ir.MaxBlocks {
		d.fail(failure.TooManyBlocks())
		return -1
	}
	d.list = append(d.list, block{index: index})
	return len(d.list) - 1
}

// wait holds an event of block n until its turn.
func (d *decoder) wait(n int, v ir.Raw) {
	if d.holds(len(v) + heldEvent) {
		d.list[n].waiting = append(d.list[n].waiting, strings.Clone(string(v)))
	}
}

// holds counts n bytes that are to be kept; it is false, and the answer has failed, where they are too many.
func (d *decoder) holds(n int) bool {
	if d.held+n > ir.MaxHeld {
		d.fail(failure.Unreadable("blocks of more than 8 MB that have to be held"))
		return false
	}
	d.held += n
	return true
}
