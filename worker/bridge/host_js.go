//go:build js && wasm

package bridge

import (
	"bytes"
	"errors"
	"syscall/js"
	"time"
	"unsafe"
)

// Host is the host of the one request that this instance serves. Its methods call the imports of the module: see Services.
type Host struct{}

// ClientBody is the body of an answer to the client.
type ClientBody = js.Value

// NoBody is the body of an answer that has none.
func NoBody() ClientBody { return js.Null() }

// Bytes returns a copy of b as a body: a Uint8Array.
func Bytes(b []byte) ClientBody {
	return host().Call("bytes", int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), len(b))
}

func (Host) ClientHead() string { return host().Get("clientHead").String() }

// settings is what Settings returns, once it was asked for; a deployment always has some.
var settings string

func (Host) Settings() string {
	if settings == "" {
		settings = host().Get("settings").String()
	}
	return settings
}

func (Host) Body(limit int) ([]byte, error) {
	host().Call("body", limit)
	_, body, err := settled()
	return body, err
}

func (Host) Now() time.Time { return time.Now() }

func (h Host) Fetch(c Call) (Head, error) {
	h.Refetch(c)
	status, head, err := settled()
	return Head{Status: status, Lines: unsafe.String(unsafe.SliceData(head), len(head))}, err
}

func (Host) Refetch(c Call) {
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

func (Host) Read(limit, time int) ([]byte, error) {
	host().Call("read", limit, time)
	_, body, err := settled()
	return body, err
}

func (Host) Pass() ClientBody { return host().Call("pass") }

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
