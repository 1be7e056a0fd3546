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
	Ended    Cause = iota // at its end
	Cut                   // the connection broke
	TimedOut              // silent for too long
)

// Stream is what the pump drives. Output belongs to the stream and is good until its next call.
type Stream interface {
	// Head takes an upstream head that came after HeadWait; status 0: none came, and lines is the reason. It returns whether it
	// wakes a goroutine that calls Refetch.
	Head(status int, lines string) (again bool)
	// Push takes a chunk, which is good until Push returns. done: out is the last output.
	Push(chunk []byte) (out []byte, done bool)
	// Complete reports whether the answer is complete but for what the upstream may still say about it.
	Complete() bool
	// Close takes the end of the body. It is not called after done.
	Close(cause Cause) (out []byte)
}

// Keeper is a Stream whose end is held back until it is stored, once the stream is over.
type Keeper interface {
	// Keep returns what is to run in the object before the stream ends, nil for nothing.
	Keep() *Statements
	// Kept takes what came of that, nil where it ran, and returns the last output.
	Kept(err error) (out []byte)
}

// spare is what a body has behind it for a few bytes more.
const spare = 256

// The one stream of this instance, and the two rooms that the host reads and writes.
var (
	open   Stream
	input  []byte
	output []byte
)

// Pump hands the upstream's response to s from now on, and returns the body for WriteRawJSBody. The handler returns after it.
// object is where the statements of a Keeper run, "" for a stream that is none.
func Pump(s Stream, keepAlive string, keepAliveEvery int, trap, object string) js.Value {
	open = s
	return host().Call("stream", keepAlive, keepAliveEvery, trap, object)
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
	return result(open.(Keeper).Kept(err), true)
}

//export stream_out
func streamOut() unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(output))
}

func result(out []byte, done bool) int32 {
	output = out
	if done {
		return -1 - int32(len(out))
	}
	return int32(len(out))
}
