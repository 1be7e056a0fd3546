//go:build js && wasm

package bridge

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"unsafe"

	"github.com/syumai/workers"
)

// program is what this instance runs.
var program Program

// Run serves p's request, and answers the exports. It does not return while the instance lives.
func Run(p Program) {
	program = p
	workers.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.Serve(Host{}, w.(Answerer), r) }))
}

// scattered is set in the length of an output that is in pieces.
const scattered = 1 << 29

// again is set in the result of an export whose output does not end the stream, though the upstream's body is over.
const again = 1 << 30

// spare is the capacity behind a body, in bytes: the caller may append that much without a copy.
const spare = 256

// The room that the host writes into, and the output that it reads.
var (
	input  []byte
	output []byte
	places []uint32 // see stream_pieces in the package comment
)

// wakes has an element while the stream waits for a call that UntilAgain has not noticed.
var wakes = make(chan struct{}, 1)

// wake lets UntilAgain return. The select says that this never pauses.
func wake() {
	select {
	case wakes <- struct{}{}:
	default:
	}
}

//export stream_reserve
func streamReserve(n int32) unsafe.Pointer {
	if int(n) > len(input) {
		size := max(int(n), 2*len(input), 4096)
		Reserve(size + spare)
		input = make([]byte, size, size+spare)
	}
	return unsafe.Pointer(unsafe.SliceData(input))
}

//export stream_head
func streamHead(status, n int32) int32 {
	if !theExports.Head(int(status), string(input[:n])) {
		return 0
	}
	wake()
	return 1
}

//export stream_push
func streamPush(n int32) int32 {
	faultAtPush()
	return packed(theExports.Push(input[:n]))
}

//export stream_complete
func streamComplete() int32 {
	if theExports.Complete() {
		return 1
	}
	return 0
}

//export stream_close
func streamClose(cause int32) int32 { return packed(theExports.Close(Cause(cause))) }

//export stream_end
func streamEnd() int32 {
	faultAtEnd()
	return length(theExports.End())
}

//export stream_ended
func streamEnded(code, n int32) int32 {
	var err error
	if code != 0 {
		err = errors.New(string(input[:n]))
	}
	return -1 - length(theExports.Ended(err))
}

//export stream_out
func streamOut() unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(output))
}

//export stream_pieces
func streamPieces() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(places)) }

//export remember
func remember() int32 { return length(theExports.Remember()) }

//export account
func account() int32 { return length(theExports.Account()) }

//export report
func report() int32 { return length(theExports.Report()) }

//export setup
func setup() int32 {
	line, wrong := program.Setup(Host{})
	return flagged([]byte(line), wrong)
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
	theExports.stream = s
	return flagged(request, s == nil)
}

//export page_head
func pageHead() int32 {
	head, passes := preview.Head()
	return flagged([]byte(head), passes)
}

//export page_answer
func pageAnswer(status, n int32) int32 {
	return flagged(preview.Answer(int(status), bytes.Clone(input[:n])))
}

// length makes out the output, and returns its length.
func length(out []byte) int32 {
	output = out
	return int32(len(out))
}

// flagged makes out the output, and returns its length: m < 0 if set.
func flagged(out []byte, set bool) int32 {
	n := length(out)
	if set {
		return -1 - n
	}
	return n
}

// packed returns what a push or a close returns for an output of a stream.
func packed(out []byte, pieces [][]byte, next Next) int32 {
	n := length(out)
	if pieces != nil {
		n = scattered | place(pieces)
	}
	switch next {
	case Nothing:
		return -1 - n
	case NextCall:
		wake()
		return again | n
	}
	return n
}

// place notes in places where an output's pieces are, and returns the output's length.
func place(pieces [][]byte) (length int32) {
	places = append(places[:0], uint32(len(pieces)))
	for _, piece := range pieces {
		places = append(places, uint32(uintptr(unsafe.Pointer(unsafe.SliceData(piece)))), uint32(len(piece)))
		length += int32(len(piece))
	}
	return length
}
