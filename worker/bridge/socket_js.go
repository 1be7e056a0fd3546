//go:build js && wasm

package bridge

// remembered answers the export remember; nil: the request is none of a connection's, or nothing of it is remembered.
var remembered func() []byte

func (Host) Socket() bool { return host().Get("socket").Truthy() }

func (Host) Accept(whose string, most, lifetime int) bool {
	return host().Call("accept", whose, most, lifetime).Bool()
}

func (Host) Recall(id string) (items []byte, ok bool) {
	host().Call("recall", id)
	code, items, err := settled()
	return items, err == nil && code == 0
}

func (Host) HangUp() { host().Call("hangUp") }

func (Host) Remember(f func() []byte) { remembered = f }

//export remember
func remember() int32 {
	output = nil
	if remembered != nil {
		output = remembered()
	}
	return int32(len(output))
}
