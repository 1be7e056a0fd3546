//go:build js && wasm && faults

package bridge

import "unsafe"

// PushesToFault is the number of the next push that panics, counted from 1; 0: none does.
var PushesToFault int

func faultAtPush() {
	PushesToFault--
	if PushesToFault == 0 {
		panic("a fault at a push, as asked")
	}
}

// FaultAtEnd makes the program panic in stream_end, before an answer is stored.
var FaultAtEnd bool

func faultAtEnd() {
	if FaultAtEnd {
		panic("a fault at the end, as asked")
	}
}

// Memory returns all memory that the program has used so far, from its first byte to the end of the heap, which grows upwards and is
// last.
func Memory() []byte {
	top := uintptr(unsafe.Pointer(new([64]byte)))
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), 1)), top-1)
}
