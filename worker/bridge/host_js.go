//go:build js && wasm

package bridge

import (
	"bytes"
	"syscall/js"
	"time"
	"unsafe"
)

// Host is the host of a request. A module serves a single request, so Host needs no fields.
type Host struct{}

// ClientBody is the body of an answer to the client.
type ClientBody = js.Value

// NoBody is the body of an answer without a body.
func NoBody() ClientBody { return js.Null() }

// Bytes returns a copy of b as a body: a Uint8Array.
func Bytes(b []byte) ClientBody {
	return host().Call("bytes", int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), len(b))
}

func bytesOf(s string) ClientBody { return Bytes(unsafe.Slice(unsafe.StringData(s), len(s))) }

// Now returns the time. On workerd the clock stops while the program computes, and advances with
// each input or output (Cloudflare's documentation: "Performance and timers").
func (Host) Now() time.Time { return time.Now() }

// AwaitNextRequest blocks until the stream of this request needs a further call, which the caller
// then makes with Refetch. If the stream needs none, AwaitNextRequest never returns.
func (Host) AwaitNextRequest() { <-nextRequests }

// call calls a function of the host.
func (Host) call(name string, args ...any) { host().Call(name, args...) }

// ask calls a function that returns a boolean.
func (Host) ask(name string, args ...any) bool { return host().Call(name, args...).Bool() }

// body calls a function that returns the body of an answer.
func (Host) body(name string, args ...any) ClientBody { return host().Call(name, args...) }

// text returns a string property of the host.
func (Host) text(name string) string { return host().Get(name).String() }

// flag returns a boolean property of the host.
func (Host) flag(name string) bool { return host().Get(name).Truthy() }

// allSettings buffers the result of Settings. A deployment always has settings, so "" is unset.
var allSettings string

// Settings returns the variables and secrets of the deployment in the form of the package comment.
// Setting reads one of them.
func (h Host) Settings() string {
	if allSettings == "" {
		allSettings = h.text("settings")
	}
	return allSettings
}

// gather returns the joined pieces of a body as a body.
func (Host) gather(pieces [][]byte) ClientBody {
	listPieces(pieces)
	return host().Call("pieces", int(address(unsafe.SliceData(pieceList))))
}

//go:wasmimport wasi_snapshot_preview1 random_get
func randomGet(at unsafe.Pointer, n int32) int32

func (Host) random(b []byte) {
	if randomGet(unsafe.Pointer(unsafe.SliceData(b)), int32(len(b))) != 0 {
		panic("there are no random bytes")
	}
}

// theExports are the exports of this instance's request.
var theExports Exports

func (Host) exports() *Exports { return &theExports }

// theHost is context.host, once host has found it.
var theHost js.Value

func host() js.Value {
	if theHost.IsUndefined() {
		theHost = js.Global().Get("context").Get("host")
	}
	return theHost
}

// outcome is the outcome of the call that the program waits for.
type outcome struct {
	code int32
	data []byte
}

var outcomes = make(chan outcome, 1)

func (Host) wait() (code int, data []byte) {
	o := <-outcomes
	return int(o.code), o.data
}

// settle gives the first n bytes of the input room to the goroutine that is blocked in wait. The
// goroutine continues in go_scheduler. If the bytes fill less than half of the room, as heads do,
// the goroutine gets a copy, and the room stays for the next input. Else it gets the room.
//
//export settle
func settle(code, n int32) {
	data := input[:n]
	if len(data) < len(input)/2 {
		data = bytes.Clone(data)
	} else {
		input = nil
	}
	outcomes <- outcome{code, data}
}
