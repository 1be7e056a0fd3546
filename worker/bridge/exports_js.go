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

// program is the program of this instance.
var program Program

// Run serves the instance's request with p, and answers the exports. It does not return while the
// instance lives.
func Run(p Program) {
	program = p
	workers.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Serve(Host{},
			w.(Answerer), r)
	}))
}

// Flags of an output: see "An output" in the package comment.
const (
	flagLast        = 1
	flagNextRequest = 2
	flagPieces      = 4
)

// spare is extra capacity after a body, in bytes: the caller may append that many bytes without a
// copy.
const spare = 256

// The room that the host writes to, and the output that the host reads.
var (
	input     []byte
	words     [3]uint32 // the output: address, length, flags
	pieceList []uint32  // the list of an output in pieces
)

// nextRequests has an element if the stream waits for a call and AwaitNextRequest has not returned
// for it yet.
var nextRequests = make(chan struct{}, 1)

// wake makes AwaitNextRequest return. The select with a default shows that wake never pauses.
func wake() {
	select {
	case nextRequests <- struct{}{}:
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
func streamPush(n int32) unsafe.Pointer {
	return streamed(theExports.Push(input[:n]))
}

//export stream_complete
func streamComplete() int32 {
	if theExports.Complete() {
		return 1
	}
	return 0
}

//export stream_close
func streamClose(cause int32) unsafe.Pointer { return streamed(theExports.Close(Cause(cause))) }

//export stream_end
func streamEnd() unsafe.Pointer {
	return output(theExports.End(), 0)
}

//export stream_ended
func streamEnded(code, n int32) unsafe.Pointer {
	var err error
	if code != 0 {
		err = errors.New(string(input[:n]))
	}
	return output(theExports.Ended(err), flagLast)
}

//export remember
func remember() unsafe.Pointer { return output(theExports.Remember(), 0) }

//export account
func account() unsafe.Pointer { return output(theExports.Account(), 0) }

//export report
func report() unsafe.Pointer { return output(theExports.Report(), 0) }

//export describe
func describe() unsafe.Pointer {
	line, wrong := program.Describe(Host{})
	return flagged([]byte(line), wrong)
}

// preview is the Previewer of page_open.
var preview Previewer

//export page_open
func pageOpen(n int32) unsafe.Pointer {
	client, rest, _ := strings.Cut(string(input[:n]), "\x00")
	record, rest, _ := strings.Cut(rest, "\x00")
	path, body, _ := strings.Cut(rest, "\x00")
	preview = program.Preview(Host{})
	request, s := preview.Open(client, record, path, []byte(body))
	theExports.stream = s
	return flagged(request, s == nil)
}

//export page_head
func pageHead() unsafe.Pointer {
	head, passes := preview.Head()
	return flagged([]byte(head), passes)
}

//export page_answer
func pageAnswer(status, n int32) unsafe.Pointer {
	return flagged(preview.Answer(int(status), bytes.Clone(input[:n])))
}

// output sets the words of an output and returns their address.
func output(out []byte, flags uint32) unsafe.Pointer {
	words = [3]uint32{address(unsafe.SliceData(out)), uint32(len(out)), flags}
	return unsafe.Pointer(&words)
}

// flagged is output with flagLast if set is true.
func flagged(out []byte, set bool) unsafe.Pointer {
	if set {
		return output(out, flagLast)
	}
	return output(out, 0)
}

// streamed is output for an output of a stream.
func streamed(out []byte, pieces [][]byte, next Next) unsafe.Pointer {
	flags := uint32(0)
	switch next {
	case Nothing:
		flags = flagLast
	case NextCall:
		flags = flagNextRequest
		wake()
	}
	if pieces == nil {
		return output(out, flags)
	}
	length := listPieces(pieces)
	words = [3]uint32{address(unsafe.SliceData(pieceList)), length, flags | flagPieces}
	return unsafe.Pointer(&words)
}

// listPieces sets the list of an output in pieces and returns the total of the pieces' bytes.
func listPieces(pieces [][]byte) (length uint32) {
	pieceList = append(pieceList[:0], uint32(len(pieces)))
	for _, piece := range pieces {
		pieceList = append(pieceList, address(unsafe.SliceData(piece)), uint32(len(piece)))
		length += uint32(len(piece))
	}
	return length
}

func address[T any](p *T) uint32 { return uint32(uintptr(unsafe.Pointer(p))) }
