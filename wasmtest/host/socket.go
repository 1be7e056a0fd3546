package host

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Bounds of a WebSocket.
const (
	maxFrame = 16 << 20 // bytes of a client's frame
	maxEarly = 10       // frames during the answer to another frame: this many end the connection
	// after this much silence the host sends a ping, and the peer has the same time to answer
	pingAfter = 30 * time.Second
)

// socket is the WebSocket of a client whose upgrade was accepted. Three goroutines serve the
// socket: serve answers frame after frame, read reads frames and notices when the client leaves,
// and ping finds peers that are gone without a word.
type socket struct {
	*upgrade
	next    http.Handler
	request *http.Request // the upgrade
	until   time.Time     // the end of the connection's lifetime
	ctx     context.Context
	cancel  context.CancelFunc          // breaks the connection and the current answer
	frames  chan *clientFrame           // from read to serve
	frame   atomic.Pointer[socketFrame] // the frame being answered, or nil
	history history
}

func newSocket(u *upgrade, next http.Handler, r *http.Request) *socket {
	// Package github.com/coder/websocket has no dependencies, takes a context everywhere and reads
	// a message as a stream. But the package waits for as many bytes as a caller requests, writes a
	// message under one lock, and gives a ping five seconds for the lock. So frames are read in
	// small pieces, each with the time of a body's read, and large events are written in pieces.
	// Compression is off: a small frame could become a large one.
	s := &socket{upgrade: u, next: next, request: r, until: time.Now().Add(u.lifetime),
		frames: make(chan *clientFrame)}
	s.ctx, s.cancel = context.WithCancel(r.Context())
	return s
}

// serve answers frames until the end of the connection.
func (s *socket) serve() {
	stop := context.AfterFunc(s.sockets.closed, s.cancel)
	lifetime := time.NewTimer(s.lifetime)
	reading, pinging := make(chan struct{}), make(chan struct{})
	go func() { defer close(reading); s.read() }()
	go func() { defer close(pinging); s.ping() }()
	defer func() { // also runs if next panics
		s.cancel()
		s.conn.CloseNow()
		<-reading
		<-pinging
		stop()
		lifetime.Stop()
		s.keep(history{})
	}()
	for !s.over() {
		select {
		case f := <-s.frames:
			s.answer(f)
		case <-s.ctx.Done():
		case <-lifetime.C:
		case <-s.sockets.shutting:
		}
	}
}

// over reports whether the connection ends now, and says so to the client.
func (s *socket) over() bool {
	if s.ctx.Err() != nil {
		return true
	}
	if !time.Now().Before(s.until) {
		s.part(websocket.StatusNormalClosure, "used up", limitReached("60 minutes"))
		return true
	}
	select {
	case <-s.sockets.shutting:
		s.part(websocket.StatusGoingAway, "shutting down", limitReached("the server is shutting down"))
		return true
	default:
		return false
	}
}

// part sends a last frame, if given, and closes the connection with a status and a reason.
func (s *socket) part(status websocket.StatusCode, reason string, last []byte) {
	if last != nil {
		s.send(last)
	}
	s.conn.Close(status, reason)
	s.cancel()
}

// refuse ends the connection because of a frame.
func (s *socket) refuse(end websocket.StatusCode, status int, code, message string) {
	s.part(end, code, socketError(status, code, message))
}

// send sends a frame. If the client does not accept the frame, send breaks the connection.
func (s *socket) send(text []byte) error {
	err := s.write(text)
	if err != nil {
		s.cancel()
	}
	return err
}

// write writes a frame. A large frame is written in pieces, so pings and pongs can pass in between.
func (s *socket) write(text []byte) error {
	if len(text) <= pieceSize {
		return s.conn.Write(s.ctx, websocket.MessageText, text)
	}
	w, err := s.conn.Writer(s.ctx, websocket.MessageText)
	for err == nil && len(text) > 0 {
		n := min(len(text), pieceSize)
		_, err = w.Write(text[:n])
		text = text[n:]
	}
	if err != nil {
		return err
	}
	return w.Close()
}

// read passes the client's frames to serve, one at a time, and continues when serve has read the
// last frame. So read notices even during an answer that the client leaves. A frame after the last
// event of an answer waits until the answer to the current frame has ended.
func (s *socket) read() {
	// A frame is read once its request has a place: otherwise a thousand connections could hold 16
	// MB each. Every byte counts as the answer to a ping, since a client in the middle of a slow
	// upload can't send a pong.
	defer s.cancel()
	for {
		kind, message, err := s.conn.Reader(s.ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			s.refuse(websocket.StatusUnsupportedData, http.StatusBadRequest, "invalid_frame",
				"Frames are text: binary ones are not taken.")
			return
		}
		f, ignored := newClientFrame(message)
		if ignored {
			if !s.discard(f) {
				return
			}
			continue
		}
		if t := s.frame.Load(); t != nil && !t.answered.Load() {
			if !s.tooEarly(t, f) {
				return
			}
			continue
		}
		select {
		case s.frames <- f:
		case <-s.ctx.Done():
			return
		}
		select {
		case <-f.over:
		case <-s.ctx.Done():
			return
		}
	}
}

// tooEarly refuses a frame that arrives during the answer to another frame. It reports whether the
// connection continues.
func (s *socket) tooEarly(t *socketFrame, f *clientFrame) bool {
	const code, message = "response_in_progress", "A response is in progress on this connection, which " +
		"runs one at a time. " +
		"Wait for its last event, or open another connection."
	if t.early++; t.early == maxEarly {
		s.refuse(websocket.StatusPolicyViolation, http.StatusConflict, code, message)
		return false
	}
	if s.send(socketError(http.StatusConflict, code, message)) != nil {
		return false
	}
	return s.discard(f)
}

// discard drops the rest of a frame. It reports whether the connection continues.
func (s *socket) discard(f *clientFrame) bool {
	if f.err == nil {
		io.Copy(io.Discard, newPatientReader(&framed{socket: s}, &http.Request{Body: f}, s.patience))
	}
	if f.err == errFrameTooLarge {
		s.refuse(websocket.StatusMessageTooBig, http.StatusRequestEntityTooLarge, "frame_too_large",
			"The frame is over the limit of 16 MB. Send less: fewer or smaller images and documents, or a "+
				"shorter history.")
	}
	return f.err == io.EOF
}

// ping ends the connection if the peer does not answer a ping. If the peer does not read the bytes
// being sent, the wire gives up the peer.
func (s *socket) ping() {
	for wait := pingAfter; ; {
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
			return
		}
		if wait = pingAfter - s.wire.quiet(); wait > 0 {
			continue
		}
		wait = pingAfter
		before := s.wire.came.Load()
		ctx, cancel := context.WithTimeout(s.ctx, pingAfter)
		err := s.conn.Ping(ctx)
		cancel()
		if err != nil && s.wire.came.Load() == before && !s.wire.writing.Load() {
			s.cancel()
			return
		}
	}
}
