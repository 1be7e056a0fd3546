//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"
	"syscall/js"
	"unsafe"
)

// Digest returns the SHA-256 of a text, as 43 characters of base64url.
func Digest(text string) (string, error) {
	host().Call("digest", bytesOf(text))
	_, digest, err := settled()
	return string(digest), err
}

// NoSealKey reports whether a call of this file has failed because the deployment has no SEAL_KEY.
func NoSealKey(err error) bool {
	return strings.HasPrefix(err.Error(), "The secret SEAL_KEY is missing")
}

// Seal returns a secret of up to 64 KB, sealed for a context: see "Secrets" in the package comment.
func Seal(context, secret string) (string, error) {
	host().Call("seal", bytesOf(context), bytesOf(secret))
	_, sealed, err := settled()
	return string(sealed), err
}

// Open returns the secret of a text that was sealed for a context. ok is false where the text does not open. stale: it was sealed with
// SEAL_KEY_PREVIOUS, and is to be sealed again when it is next written. An error is a fault of the deployment's, such as no SEAL_KEY.
func Open(context, sealed string) (secret string, ok, stale bool, err error) {
	host().Call("open", bytesOf(context), sealed)
	code, opened, err := settled()
	return string(opened), err == nil && code != 1, code == 2, err
}

// Token returns a token for Google's APIs, and when it ends, in seconds since 1970, by a service account's key: the one that is sealed for a context
// or, where sealed is "", the deployment's UPSTREAM_KEY. An error is in words for the deployment's owner.
func Token(context, sealed string) (token string, expires int64, err error) {
	host().Call("token", bytesOf(context), sealed)
	_, said, err := settled()
	until, token, _ := strings.Cut(string(said), " ")
	expires, _ = strconv.ParseInt(until, 10, 64)
	return token, expires, err
}

func bytesOf(s string) js.Value { return Bytes(unsafe.Slice(unsafe.StringData(s), len(s))) }
