//go:build js && wasm && faults

package bridge

// PushesToFault counts down with each push; the one that finds it at 1 panics. 0: none does.
var PushesToFault int

func faultAtPush() {
	PushesToFault--
	if PushesToFault == 0 {
		panic("a fault at a push, as asked")
	}
}
