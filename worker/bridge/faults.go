//go:build faults && !(js && wasm)

package bridge

// FaultAtPush panics: only a module has this fault.
func (Host) FaultAtPush(int) { panic("only a module has this fault") }

// FaultAtEnd panics: only a module has this fault.
func (Host) FaultAtEnd() { panic("only a module has this fault") }

// Env returns false: only a module has context.env.
func (Host) Env(string) bool { return false }

// Memory returns nil: only a module has a memory of its own.
func (Host) Memory() []byte { return nil }
