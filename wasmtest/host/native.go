package host

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"time"

	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/bridge"
)

// NewNative returns a host that serves requests with p in this process, without the module.
// Config.Trace and Config.CacheDir are ignored.
func NewNative(p bridge.Program, config Config) *Host {
	h := newHost(config)
	h.native = p
	return h
}

// native runs a program in this process. As with the module and its host, either the program's
// goroutine or the loop runs, while the other waits. native is the bridge.Engine and the
// bridge.Answerer of its request.
type native struct {
	x       *hostRequest
	program bridge.Program
	exports bridge.Exports
	now     func() time.Time

	header http.Header
	status int
	body   bridge.ClientBody
	ready  bool // Ready was called

	resumed  chan struct{} // lets the goroutine run
	parked   chan struct{} // lets the loop run
	finished chan struct{} // closed at the end of the request
	exited   chan struct{} // closed at the end of the goroutine
	leaving  bool          // the goroutine ends because finished was closed

	code    int // the outcome of the goroutine's pending call
	data    []byte
	woken   bool  // the stream needs a further call, and AwaitNextRequest has not returned yet
	asleep  bool  // the goroutine waits in AwaitNextRequest
	failure error // the reason why the program ended early
}

func newNative(p bridge.Program, x *hostRequest, now func() time.Time) *native {
	return &native{x: x, program: p, now: now, header: http.Header{},
		resumed: make(chan struct{}), parked: make(chan struct{}), finished: make(chan struct{}),
		exited: make(chan struct{})}
}

func (n *native) begin() {
	go n.serve()
	n.x.loop.Later(n.run)
}

// run lets the goroutine run until it waits or ends.
func (n *native) run() {
	n.resumed <- struct{}{}
	<-n.parked
	if n.failure != nil {
		panic(&js.Fatal{Err: n.failure})
	}
}

// serve is the program's goroutine.
func (n *native) serve() {
	defer close(n.exited)
	select {
	case <-n.resumed:
	case <-n.finished:
		return
	}
	defer func() {
		if n.leaving {
			return
		}
		if r := recover(); r != nil {
			var f *js.Fatal
			if err, ok := r.(error); ok && errors.As(err, &f) {
				n.failure = f.Err
			} else {
				n.failure = js.Panicked(r)
			}
		}
		n.parked <- struct{}{}
	}()
	r := n.x.request
	u, err := url.Parse(urlOf(r))
	if err != nil {
		js.Stop("the URL of the request: %w", err)
	}
	n.program.Serve(bridge.NewHost(n), n, (&http.Request{Method: r.Method, URL: u,
		Header: http.Header{}}).WithContext(context.Background()))
	n.Ready()
}

// park lets the loop run until the loop resumes the goroutine. At the end of the request park ends
// the goroutine.
func (n *native) park() {
	n.parked <- struct{}{}
	select {
	case <-n.resumed:
	case <-n.finished:
		n.leaving = true
		runtime.Goexit()
	}
}

func (n *native) settle(code int, data []byte) {
	n.code, n.data = code, data
	n.run()
}

func (n *native) goOn() {
	if n.woken = !n.asleep; n.asleep {
		n.run()
	}
}

func (n *native) head(status int, lines string) (again bool) { return n.exports.Head(status, lines) }

func (n *native) push(chunk []byte) (out []byte, next bridge.Next) {
	return joined(n.exports.Push(chunk))
}

func (n *native) complete() bool { return n.exports.Complete() }

func (n *native) closeStream(c cause) (out []byte, next bridge.Next) {
	return joined(n.exports.Close(bridge.Cause(c)))
}

// joined returns an output as a single piece.
func joined(out []byte, pieces [][]byte, next bridge.Next) ([]byte, bridge.Next) {
	if pieces != nil {
		out = bytes.Join(pieces, nil)
	}
	return out, next
}

func (n *native) end() []byte { return n.exports.End() }

func (n *native) ended(reason string) []byte {
	var err error
	if reason != "" {
		err = errors.New(reason)
	}
	return n.exports.Ended(err)
}

func (n *native) remember() []byte { return n.exports.Remember() }

func (n *native) accounts() []byte { return n.exports.Account() }

func (n *native) report() []byte { return n.exports.Report() }

func (n *native) over() error { return nil }

// close ends the goroutine and waits for the end.
func (n *native) close() {
	close(n.finished)
	<-n.exited
}

// Call implements bridge.Engine.
func (n *native) Call(name string, args ...any) any {
	m, known := hostMethods[name]
	if !known {
		js.Stop("there is no host.%s", name)
	}
	values := make([]js.Value, len(args))
	for i, arg := range args {
		values[i] = valueOf(arg)
	}
	switch v := m.call(n.x, arguments{"host." + name, values}).(type) {
	case bool:
		return v
	case *js.ReadableStream:
		return bridge.ClientBody{Filled: v}
	}
	return nil
}

// valueOf converts an argument of Call into the value that the module would pass.
func valueOf(arg any) js.Value {
	switch v := arg.(type) {
	case string:
		return js.Decode([]byte(v))
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case bridge.ClientBody:
		if v.IsNull() {
			return js.Null{}
		}
		return &js.Uint8Array{Data: v.Bytes}
	}
	return arg
}

// Get implements bridge.Engine.
func (n *native) Get(name string) any {
	v, _ := (&hostObject{n.x}).Get(name)
	return v
}

// Wait implements bridge.Engine.
func (n *native) Wait() (code int, data []byte) {
	n.park()
	return n.code, n.data
}

// AwaitNextRequest implements bridge.Engine.
func (n *native) AwaitNextRequest() {
	if !n.woken {
		n.asleep = true
		n.park()
		n.asleep = false
	}
	n.woken = false
}

// Random implements bridge.Engine.
func (n *native) Random(b []byte) { rand.Read(b) }

// Time implements bridge.Engine.
func (n *native) Time() time.Time { return n.now() }

// Exports implements bridge.Engine.
func (n *native) Exports() *bridge.Exports { return &n.exports }

// Header implements bridge.Answerer.
func (n *native) Header() http.Header { return n.header }

// WriteHeader implements bridge.Answerer.
func (n *native) WriteHeader(status int) { n.status = status }

// Write implements bridge.Answerer. It always fails: WriteRawJSBody writes bodies.
func (n *native) Write([]byte) (int, error) {
	return 0, errors.New("the body of an answer is written with WriteRawJSBody")
}

// WriteRawJSBody implements bridge.Answerer.
func (n *native) WriteRawJSBody(body bridge.ClientBody) { n.body = body }

// Ready implements bridge.Answerer.
func (n *native) Ready() {
	if n.ready {
		return
	}
	n.ready = true
	r := &js.Response{Status: n.status, Headers: js.NewHeaders(nil), Bytes: n.body.Bytes}
	for name, values := range n.header {
		for _, v := range values {
			if err := r.Headers.Append(name, js.Decode([]byte(v))); err != nil {
				js.Stop("the answer: %w", err)
			}
		}
	}
	if s, ok := n.body.Filled.(*js.ReadableStream); ok {
		r.Stream = s
	}
	n.x.answer(r)
}
