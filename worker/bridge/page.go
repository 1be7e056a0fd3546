//go:build js && wasm

package bridge

import (
	"bytes"
	"strings"
)

// Previewer shows the page in the browser what becomes of a request, and of its answer.
type Previewer interface {
	// Open translates a request of a client that speaks the protocol called client: its path and its body, for the first upstream that serves its model at the
	// endpoint of a record. It returns the body that this upstream gets, and the stream that translates its answer. s is nil where the
	// request is refused: request then is what the client gets, in the form that Refuse has.
	Open(client, record, path string, body []byte) (request []byte, s Stream)
	// Refuse returns what the client gets for an upstream's status of 300 or more and its body: the status, a space, and the body.
	Refuse(status int, body []byte) []byte
}

// Preview answers the exports for the page.
var Preview Previewer

//export page_open
func pageOpen(n int32) int32 {
	client, rest, _ := strings.Cut(string(input[:n]), "\x00")
	record, rest, _ := strings.Cut(rest, "\x00")
	path, body, _ := strings.Cut(rest, "\x00")
	request, s := Preview.Open(client, record, path, []byte(body))
	open = s
	return result(request, s == nil)
}

//export page_refuse
func pageRefuse(status, n int32) int32 {
	return result(Preview.Refuse(int(status), bytes.Clone(input[:n])), true)
}
