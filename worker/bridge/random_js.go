//go:build js && wasm

package bridge

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(at unsafe.Pointer, n int32) int32

func (Host) Random() string {
	return Letters(func(b []byte) {
		if randomGet(unsafe.Pointer(unsafe.SliceData(b)), int32(len(b))) != 0 {
			panic("there are no random bytes")
		}
	})
}
