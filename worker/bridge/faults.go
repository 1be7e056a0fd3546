//go:build faults && !(js && wasm)

package bridge

// FaultOfMemory panics: only a module has this fault.
func (Host) FaultOfMemory() { panic("only a module has this fault") }

// Env returns false: only a module has context.env.
func (Host) Env(string) bool { return false }

// Memory returns nil: only a module has a memory of its own.
func (Host) Memory() []byte { return nil }
