//go:build js && wasm && faults

package bridge

import "unsafe"

// PushesToFault counts down with each push; the one that finds it at 1 panics. 0: none does.
var PushesToFault int

func faultAtPush() {
	PushesToFault--
	if PushesToFault == 0 {
		panic("a fault at a push, as asked")
	}
}

// FaultAtEnd makes the program panic where a stream's end is to be stored.
var FaultAtEnd bool

func faultAtEnd() {
	if FaultAtEnd {
		panic("a fault at the end, as asked")
	}
}

// Memory returns all memory that the program has used so far: its heap grows upwards, and comes last.
func Memory() []byte {
	top := uintptr(unsafe.Pointer(new([64]byte)))
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), 1)), top-1)
}
