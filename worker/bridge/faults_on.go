//go:build faults

package bridge

// faults are the faults of a request that a test has asked for.
type faults struct {
	push int  // counts down to the push that panics; 0: no push panics
	end  bool // makes End panic
}

// FaultAtPush makes the program panic in its push number n from now on, counted from 1.
func (h Host) FaultAtPush(n int) { h.exports().faults.push = n }

// FaultAtEnd makes the program panic in End, before an answer is stored.
func (h Host) FaultAtEnd() { h.exports().faults.end = true }

func (f *faults) atPush() {
	f.push--
	if f.push == 0 {
		panic("a fault at a push, as asked")
	}
}

func (f *faults) atEnd() {
	if f.end {
		panic("a fault at the end, as asked")
	}
}
