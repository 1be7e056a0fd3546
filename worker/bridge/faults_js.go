//go:build js && wasm && faults

package bridge

import (
	"syscall/js"
	"unsafe"
)

// pushToFault counts down to the push that panics; 0: no push panics. endFaults makes stream_end
// panic.
var (
	pushToFault int
	endFaults   bool
)

// FaultAtPush makes the program panic in its push number n from now on, counted from 1.
func (Host) FaultAtPush(n int) { pushToFault = n }

// FaultAtEnd makes the program panic in stream_end, before an answer is stored.
func (Host) FaultAtEnd() { endFaults = true }

func faultAtPush() {
	pushToFault--
	if pushToFault == 0 {
		panic("a fault at a push, as asked")
	}
}

func faultAtEnd() {
	if endFaults {
		panic("a fault at the end, as asked")
	}
}

// Env reports whether context.env has a variable of this name. context.env is expected to be empty.
func (Host) Env(name string) bool {
	return !js.Global().Get("context").Get("env").Get(name).IsUndefined()
}

// Memory returns all memory that the program has used so far, from its first byte to the end of the
// heap. The heap grows upwards and is last.
func (Host) Memory() []byte {
	top := uintptr(unsafe.Pointer(new([64]byte)))
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), 1)), top-1)
}
