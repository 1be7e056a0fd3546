//go:build js && wasm

package bridge

import (
	"errors"
	"syscall/js"
	"unsafe"
)

// Cause is how an upstream's body ended.
type Cause int32

const (
	Ended    Cause = iota // it came to its end
	Cut                   // the connection broke
	TimedOut              // the upstream sent nothing for too long
)

// Stream turns an upstream's response into the client's, driven by the pump. Its output belongs to it and is good until its next call.
type Stream interface {
	// Head takes the upstream's head where that comes after HeadWait; status 0: the fetch has failed, and lines is the reason. again:
	// Head has woken a goroutine that calls Refetch, and is called once more with what comes of that.
	Head(status int, lines string) (again bool)
	// Push takes a chunk of the body, which is good until Push returns. done: out is the last output.
	Push(chunk []byte) (out []byte, done bool)
	// Complete reports whether the answer is complete but for what the upstream may still say about it.
	Complete() bool
	// Close takes the end of the body. It is not called after done.
	Close(cause Cause) (out []byte)
}

// Keeper is a Stream whose last output waits until the answer is stored.
type Keeper interface {
	// Keep returns the statements that store the answer; nil: there are none. It is called once, behind the last of Push and Close.
	Keep() *Statements
	// Kept takes the error of the statements, nil where they have run or there were none, and returns the last output.
	Kept(err error) (out []byte)
}

// Chained is a Stream whose client gets the answers of several calls. Again is called once behind each last output of Push and Close:
// true says that this output does not end the stream, and that a goroutine was woken which calls Refetch. Head takes what comes of that.
type Chained interface {
	Again() bool
}

// Scattered is a Stream whose output may be in pieces. Pieces is called once behind each output of Push and Close: it returns the whole of that, nil
// where the output is in one piece.
type Scattered interface {
	Pieces() [][]byte
}

// scattered is set in the length of an output that is in pieces.
const scattered = 1 << 29

// again is set in the result of an export whose output does not end the stream, though the upstream's body is over.
const again = 1 << 30

// spare is the capacity behind a body, in bytes: the caller may append that much without a copy.
const spare = 256

// The one stream of this instance, the room that the host writes into, and the output that it reads.
var (
	open   Stream
	input  []byte
	output []byte
	places []uint32 // see stream_pieces in the package comment
)

// Pump makes s the stream of this instance, and returns the client's body for WriteRawJSBody; the HTTP handler returns after that. The
// other arguments are those of stream in the package comment. object is where the statements of a Keeper run, "" for any other s.
func Pump(s Stream, keepAlive string, keepAliveEvery int, trap, object string, window int) js.Value {
	open = s
	return host().Call("stream", keepAlive, keepAliveEvery, trap, object, window)
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
	return flag(open.Head(int(status), string(input[:n])))
}

//export stream_push
func streamPush(n int32) int32 {
	faultAtPush()
	out, done := open.Push(input[:n])
	return result(out, done)
}

//export stream_complete
func streamComplete() int32 {
	return flag(open.Complete())
}

func flag(set bool) int32 {
	if set {
		return 1
	}
	return 0
}

//export stream_close
func streamClose(cause int32) int32 {
	return result(open.Close(Cause(cause)), true)
}

//export stream_end
func streamEnd() int32 {
	faultAtEnd()
	output = nil
	if s := open.(Keeper).Keep(); s != nil {
		output = s.Packed()
	}
	return int32(len(output))
}

//export stream_ended
func streamEnded(code, n int32) int32 {
	var err error
	if code != 0 {
		err = errors.New(string(input[:n]))
	}
	output = open.(Keeper).Kept(err)
	return -1 - int32(len(output))
}

//export stream_out
func streamOut() unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(output))
}

//export stream_pieces
func streamPieces() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(places)) }

func result(out []byte, done bool) int32 {
	output = out
	length := int32(len(out))
	if s, ok := open.(Scattered); ok {
		if pieces := s.Pieces(); pieces != nil {
			length = scattered | place(pieces)
		}
	}
	if !done {
		return length
	}
	if c, ok := open.(Chained); ok && c.Again() {
		return again | length
	}
	return -1 - length
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
