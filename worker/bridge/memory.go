//go:build !tinygo

package bridge

// Reserve does nothing: only TinyGo's heap needs it.
func Reserve(int) {}
