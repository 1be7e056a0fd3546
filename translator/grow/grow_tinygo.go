//go:build tinygo

// Package grow makes room in a buffer that gets longer with a whole answer.
package grow

import "unsafe"

// step is what a buffer grows by, as a part of its size: 1/step. align is what the heap aligns
// pieces to: the end of a piece of other sizes is not the beginning of the next.
const (
	step  = 8
	align = 16
)

// Room returns b with room for n more bytes. The module's heap only grows, and what a buffer that
// was copied leaves behind is lost. Where the next piece of heap stands right behind b, as it does
// where b was the last to grow, b becomes longer in its place.
func Room(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	more := aligned(max(n-(cap(b)-len(b)), cap(b)/step, 1<<10))
	behind := make([]byte, more)
	if cap(b) > 0 && unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)),
		cap(b)) == unsafe.Pointer(unsafe.SliceData(behind)) {
		return unsafe.Slice(unsafe.SliceData(b), cap(b)+cap(behind))[:len(b)]
	}
	if cap(behind)-len(b) < n { // the new piece becomes the beginning of the whole
		behind = make([]byte, aligned(len(b)+more))
	}
	return behind[:copy(behind, b)]
}

func aligned(n int) int { return (n + align - 1) &^ (align - 1) }
