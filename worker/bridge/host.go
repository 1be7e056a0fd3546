//go:build js && wasm

package bridge

import (
	"errors"
	"syscall/js"
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
	Head        string // lines of a head
	Body        []byte // nil: none
	HeadWait    int    // milliseconds to wait for a head before Fetch returns without; 0: as long as it takes
	Silence     int    // milliseconds that the upstream may stay silent
}

// Body returns the whole body of the client's request. The bytes are the caller's, and there is room for a few more behind them.
func Body(limit int) ([]byte, error) {
	v, err := await(host().Call("body", limit))
	if err != nil {
		return nil, err
	}
	return toGo(v, 256)
}

// Fetch sends a request upstream and waits for the head of its response. Status 0: it is still to come, see Call.HeadWait.
// The error's text is what the package comment says of fetch.
func Fetch(c Call) (Head, error) {
	body := js.Null()
	if c.Body != nil {
		body = Bytes(c.Body)
	}
	v, err := await(host().Call("fetch", c.URL, c.Method, c.Head, body, c.HeadWait, c.Silence))
	if err != nil {
		return Head{}, err
	}
	return Head{Status: v.Get("status").Int(), Lines: v.Get("head").String()}, nil
}

// Read returns the whole body of the upstream's response. The bytes are the caller's.
func Read(limit int) ([]byte, error) {
	v, err := await(host().Call("read", limit))
	if err != nil {
		return nil, err
	}
	return toGo(v, 0)
}

// Pass returns the upstream's body as it comes, for WriteRawJSBody. The handler returns after it.
func Pass() js.Value { return host().Call("pass") }

// Bytes returns b as a Uint8Array.
func Bytes(b []byte) js.Value {
	v := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(v, b)
	return v
}

func host() js.Value { return js.Global().Get("context").Get("host") }

// toGo copies a Uint8Array into memory with spare bytes behind it; null is ErrTooLarge.
func toGo(v js.Value, spare int) ([]byte, error) {
	if v.IsNull() {
		return nil, ErrTooLarge
	}
	n := v.Length()
	Reserve(n + spare)
	b := make([]byte, n, n+spare)
	js.CopyBytesToGo(b, v)
	return b, nil
}

// await blocks the goroutine until a promise of the host settles.
func await(promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	done := make(chan outcome, 1)
	fulfilled := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{value: args[0]}
		return nil
	})
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- outcome{err: errors.New(args[0].Get("message").String())}
		return nil
	})
	promise.Call("then", fulfilled, rejected)
	o := <-done
	fulfilled.Release()
	rejected.Release()
	return o.value, o.err
}
