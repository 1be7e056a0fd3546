//go:build js && wasm

package bridge

// closing is what Account was given; nil: it was not called.
var closing func() *Statements

// Account keeps an account of the request in an object of ENDPOINT_STATE: from now on the host runs renewal there every so many
// milliseconds, 0 for never, and once the request is over the statements that last returns. It calls last once, but not in an
// instance that has trapped; last calls nothing of the host.
func Account(object string, renewal *Statements, every int, last func() *Statements) {
	closing = last
	host().Call("account", object, Bytes(renewal.packed), every)
}

// Prices returns what the host knows that a model costs which is asked for at a URL, as usage.ReadPrices reads it; "" for a model that
// it does not know, and where it fails.
func Prices(url, model string) string {
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
