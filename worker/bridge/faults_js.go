//go:build js && wasm && faults

package bridge

import (
	"runtime"
	"syscall/js"
	"unsafe"
)

// FaultOfMemory makes the program run out of memory. The memory first grows to its limit, unused.
func (Host) FaultOfMemory() {
	for pages := int32(1 << 10); pages > 0; {
		if memoryGrow(0, pages) < 0 {
			pages /= 2
		}
	}
	runtime.KeepAlive(make([]byte, 64<<20)) // the compiler leaves out an allocation that nothing reads
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
