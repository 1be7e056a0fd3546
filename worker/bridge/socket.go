//go:build js && wasm

package bridge

// Remembered answers the export remember; nil: the request is none of a connection's, or nothing of it is remembered.
var Remembered func() []byte

// Socket reports whether the request came as a frame of a WebSocket.
func Socket() bool { return host().Get("socket").Truthy() }

// Accept makes a WebSocket of the client's connection, for so many milliseconds at most, unless as many as most of the same owner are open
// at this host: whose is the endpoint's name. The program then answers with status 204 and no body.
func Accept(whose string, most, lifetime int) bool {
	return host().Call("accept", whose, most, lifetime).Bool()
}

// Recall takes the items, separated by commas, that the connection remembers for a response with this id. ok is false where it remembers no
// such response. The bytes are the caller's.
func Recall(id string) (items []byte, ok bool) {
	host().Call("recall", id)
	code, items, err := settled()
	return items, err == nil && code == 0
}

// HangUp ends the connection behind the answer to this request.
func HangUp() { host().Call("hangUp") }

//export remember
func remember() int32 {
	output = nil
	if Remembered != nil {
		output = Remembered()
	}
	return int32(len(output))
}
