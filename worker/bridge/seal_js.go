//go:build js && wasm

package bridge

import (
	"strconv"
	"strings"
	"syscall/js"
	"unsafe"
)

func (Host) Digest(text string) (string, error) {
	host().Call("digest", bytesOf(text))
	_, digest, err := settled()
	return string(digest), err
}

func (Host) Seal(context, secret string) (string, error) {
	host().Call("seal", bytesOf(context), bytesOf(secret))
	_, sealed, err := settled()
	return string(sealed), err
}

func (Host) Open(context, sealed string) (secret string, ok, stale bool, err error) {
	host().Call("open", bytesOf(context), sealed)
	code, opened, err := settled()
	return string(opened), err == nil && code != 1, code == 2, err
}

func (Host) Token(context, sealed string) (token string, expires int64, err error) {
	host().Call("token", bytesOf(context), sealed)
	_, said, err := settled()
	until, token, _ := strings.Cut(string(said), " ")
	expires, _ = strconv.ParseInt(until, 10, 64)
	return token, expires, err
}

func bytesOf(s string) js.Value { return Bytes(unsafe.Slice(unsafe.StringData(s), len(s))) }
