package events

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// pieceCost is the memory for a buffered piece in addition to its bytes.
const pieceCost = 32

// Queue puts the blocks of an answer in sequence, in the order of their starts: clients accept one
// block at a time, and upstreams send several at once. Each block has a slot in this order. Content
// of the current block is emitted at once. Content of later blocks is buffered, at most ir.MaxBuffered
// bytes for all of them. A slot ends when its block is complete.
//
// The queue identifies blocks only by number and does not read buffered content. The decoder
// chooses the form: text or whole pieces of JSON. No memory is allocated for content emitted at
// once.
type Queue struct {
	Writer
	blocks   Blocks
	tooMuch  string
	list     []queued
	order    []int        // the numbers of the blocks, in the order of their slots
	front    int          // the index in order of the current block; len(order) if there is none
	count    int          // the number of blocks, as counted by Insert
	buffered int          // bytes
	callIDs  []ir.Escaped // the ids of all calls
}

// Blocks is the interface of a decoder for its queue.
type Blocks interface {
	// MayBegin reports whether the slot of block n may begin: a call's slot must wait for the
	// call's name. If the result is false, the queue calls MayBegin again in each Advance.
	MayBegin(n int) bool

	// BeginSlot yields the buffered content of block n: its text, then the pieces one by one.
	BeginSlot(n int, text ir.Escaped, pieces []string)

	// EndSlot yields the parts of block n known only at its end, and ends the block.
	EndSlot(n int)
}

// queued is the queue's state of a block.
type queued struct {
	slot     slot
	complete bool // nothing more follows
	preceded bool // a block was inserted before this one
	text     []byte
	pieces   []string
}

// slot is the state of a block's slot.
type slot uint8

const (
	waiting  slot = iota // content of the block is buffered
	current              // content of the block is emitted at once
	finished             // the block has ended
)

// Init prepares the queue for one answer. If more than ir.MaxBuffered bytes would be buffered, Buffer
// and BufferPiece fail the answer with failure.Unreadable(tooMuch).
func (q *Queue) Init(sink ir.Sink, blocks Blocks, tooMuch string) {
	q.sink, q.blocks, q.tooMuch = sink, blocks, tooMuch
}

// Add appends a block and returns its number, counted from 0, or -1 after a failure. The block's
// slot begins in Advance.
func (q *Queue) Add() int {
	if q.Ended() || !q.Count() {
		return -1
	}
	q.list = append(q.list, queued{})
	q.order = append(q.order, len(q.list)-1)
	return len(q.list) - 1
}

// Insert inserts a block directly before a block that has not yielded anything, and returns its
// number, or -1 after a failure. A block and the first block inserted before it count as one block
// of ir.MaxBlocks; each further one counts separately.
func (q *Queue) Insert(before int) int {
	b := &q.list[before]
	if q.Ended() || b.preceded && !q.Count() {
		return -1
	}
	b.preceded, b.slot = true, waiting
	q.list = append(q.list, queued{})
	q.order = append(q.order, before)
	i := len(q.order) - 1
	for ; q.order[i-1] != before; i-- {
		q.order[i] = q.order[i-1]
	}
	q.order[i], q.order[i-1] = before, len(q.list)-1
	return len(q.list) - 1
}

// Count counts one more block. If there are more than ir.MaxBlocks, Count fails the answer and
// returns false.
func (q *Queue) Count() bool {
	if q.count++; q.count > ir.MaxBlocks {
		q.Fail(failure.TooManyBlocks())
		return false
	}
	return true
}

// IsCurrent reports whether content of block n is emitted at once.
func (q *Queue) IsCurrent(n int) bool { return q.list[n].slot == current }

// HasEnded reports whether the slot of block n has ended: nothing can be added to the block.
func (q *Queue) HasEnded(n int) bool { return q.list[n].slot == finished }

// IsComplete reports whether Complete was called for block n.
func (q *Queue) IsComplete(n int) bool { return q.list[n].complete }

// Buffer buffers text of block n until its slot begins.
func (q *Queue) Buffer(n int, text ir.Escaped) {
	if q.Reserve(len(text), q.tooMuch) {
		q.list[n].text = append(q.list[n].text, text...)
	}
}

// BufferPiece buffers a copy of any other content of block n until its slot begins.
func (q *Queue) BufferPiece(n int, piece string) {
	if q.Reserve(len(piece)+pieceCost, q.tooMuch) {
		q.list[n].pieces = append(q.list[n].pieces, strings.Clone(piece))
	}
}

// Reserve counts bytes buffered by the decoder itself, until Release. If the decoder and the queue
// together would buffer more than ir.MaxBuffered bytes, Reserve fails the answer with
// failure.Unreadable(what) and returns false.
func (q *Queue) Reserve(bytes int, what string) bool {
	if q.buffered+bytes > ir.MaxBuffered {
		q.Fail(failure.Unreadable(what))
		return false
	}
	q.buffered += bytes
	return true
}

// Release counts bytes that the decoder has freed.
func (q *Queue) Release(bytes int) { q.buffered -= bytes }

// Buffered returns the number of buffered bytes, of decoder and queue together.
func (q *Queue) Buffered() int { return q.buffered }

// Complete marks block n as complete. The block's slot ends in Advance.
func (q *Queue) Complete(n int) { q.list[n].complete = true }

// CompleteAll marks all blocks as complete, and ends their slots.
func (q *Queue) CompleteAll() {
	for n := range q.list {
		q.Complete(n)
	}
	q.Advance()
}

// Advance ends the current slot if its block is complete and begins the next slot, as often as
// possible.
func (q *Queue) Advance() {
	for q.front < len(q.order) && !q.Ended() {
		n := q.order[q.front]
		b := &q.list[n]
		switch {
		case b.slot == waiting && q.blocks.MayBegin(n):
			text, pieces := b.text, b.pieces
			b.slot, b.text, b.pieces = current, nil, nil
			q.buffered -= len(text)
			for _, piece := range pieces {
				q.buffered -= len(piece) + pieceCost
			}
			q.blocks.BeginSlot(n, jsonw.View(text), pieces)
		case b.slot == current && b.complete:
			b.slot = finished
			q.front++
			q.blocks.EndSlot(n)
		default:
			return
		}
	}
}
