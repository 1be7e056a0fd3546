//go:build js && wasm

package bridge

import (
	"errors"
	"unsafe"
)

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

func (Host) Pump(s Stream, keepAlive string, keepAliveEvery int, trap, object string, window int) ClientBody {
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

// wakes has an element while the stream waits for a call that UntilAgain has not noticed.
var wakes = make(chan struct{}, 1)

func (Host) UntilAgain() { <-wakes }

// wake lets UntilAgain return. The select says that this never pauses.
func wake() {
	select {
	case wakes <- struct{}{}:
	default:
	}
}

//export stream_head
func streamHead(status, n int32) int32 {
	if !open.Head(int(status), string(input[:n])) {
		return 0
	}
	wake()
	return 1
}

//export stream_push
func streamPush(n int32) int32 {
	faultAtPush()
	out, done := open.Push(input[:n])
	return result(out, done)
}

//export stream_complete
func streamComplete() int32 {
	if open.Complete() {
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
		wake()
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
