//go:build !(js && wasm)

package bridge

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// Host is the host of a request. Outside of the module each request has its own Host, made by
// wasmtest/host.
type Host struct{ engine Engine }

// NewHost returns the host of a request that e serves.
func NewHost(e Engine) Host { return Host{e} }

// Engine is the implementation of a Host: an HTTP client, KV and SQL, keys, a source of random
// bytes, and a clock. Only one goroutine at a time calls it.
type Engine interface {
	// Call calls a host function of the package comment. args are strings, numbers (int and int64),
	// booleans and ClientBodies. The result is nil, a bool, or a ClientBody.
	Call(name string, args ...any) any
	// Get returns a host property of the package comment: a string or a bool.
	Get(name string) any
	// Wait blocks the goroutine until the host settles the call, and returns the arguments of the
	// export settle.
	Wait() (code int, data []byte)
	// AwaitNextRequest blocks the goroutine until the stream needs a further call.
	AwaitNextRequest()
	// Random fills b with random bytes.
	Random(b []byte)
	// Time returns the time.
	Time() time.Time
	// Exports returns the functions that the host calls while the program serves the request.
	Exports() *Exports
}

// ClientBody is the body of an answer to the client: Bytes, or Filled, a result of Call for a body
// that the host fills. Both are nil for no body.
type ClientBody struct {
	Bytes  []byte
	Filled any
}

// NoBody is the body of an answer without a body.
func NoBody() ClientBody { return ClientBody{} }

// IsNull reports whether b is NoBody.
func (b ClientBody) IsNull() bool { return b.Bytes == nil && b.Filled == nil }

// Bytes returns a copy of b as a body.
func Bytes(b []byte) ClientBody { return ClientBody{Bytes: append([]byte{}, b...)} }

func bytesOf(s string) ClientBody { return Bytes([]byte(s)) }

// Now returns the time.
func (h Host) Now() time.Time { return h.engine.Time() }

// AwaitNextRequest blocks until the stream of this request needs a further call, which the caller
// then makes with Refetch. If the stream needs none, AwaitNextRequest never returns.
func (h Host) AwaitNextRequest() { h.engine.AwaitNextRequest() }

func (h Host) call(name string, args ...any) { h.engine.Call(name, args...) }

func (h Host) ask(name string, args ...any) bool {
	yes, _ := h.engine.Call(name, args...).(bool)
	return yes
}

func (h Host) body(name string, args ...any) ClientBody {
	body, _ := h.engine.Call(name, args...).(ClientBody)
	return body
}

func (h Host) text(name string) string {
	text, _ := h.engine.Get(name).(string)
	return text
}

func (h Host) flag(name string) bool {
	set, _ := h.engine.Get(name).(bool)
	return set
}

// Settings returns the variables and secrets of the deployment in the form of the package comment.
// Setting reads one of them.
func (h Host) Settings() string { return h.text("settings") }

func (h Host) gather(pieces [][]byte) ClientBody { return ClientBody{Bytes: bytes.Join(pieces, nil)} }

func (h Host) random(b []byte) { h.engine.Random(b) }

func (h Host) exports() *Exports { return h.engine.Exports() }

func (h Host) wait() (code int, data []byte) { return h.engine.Wait() }

// Run ends the process: only a module has a host when it starts.
func Run(Program) {
	fmt.Fprintln(os.Stderr,
		"The worker runs as a module of WebAssembly: ./build.sh builds it, ./build.sh run serves it.")
	os.Exit(1)
}
