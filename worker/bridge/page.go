//go:build js && wasm

package bridge

import (
	"bytes"
	"strings"
)

// Previewer translates one request, and the answer to it, for a program that calls the upstream itself.
type Previewer interface {
	// Open translates a request of a client that speaks the protocol called client: its path and its body, for the first upstream that serves its model at the
	// endpoint of a record. It returns the body that this upstream gets, and the stream that translates its answer. s is nil where the
	// request is refused: request then is what the client gets: the status, a space, and the body.
	Open(client, record, path string, body []byte) (request []byte, s Stream)
	// Head returns 1 if the client has asked for a stream, else 0, a space, the upstream's URL, a line break, and the head of the
	// request. passes: the body and its answer go as they are, but for the name of the model.
	Head() (head string, passes bool)
	// Answer translates the upstream's whole answer, with its status, for the client. failed: the client gets an error, and out has
	// the form that Open has for a refusal.
	Answer(status int, body []byte) (out []byte, failed bool)
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

//export page_head
func pageHead() int32 {
	head, passes := Preview.Head()
	return result([]byte(head), passes)
}

//export page_answer
func pageAnswer(status, n int32) int32 {
	return result(Preview.Answer(int(status), bytes.Clone(input[:n])))
}
