package events

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// pieceCost is what a held piece takes beside its bytes.
const pieceCost = 32

// Queue puts the blocks of an answer behind each other, in the order in which they began: clients
// take one block at a time, and upstreams send several at once. What comes for the block whose turn
// it is goes out at once. What comes for a later one is held, at most ir.MaxHeld bytes for all of
// them. A turn ends when the block is complete.
//
// The queue knows blocks by number only and does not read what it holds: each decoder holds what it
// can take later, text or whole pieces of JSON. Nothing is allocated for what goes out at once.
type Queue struct {
	Writer
	blocks  Blocks
	tooMuch string
	list    []queued
	order   []int        // the numbers of the blocks, in the order of their turns
	front   int          // the place in order of the block whose turn it is; len(order) where there is none
	count   int          // how many blocks there are, as Insert counts them
	held    int          // bytes
	callIDs []ir.Escaped // the ids of all calls
}

// Blocks is a decoder, as its queue calls it.
type Blocks interface {
	// MayBegin reports whether the turn of block n may begin: that of a call can't before its name
	// has come. Where it may not the queue asks again in each Advance.
	MayBegin(n int) bool

	// BeginTurn yields what was held of block n: its text, and behind it the pieces one by one.
	BeginTurn(n int, text ir.Escaped, pieces []string)

	// EndTurn yields what is known of block n only now that it is complete, and ends it.
	EndTurn(n int)
}

// queued is what the queue knows of a block.
type queued struct {
	turn     turn
	complete bool // nothing more comes for it
	leads    bool // a block has been inserted before it
	text     []byte
	pieces   []string
}

// turn is how far a block is.
type turn uint8

const (
	waiting turn = iota // what comes for the block is held
	having              // what comes for the block goes out
	over                // the block has ended
)

// Init makes the queue ready for one answer. tooMuch is what Hold and HoldPiece give to
// failure.Unreadable where more than ir.MaxHeld bytes would be held.
func (q *Queue) Init(sink ir.Sink, blocks Blocks, tooMuch string) {
	q.sink, q.blocks, q.tooMuch = sink, blocks, tooMuch
}

// Add puts a block at the end and returns its number, which counts from 0; -1 after a failure. Its
// turn begins in Advance.
func (q *Queue) Add() int {
	if q.Ended() || !q.Count() {
		return -1
	}
	q.list = append(q.list, queued{})
	q.order = append(q.order, len(q.list)-1)
	return len(q.list) - 1
}

// Insert puts a block right before one that has not yielded anything, and returns its number; -1
// after a failure. A block and the first one inserted before it count as one towards ir.MaxBlocks,
// further ones by themselves.
func (q *Queue) Insert(before int) int {
	b := &q.list[before]
	if q.Ended() || b.leads && !q.Count() {
		return -1
	}
	b.leads, b.turn = true, waiting
	q.list = append(q.list, queued{})
	q.order = append(q.order, before)
	i := len(q.order) - 1
	for ; q.order[i-1] != before; i-- {
		q.order[i] = q.order[i-1]
	}
	q.order[i], q.order[i-1] = before, len(q.list)-1
	return len(q.list) - 1
}

// Count counts one more block. It is false, and the answer has failed, where there are more than
// ir.MaxBlocks.
func (q *Queue) Count() bool {
	if q.count++; q.count > ir.MaxBlocks {
		q.Fail(failure.TooManyBlocks())
		return false
	}
	return true
}

// HasTurn reports whether what comes for block n goes out at once.
func (q *Queue) HasTurn(n int) bool { return q.list[n].turn == having }

// IsOver reports whether the turn of block n has ended: nothing can be added to it.
func (q *Queue) IsOver(n int) bool { return q.list[n].turn == over }

// IsComplete reports whether Complete was called for block n.
func (q *Queue) IsComplete(n int) bool { return q.list[n].complete }

// Hold keeps text of block n until its turn.
func (q *Queue) Hold(n int, text ir.Escaped) {
	if q.Keep(len(text), q.tooMuch) {
		q.list[n].text = append(q.list[n].text, text...)
	}
}

// HoldPiece keeps a copy of something else of block n until its turn.
func (q *Queue) HoldPiece(n int, piece string) {
	if q.Keep(len(piece)+pieceCost, q.tooMuch) {
		q.list[n].pieces = append(q.list[n].pieces, strings.Clone(piece))
	}
}

// Keep counts bytes that the decoder keeps itself, until Release. It is false, and the answer has
// failed with failure.Unreadable(what), where more than ir.MaxHeld are kept and held together.
func (q *Queue) Keep(bytes int, what string) bool {
	if q.held+bytes > ir.MaxHeld {
		q.Fail(failure.Unreadable(what))
		return false
	}
	q.held += bytes
	return true
}

// Release counts bytes that the decoder no longer keeps.
func (q *Queue) Release(bytes int) { q.held -= bytes }

// Held returns how many bytes are kept and held.
func (q *Queue) Held() int { return q.held }

// Complete says that nothing more comes for block n. The block's turn ends in Advance.
func (q *Queue) Complete(n int) { q.list[n].complete = true }

// CompleteAll says so of all blocks, and ends their turns.
func (q *Queue) CompleteAll() {
	for n := range q.list {
		q.Complete(n)
	}
	q.Advance()
}

// Advance ends the turn of a block that is complete and begins that of the next one, as often as it
// may.
func (q *Queue) Advance() {
	for q.front < len(q.order) && !q.Ended() {
		n := q.order[q.front]
		b := &q.list[n]
		switch {
		case b.turn == waiting && q.blocks.MayBegin(n):
			text, pieces := b.text, b.pieces
			b.turn, b.text, b.pieces = having, nil, nil
			q.held -= len(text)
			for _, piece := range pieces {
				q.held -= len(piece) + pieceCost
			}
			q.blocks.BeginTurn(n, jsonw.View(text), pieces)
		case b.turn == having && b.complete:
			b.turn = over
			q.front++
			q.blocks.EndTurn(n)
		default:
			return
		}
	}
}
