//go:build js && wasm

package bridge

// settlement is what account asks. nil: Account was not called.
var settlement func() *Statements

// Account keeps an account of the request in an object of ENDPOINT_STATE: from now on the host runs renewal there every so many
// milliseconds, 0 for never, and once the request is over what settle returns. That is called once, unless the instance has
// trapped, and calls nothing of the host.
func Account(object string, renewal *Statements, every int, settle func() *Statements) {
	settlement = settle
	host().Call("account", object, Bytes(renewal.packed), every)
}

//export account
func account() int32 {
	if settlement == nil {
		return 0
	}
	output = settlement().packed
	return int32(len(output))
}
