package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"edgelingua/wasmtest/host/js"
)

// socketFrame is a frame of a WebSocket being answered, as a request with an instance of its own.
type socketFrame struct {
	socket    *socket
	frame     *clientFrame
	lane      atomic.Pointer[string] // the name of the lane; "" until the frame was read to its end
	buffered  int                    // the bytes of memory for the frame; 0: the request reads the frame
	ctx       context.Context
	cancel    context.CancelFunc
	cancelled atomic.Bool // the client has cancelled the answer
	answered  atomic.Bool // the last event of the answer is sent, or being sent
	recalled  []byte      // the recalled history
	forked    int         // the bytes of recalled that another lane remembers, too
	hungUp    bool        // the program has requested the end of the connection
	panicked  any         // what the request has panicked with
}

// name returns the name of the lane.
func (t *socketFrame) name() string {
	if lane := t.lane.Load(); lane != nil {
		return *lane
	}
	return ""
}

// frameKey is the key of a request's *socketFrame in the context.
type frameKey struct{}

// OfSocket reports whether a request is a frame of a WebSocket.
func OfSocket(r *http.Request) bool { return frameOf(r) != nil }

func frameOf(r *http.Request) *socketFrame {
	t, _ := r.Context().Value(frameKey{}).(*socketFrame)
	return t
}

// answer serves the request that a frame represents.
func (s *socket) answer(t *socketFrame) {
	defer func() {
		t.panicked = recover()
		s.ended <- t
	}()
	defer t.cancel()
	f := t.frame
	w := &framed{socket: s, frame: t, header: http.Header{}}
	whole := unbroken(func() { s.next.ServeHTTP(w, s.asPost(t.ctx, f)) })
	t.hungUp = s.discard(f) && t.hungUp // the lane is known at the end of the frame
	if !whole {
		w.breakOff()
	}
	if f.err != errFrameTooLarge {
		w.finish()
	}
}

// unbroken calls serve, and reports whether serve finished its answer.
func unbroken(serve func()) (whole bool) {
	defer func() {
		if r := recover(); r != nil && r != http.ErrAbortHandler {
			panic(r)
		}
	}()
	serve()
	return true
}

// ofUpgrade are headers of an upgrade that do not apply to requests on its connection.
var ofUpgrade = []string{"Connection", "Upgrade", "Content-Encoding", "Content-Length", "Expect",
	"Idempotency-Key", "Keep-Alive", "Te",
	"Trailer", "Transfer-Encoding", "X-Request-Id"}

// asPost returns the request that a frame represents.
func (s *socket) asPost(ctx context.Context, f *clientFrame) *http.Request {
	r := s.request.Clone(ctx)
	r.Method, r.Body, r.ContentLength = http.MethodPost, f, -1
	for name := range r.Header {
		if strings.HasPrefix(name, "Sec-Websocket-") {
			delete(r.Header, name)
		}
	}
	for _, name := range ofUpgrade {
		delete(r.Header, name)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// clientFrame is a client's frame as the body of a request. Reading begins after the request is
// admitted.
type clientFrame struct {
	message io.Reader
	request *socketFrame // of a frame that its request reads
	scan    laneScan
	size    int
	err     error         // io.EOF, or why the rest can't be read; nil: there may be more
	over    chan struct{} // closed when the frame was read to its end, or broke off
}

// readSize is how many bytes of a frame are read at once. Package websocket waits until it has as
// many bytes as requested, and a slow client should get its time limit for each read of a body.
const readSize = 4 << 10

var errFrameTooLarge = errors.New("a frame over its limit")

// processed is how a frame begins that Codex sends after each response, without a request for an
// answer (openai/codex#21284, feature responses_websocket_response_processed).
const processed = `{"type":"response.processed"`

// newClientFrame returns a frame. ignored reports whether it begins with processed. Only bytes that
// may belong to processed are read at once: the rest of a frame is read with the time limits of a
// body.
func newClientFrame(message io.Reader) (f *clientFrame, ignored bool) {
	start := make([]byte, 0, 2*len(processed))
	for n := 0; n < len(processed) && len(start) < cap(start); {
		end := len(start)
		k, err := message.Read(start[end : end+1])
		start = start[:end+k]
		if err != nil {
			message = failing{err}
			break
		}
		if k == 0 || strings.IndexByte(" \t\r\n", start[end]) >= 0 {
			continue
		}
		if start[end] != processed[n] {
			break
		}
		n++
		ignored = n == len(processed)
	}
	return &clientFrame{message: io.MultiReader(bytes.NewReader(start), message), over: make(chan struct{})},
		ignored
}

// failing is the rest of a frame whose end, or failure, has come.
type failing struct{ err error }

func (r failing) Read([]byte) (int, error) { return 0, r.err }

func (f *clientFrame) Read(p []byte) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err = f.message.Read(p[:min(len(p), readSize)])
	if f.request != nil && f.request.buffered == 0 {
		f.scan.push(p[:n])
	}
	switch f.size += n; {
	case f.size > maxFrame:
		f.err = errFrameTooLarge // the socket's read does not go on: the end of the frame has not come
		return 0, f.err
	case err != nil:
		f.err = err
		if f.request != nil && f.request.buffered == 0 {
			f.request.named(f.scan.lane())
		}
		close(f.over)
	}
	return n, err
}

func (f *clientFrame) Close() error { return nil }

// hangUp implements the bridge's hangUp.
func (x *hostRequest) hangUp(args arguments) js.Value {
	x.frameFor(args).hungUp = true
	return nil
}

func (x *hostRequest) frameFor(args arguments) *socketFrame {
	if x.frame == nil {
		js.Stop("%s is called for a request that is no frame of a WebSocket", args.name)
	}
	return x.frame
}

// accept implements the bridge's accept.
func (x *hostRequest) accept(args arguments) js.Value {
	if x.upgrade == nil || x.upgrade.accepted {
		js.Stop("%s is called for a request that asks for no WebSocket, or twice", args.name)
	}
	return x.upgrade.accept(args.string(0), args.int(1), args.milliseconds(2))
}
