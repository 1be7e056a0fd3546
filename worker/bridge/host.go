//go:build js && wasm

package bridge

import (
	"bytes"
	"errors"
	"syscall/js"
	"unsafe"
)

// ErrTooLarge is what Body and Read return for a body over their limit.
var ErrTooLarge = errors.New("the body is over the limit")

// Head is the status and the head of an upstream response.
type Head struct {
	Status int
	Lines  string // see the package comment; HeaderOf reads it
}

// Call is one request to an upstream.
type Call struct {
	Method, URL string
	Head        string   // lines of a head
	Body        []byte   // nil: none
	Pieces      [][]byte // of Body, which lacks some; nil: Body is whole
	HeadWait    int      // milliseconds that Fetch waits for the head; 0: until it comes or the fetch fails
	Silence     int      // milliseconds that the upstream may send nothing
	Public      bool     // the upstream must have an address on the public internet
}

// ClientHead returns the head of the client's request as lines; HeaderOf reads it.
func ClientHead() string { return host().Get("clientHead").String() }

// Settings returns the variables and secrets of the deployment, as the package comment says.
func Settings() string { return host().Get("settings").String() }

// Body returns the whole body of the client's request, of at most limit bytes. The bytes are the caller's, and their slice has a capacity
// for 256 more.
func Body(limit int) ([]byte, error) {
	host().Call("body", limit)
	_, body, err := settled()
	return body, err
}

// Fetch sends a request upstream and waits for the head of its response. Status 0: the head did not come within HeadWait, and may still
// come. The error's text is what the package comment says of fetch.
func Fetch(c Call) (Head, error) {
	Refetch(c)
	status, head, err := settled()
	return Head{Status: status, Lines: unsafe.String(unsafe.SliceData(head), len(head))}, err
}

// Refetch sends a request upstream for a stream whose Head returned again. It does not wait: the outcome is for Head.
func Refetch(c Call) {
	body := js.Null()
	switch {
	case c.Pieces != nil:
		place(c.Pieces)
		body = host().Call("pieces", int(uintptr(streamPieces())))
	case c.Body != nil:
		body = Bytes(c.Body)
	}
	host().Call("fetch", c.URL, c.Method, c.Head, body, c.HeadWait, c.Silence, c.Public)
}

// Read returns the whole body of the upstream's response, of at most limit bytes. The bytes are the caller's.
func Read(limit int) ([]byte, error) { return ReadWithin(limit, 0) }

// ReadWithin is Read of a response whose body may take so many milliseconds, 0: any.
func ReadWithin(limit, time int) ([]byte, error) {
	host().Call("read", limit, time)
	_, body, err := settled()
	return body, err
}

// Pass returns the upstream's body as it comes, for WriteRawJSBody. The HTTP handler returns after that.
func Pass() js.Value { return host().Call("pass") }

// Bytes returns a copy of b as a Uint8Array.
func Bytes(b []byte) js.Value {
	return host().Call("bytes", int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), len(b))
}

// theHost is context.host, once host has found it.
var theHost js.Value

func host() js.Value {
	if theHost.IsUndefined() {
		theHost = js.Global().Get("context").Get("host")
	}
	return theHost
}

// Codes of settle that say why a call has failed.
const (
	failed   = -1
	tooLarge = -2
)

// outcome is what settle says of the call that the program waits for.
type outcome struct {
	code int32
	data []byte
}

var outcomes = make(chan outcome, 1)

// settled blocks the goroutine until the host settles the call. The data is the caller's.
func settled() (status int, data []byte, err error) {
	o := <-outcomes
	switch o.code {
	case failed:
		return 0, nil, errors.New(string(o.data))
	case tooLarge:
		return 0, nil, ErrTooLarge
	}
	return int(o.code), o.data, nil
}

// settle gives the first n bytes of the input room to the goroutine that waits in settled, which goes on in go_scheduler. Where they take
// less than half of the room, as heads do, that goroutine gets a copy, and the room stays for what comes next.
//
//export settle
func settle(code, n int32) {
	data := input[:n]
	if len(data) < len(input)/2 {
		data = bytes.Clone(data)
	} else {
		input = nil
	}
	outcomes <- outcome{code, data}
}
