package events

import (
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
)

// answer is a decoder without input: its blocks are texts with the block's number.
type answer struct {
	out     Queue
	events  *irtest.Recorder
	blocked map[int]bool // the blocks that may not begin
}

func newAnswer(t *testing.T) *answer {
	a := &answer{events: irtest.Record(t), blocked: map[int]bool{}}
	a.out.Init(a.events, a, "too much")
	a.out.Start("id", "model", 0, ir.NoUsage)
	return a
}

// texts returns the text of each block that has ended.
func (a *answer) texts() (list []string) {
	for _, b := range a.events.Blocks() {
		if b.Stop.Kind == ir.BlockStop {
			list = append(list, string(b.Text()))
		}
	}
	return list
}

func (a *answer) MayBegin(n int) bool { return !a.blocked[n] }

func (a *answer) BeginSlot(n int, text ir.Escaped, pieces []string) {
	a.out.Begin(ir.TextBlock, "")
	a.out.Text(text)
	for _, piece := range pieces {
		a.out.Text(ir.Escaped(piece))
	}
}

func (a *answer) EndSlot(int) { a.out.Stop() }

// say adds a text to block n.
func (a *answer) say(n int, text string) {
	if a.out.IsCurrent(n) {
		a.out.Text(ir.Escaped(text))
	} else {
		a.out.Buffer(n, ir.Escaped(text))
	}
}

// TestAnyOrder begins, fills, unblocks and completes blocks in any order: each is emitted whole and
// in order, and the buffer is empty at the end.
func TestAnyOrder(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		a := newAnswer(t)
		var order []int      // the numbers, in the expected order
		var want [100]string // the expected texts
		for range 60 {
			n := -1
			if len(order) > 0 {
				n = order[random.Intn(len(order))]
			}
			switch what := random.Intn(8); {
			case n < 0 || what == 0:
				m := a.out.Add()
				a.blocked[m] = random.Intn(3) == 0
				order = append(order, m)
			case what == 1 && !a.out.IsCurrent(n) && !a.out.HasEnded(n): // else n is open already
				m := a.out.Insert(n)
				for i := range order {
					if order[i] == n {
						order = append(order[:i:i], append([]int{m}, order[i:]...)...)
						break
					}
				}
			case what == 2:
				a.out.Complete(n)
			case what == 3:
				delete(a.blocked, n)
			case !a.out.HasEnded(n):
				text := strconv.Itoa(n) + "."
				want[n] += text
				a.say(n, text)
			}
			if random.Intn(3) > 0 {
				a.out.Advance()
			}
		}
		a.blocked = nil
		a.out.CompleteAll()
		a.out.Finish(ir.EndTurn, "", ir.NoUsage)
		a.events.RequireEnd()
		require.Nil(t, a.events.Failure())
		require.Zero(t, a.out.Buffered())
		texts := a.texts()
		require.Len(t, texts, len(order))
		for i, n := range order {
			require.Equal(t, want[n], texts[i])
		}
	}
}

// TestInsertBeforeTheTurn: the current block, if it has not yielded anything, waits again for a
// block inserted before it.
func TestInsertBeforeTheTurn(t *testing.T) {
	var q Queue
	q.Init(irtest.Discard, &silent{}, "too much")
	end := q.Add()
	q.Advance()
	require.True(t, q.IsCurrent(end))
	part := q.Insert(end)
	require.False(t, q.IsCurrent(end))
	q.Advance()
	require.True(t, q.IsCurrent(part))
	require.False(t, q.IsCurrent(end))
	q.Complete(part)
	q.Advance()
	require.True(t, q.HasEnded(part))
	require.True(t, q.IsCurrent(end))
}

// silent is the decoder of blocks without content.
type silent struct{}

func (*silent) MayBegin(int) bool                   { return true }
func (*silent) BeginSlot(int, ir.Escaped, []string) {}
func (*silent) EndSlot(int)                         {}

// TestBounds: too many blocks or buffered bytes end the answer; no event follows.
func TestBounds(t *testing.T) {
	a := newAnswer(t)
	for range ir.MaxBlocks {
		n := a.out.Add()
		require.LessOrEqual(t, 0, a.out.Insert(n), "the first before another one is not counted")
	}
	require.Equal(t, -1, a.out.Insert(0), "the second is")
	require.Contains(t, a.events.Failure().Message, "more than 1024 blocks")
	require.Equal(t, -1, a.out.Add())

	a = newAnswer(t)
	a.out.Add()
	later := a.out.Add()
	a.out.Advance()
	big := strings.Repeat("x", ir.MaxBuffered/2)
	a.say(later, big)
	a.say(later, big)
	require.Nil(t, a.events.Failure())
	a.say(later, "x")
	require.Contains(t, a.events.Failure().Message, "too much")
	a.out.CompleteAll()
	a.out.Finish(ir.EndTurn, "", ir.NoUsage)
	require.Empty(t, a.texts(), "the first was open when the answer failed")

	a = newAnswer(t)
	a.out.Add()
	later = a.out.Add()
	for range ir.MaxBuffered/pieceCost + 1 {
		a.out.BufferPiece(later, "")
	}
	require.NotNil(t, a.events.Failure(), "empty pieces take room too")
}

// TestCallIDs: a second call with the same id gets a different id, and a call without an id gets
// one derived from the answer's.
func TestCallIDs(t *testing.T) {
	a := newAnswer(t)
	var first, second, third Call
	a.out.GiveID(&first, "a", 1)
	a.out.GiveID(&second, "a", 2)
	a.out.MakeID(&third, "chatcmpl.1", 32, 3)
	require.Equal(t, []string{"a", "a_2", "call_" + string(ir.Identifier("chatcmpl.1", 32)) + "_3"},
		[]string{string(first.ID), string(second.ID), string(third.ID)})
	require.True(t, second.IsGiven("a"), "the upstream goes on calling it so")
	require.False(t, second.Known())
	second.Name = []byte("f")
	require.True(t, second.Known())
}
