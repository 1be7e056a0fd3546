//go:build faults && !(js && wasm)

package bridge

// Env returns false: only a module has context.env.
func (Host) Env(string) bool { return false }

// Memory returns nil: only a module has a memory of its own.
func (Host) Memory() []byte { return nil }
