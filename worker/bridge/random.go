//go:build js && wasm

package bridge

import "unsafe"

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(at unsafe.Pointer, n int32) int32

// Random returns 43 random characters of base64url, which are 258 bits. Go's crypto/rand would add math/big to the module.
//
//go:noinline
func Random() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	text := make([]byte, 43)
	if randomGet(unsafe.Pointer(unsafe.SliceData(text)), int32(len(text))) != 0 {
		panic("there are no random bytes")
	}
	for i, b := range text {
		text[i] = alphabet[b&63]
	}
	return string(text)
}
