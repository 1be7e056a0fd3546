//go:build js && wasm

package bridge

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/syumai/workers"
)

// program is what this instance runs.
var program Program

// Run serves p's request, and answers the exports setup and page_*. It does not return while the instance lives.
func Run(p Program) {
	program = p
	workers.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.Serve(Host{}, w.(Answerer), r) }))
}

//export setup
func setup() int32 {
	line, wrong := program.Setup(Host{})
	return result([]byte(line), wrong)
}

// preview is what page_open has begun.
var preview Previewer

//export page_open
func pageOpen(n int32) int32 {
	client, rest, _ := strings.Cut(string(input[:n]), "\x00")
	record, rest, _ := strings.Cut(rest, "\x00")
	path, body, _ := strings.Cut(rest, "\x00")
	preview = program.Preview(Host{})
	request, s := preview.Open(client, record, path, []byte(body))
	open = s
	return result(request, s == nil)
}

//export page_head
func pageHead() int32 {
	head, passes := preview.Head()
	return result([]byte(head), passes)
}

//export page_answer
func pageAnswer(status, n int32) int32 {
	return result(preview.Answer(int(status), bytes.Clone(input[:n])))
}
