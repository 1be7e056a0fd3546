//go:build js && wasm

package bridge

import (
	"syscall/js"
	"unsafe"
)

// Digest returns the SHA-256 of a text, as the package comment says.
func Digest(text string) (string, error) {
	host().Call("digest", bytesOf(text))
	_, digest, err := settled()
	return string(digest), err
}

// Seal returns a secret of up to 4 KB as a sealed text for a context.
func Seal(context, secret string) (string, error) {
	host().Call("seal", bytesOf(context), bytesOf(secret))
	_, sealed, err := settled()
	return string(sealed), err
}

// Open returns the secret of a sealed text. ok is false where it does not open, for any reason that is not the deployment's.
// stale: it was sealed with SEAL_KEY_PREVIOUS, and is to be sealed again when it is next written.
func Open(context, sealed string) (secret string, ok, stale bool, err error) {
	host().Call("open", bytesOf(context), sealed)
	code, opened, err := settled()
	return string(opened), err == nil && code != 1, code == 2, err
}

func bytesOf(s string) js.Value { return Bytes(unsafe.Slice(unsafe.StringData(s), len(s))) }
