package events

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Indexed is a Queue for upstreams that number the blocks of an answer: each event has the index of
// its block. A decoder passes the events in the upstream's order. Indexed finds the block of each
// event, buffers the events of blocks whose slot has not begun, and gives the decoder the start,
// the deltas and the end of one block before the next block's.
//
// Upstreams omit events. The start of a block ends the open block with the same index, and the
// first delta of a block may replace the start. No memory is allocated for a delta of the current
// block.
type Indexed struct {
	Queue
	indexes []int64 // of the blocks; -1 for none
	missing ir.Raw
	delta   jsonr.Reader // the decoder's current delta
	held    bool         // see Hold
	decoder IndexedBlocks
}

// IndexedBlocks is a decoder of indexed blocks. n is the number of a block in the Queue. The start and
// the deltas are valid only during the call.
type IndexedBlocks interface {
	// OpenBlock reads the start of block n. The first call has the number 0, the next 1.
	OpenBlock(n int, start ir.Raw)

	// ReadDelta reads a delta of block n.
	ReadDelta(n int, delta *jsonr.Reader)

	// EndBlock yields the parts of block n known only at its end, and ends the block.
	EndBlock(n int)
}

// Init prepares q for one answer. missing replaces a missing start of a block. If more than
// ir.MaxBuffered bytes must be buffered, the answer fails, with tooMuch in the message.
func (q *Indexed) Init(sink ir.Sink, decoder IndexedBlocks, missing ir.Raw, tooMuch string) {
	q.decoder, q.missing = decoder, missing
	q.Queue.Init(sink, (*indexedSlots)(q), tooMuch)
}

// Len returns the number of blocks so far, including those with a slot that has not begun.
func (q *Indexed) Len() int { return len(q.indexes) }

// BlockStart adds a block, and ends the open block with the same index. index is -1 for none.
// BlockStart returns the number of the block, or -1 after a failure.
func (q *Indexed) BlockStart(index int64, start ir.Raw) int {
	if index >= 0 {
		q.BlockStop(index)
	}
	n := q.Add()
	if n < 0 {
		return -1
	}
	q.indexes = append(q.indexes, index)
	if q.Advance(); q.IsCurrent(n) {
		q.decoder.OpenBlock(n, start)
	} else {
		q.BufferPiece(n, string(start))
	}
	return n
}

// BlockDelta adds a delta to the last open block with an index, or to the last open block if index
// is -1. If there is no such block, one begins. The reader moves past the delta only if the delta
// is buffered.
func (q *Indexed) BlockDelta(index int64, delta *jsonr.Reader) {
	n := q.find(index)
	if n < 0 {
		n = q.BlockStart(index, q.missing)
	}
	switch {
	case n < 0:
	case q.IsCurrent(n):
		q.delta = *delta
		q.decoder.ReadDelta(n, &q.delta)
	default:
		q.BufferPiece(n, string(delta.Value()))
	}
}

// BlockStop completes the last open block with an index, or the last open block if index is -1.
func (q *Indexed) BlockStop(index int64) {
	if n := q.find(index); n >= 0 {
		q.Complete(n)
		q.Advance()
	}
}

// Hold makes all blocks wait whose slot has not begun, until Hold is called with false.
func (q *Indexed) Hold(held bool) {
	if q.held = held; !held {
		q.Advance()
	}
}

// find returns the number of the last open block with an index, or of the last open block if index
// is -1. If there is none, find returns -1.
func (q *Indexed) find(index int64) int {
	for n := len(q.indexes) - 1; n >= 0; n-- {
		if !q.IsComplete(n) && (index < 0 || q.indexes[n] == index) {
			return n
		}
	}
	return -1
}

// indexedSlots implements Blocks. The buffered pieces of a block are its start, then its deltas.
type indexedSlots Indexed

func (q *indexedSlots) MayBegin(int) bool { return !q.held }

func (q *indexedSlots) BeginSlot(n int, _ ir.Escaped, pieces []string) {
	for i, piece := range pieces {
		switch {
		case q.Ended():
			return
		case i == 0:
			q.decoder.OpenBlock(n, ir.Raw(piece))
		default:
			q.delta = jsonr.NewReader(piece)
			q.decoder.ReadDelta(n, &q.delta)
		}
	}
}

func (q *indexedSlots) EndSlot(n int) { q.decoder.EndBlock(n) }
