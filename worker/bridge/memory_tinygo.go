//go:build tinygo

package bridge

import (
	"runtime"
	_ "unsafe" // for linkname
)

const wasmPage = 64 << 10

//export llvm.wasm.memory.size.i32
func memorySize(index int32) int32

//export llvm.wasm.memory.grow.i32
func memoryGrow(index, pages int32) int32

//go:linkname setHeapEnd runtime.setHeapEnd
func setHeapEnd(end uintptr)

// slack is room for allocations beside the reserved bytes, in bytes.
const slack = 4 << 10

// Reserve makes room for n bytes of heap in one growth. Without Reserve the memory grows in steps
// (toolchain/bootstrap.sh) until the bytes fit, or doubles with a release of TinyGo. If the memory
// can't grow, the next allocation reports the failure.
func Reserve(n int) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	missing := n - int(m.Sys-m.HeapInuse)
	if missing <= 0 {
		return
	}
	missing += slack
	if memoryGrow(0, int32((missing+wasmPage-1)/wasmPage)) >= 0 {
		setHeapEnd(uintptr(memorySize(0)) * wasmPage)
	}
}
