//go:build js && wasm

package main

import "syscall/js"

// setting reads a variable or a secret of the deployment. A missing one is undefined in JS, which as a Go string would read
// "<undefined>" and pass for a value: everything that is configured comes through here.
func setting(name string) (string, bool) {
	v := js.Global().Get("context").Get("env").Get(name)
	switch v.Type() {
	case js.TypeString:
		return v.String(), true
	case js.TypeUndefined, js.TypeNull:
		return "", false
	}
	// wrangler.toml can hold tables and numbers too.
	return js.Global().Get("JSON").Call("stringify", v).String(), true
}
