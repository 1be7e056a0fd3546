//go:build !(js && wasm)

package bridge

import (
	"fmt"
	"os"
)

// Host is the host of one request. Outside of the module it holds the value that serves the program: wasmtest/host makes it.
type Host struct{ Services }

// ClientBody is the body of an answer to the client.
type ClientBody struct {
	Bytes  []byte
	Filled bool // the host fills it, for Pump or Pass; Bytes is nil
}

// NoBody is the body of an answer that has none.
func NoBody() ClientBody { return ClientBody{} }

// IsNull reports whether b is NoBody.
func (b ClientBody) IsNull() bool { return b.Bytes == nil && !b.Filled }

// Bytes returns b as a body.
func Bytes(b []byte) ClientBody {
	if b == nil {
		b = []byte{}
	}
	return ClientBody{Bytes: b}
}

// Run ends the process: only a module has a host at its start.
func Run(Program) {
	fmt.Fprintln(os.Stderr, "The worker runs as a module of WebAssembly: ./build.sh builds it, ./build.sh run serves it.")
	os.Exit(1)
}
