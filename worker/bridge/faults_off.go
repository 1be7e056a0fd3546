//go:build !faults

package bridge

// faults has no faults: only the tests' build injects them.
type faults struct{}

func (*faults) atPush() {}

func (*faults) atEnd() {}
