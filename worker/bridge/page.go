//go:build js && wasm

package bridge

import (
	"bytes"
	"strings"
)

// Previewer shows the page in the browser what becomes of a request, and of its answer.
type Previewer interface {
	// Open translates a client's body for the first upstream that the endpoint of a record has for it, and returns what that
	// upstream gets. s takes its answer; nil: request is what the client gets in place of one, as told by Refuse.
	Open(client, record string, body []byte) (request []byte, s Stream)
	// Refuse returns what the client gets for an upstream's status of 300 or more and its body: the status, a space, and the body.
	Refuse(status int, body []byte) []byte
}

// Preview is what the exports for the page ask.
var Preview Previewer

//export page_open
func pageOpen(n int32) int32 {
	client, rest, _ := strings.Cut(string(input[:n]), "\x00")
	record, body, _ := strings.Cut(rest, "\x00")
	request, s := Preview.Open(client, record, []byte(body))
	open = s
	return result(request, s == nil)
}

//export page_refuse
func pageRefuse(status, n int32) int32 {
	return result(Preview.Refuse(int(status), bytes.Clone(input[:n])), true)
}
