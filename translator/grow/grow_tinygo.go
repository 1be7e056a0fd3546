//go:build tinygo

// Package grow makes room in a buffer that collects a whole answer.
package grow

import "unsafe"

// A buffer grows by at least 1/step of its capacity. align is the alignment of heap allocations:
// only after an allocation whose size is a multiple of align can the next allocation follow
// directly.
const (
	step  = 8
	align = 16
)

// Room returns b with spare capacity for at least n more bytes. The result may be a copy: the
// caller must no longer use b. The module's heap only grows, and the memory of a copied buffer is
// lost. If the next heap allocation directly follows b, for example because b was the last buffer
// to grow, Room extends b without a copy.
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
	if cap(behind)-len(b) < n { // b could not be extended, so the new allocation must hold everything
		behind = make([]byte, aligned(len(b)+more))
	}
	return behind[:copy(behind, b)]
}

func aligned(n int) int { return (n + align - 1) &^ (align - 1) }
