//go:build js && wasm

package bridge

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(at unsafe.Pointer, n int32) int32

// Random returns 43 random letters and digits, which are 256 bits. A double click marks all of them. Go's crypto/rand would add math/big to
// the module.
func Random() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text, random := make([]byte, 0, 43), make([]byte, 64)
	for {
		if randomGet(unsafe.Pointer(unsafe.SliceData(random)), int32(len(random))) != 0 {
			panic("there are no random bytes")
		}
		for _, b := range random {
			if b >= 4*62 { // of these the first letters would get more than their share
				continue
			}
			if text = append(text, alphabet[b%62]); len(text) == cap(text) {
				return string(text)
			}
		}
	}
}
