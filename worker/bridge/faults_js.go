//go:build js && wasm && faults

package bridge

import (
	"syscall/js"
	"unsafe"
)

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
