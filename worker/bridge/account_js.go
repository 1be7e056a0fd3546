//go:build js && wasm

package bridge

// closing is what Account was given; nil: it was not called.
var closing func() *Statements

func (Host) Account(object string, renewal *Statements, every int, last func() *Statements) {
	closing = last
	host().Call("account", object, Bytes(renewal.packed), every)
}

func (Host) Prices(url, model string) string {
	host().Call("prices", url, model)
	_, text, _ := settled()
	return string(text)
}

//export account
func account() int32 {
	if closing == nil {
		return 0
	}
	output = closing().packed
	return int32(len(output))
}
