//go:build !(js && wasm)

package bridge

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// Host is the host of a request. Outside of the module each request has its own: wasmtest/host makes it.
type Host struct{ engine Engine }

// NewHost returns the host of a request that is served by e.
func NewHost(e Engine) Host { return Host{e} }

// Engine is what a Host consists of: an HTTP client, KV and SQL, keys, a source of random bytes, and a clock. One goroutine at a time calls it.
type Engine interface {
	// Call calls a function that the package comment lists, with strings, numbers (int and int64), booleans, and ClientBodies. It returns
	// nil, a bool, or a ClientBody.
	Call(name string, args ...any) any
	// Get returns a string or a bool that the package comment lists.
	Get(name string) any
	// Wait blocks the goroutine until the host settles the call, and returns code and bytes as the export settle gets them.
	Wait() (code int, data []byte)
	// Again blocks the goroutine until the stream waits for a call.
	Again()
	// Random fills b with random bytes.
	Random(b []byte)
	// Time returns the time.
	Time() time.Time
	// Exports returns what the host calls while the program serves the request.
	Exports() *Exports
}

// ClientBody is the body of an answer to the client: Bytes, or what Call has returned for a body that the host fills. Both are nil for none.
type ClientBody struct {
	Bytes  []byte
	Filled any
}

// NoBody is the body of an answer that has none.
func NoBody() ClientBody { return ClientBody{} }

// IsNull reports whether b is NoBody.
func (b ClientBody) IsNull() bool { return b.Bytes == nil && b.Filled == nil }

// Bytes returns a copy of b as a body.
func Bytes(b []byte) ClientBody { return ClientBody{Bytes: append([]byte{}, b...)} }

func bytesOf(s string) ClientBody { return Bytes([]byte(s)) }

// Now returns the time.
func (h Host) Now() time.Time { return h.engine.Time() }

// UntilAgain blocks until the stream of this request waits for a call, which the caller then makes with Refetch. If the stream never does,
// UntilAgain does not return.
func (h Host) UntilAgain() { h.engine.Again() }

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

// Settings returns the variables and secrets of the deployment, as the package comment says. Setting reads one.
func (h Host) Settings() string { return h.text("settings") }

func (h Host) gather(pieces [][]byte) ClientBody { return ClientBody{Bytes: bytes.Join(pieces, nil)} }

func (h Host) random(b []byte) { h.engine.Random(b) }

func (h Host) exports() *Exports { return h.engine.Exports() }

func (h Host) wait() (code int, data []byte) { return h.engine.Wait() }

// Run ends the process: only a module has a host at its start.
func Run(Program) {
	fmt.Fprintln(os.Stderr, "The worker runs as a module of WebAssembly: ./build.sh builds it, ./build.sh run serves it.")
	os.Exit(1)
}
