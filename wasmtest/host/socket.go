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
	maxEarly = 10       // frames that come while another one is answered: so many end the connection
	// a peer that was quiet for so long is sent a ping, and has as long to answer it
	pingAfter = 30 * time.Second
)

// socket is the WebSocket of a client whose upgrade was accepted. Three goroutines serve it: serve
// answers one frame after the other, read takes frames in and sees when the client leaves, and ping
// finds peers that are gone without a word.
type socket struct {
	*upgrade
	next    http.Handler
	request *http.Request // the upgrade
	until   time.Time     // when the connection has had its time
	ctx     context.Context
	cancel  context.CancelFunc   // breaks the connection, and the answer on it
	frames  chan *clientFrame    // from read to serve
	turn    atomic.Pointer[turn] // the frame that is being answered; nil: none is
	history history
}

func newSocket(u *upgrade, next http.Handler, r *http.Request) *socket {
	s := &socket{upgrade: u, next: next, request: r, until: time.Now().Add(u.lifetime),
		frames: make(chan *clientFrame)}
	s.ctx, s.cancel = context.WithCancel(r.Context())
	return s
}

// serve answers frames until the connection is over.
func (s *socket) serve() {
	stop := context.AfterFunc(s.sockets.closed, s.cancel)
	lifetime := time.NewTimer(s.lifetime)
	reading, pinging := make(chan struct{}), make(chan struct{})
	go func() { defer close(reading); s.read() }()
	go func() { defer close(pinging); s.ping() }()
	defer func() { // runs also where next panics
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

// over reports whether the connection ends now, which it tells the client.
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

// part sends a last frame, if there is one, and closes the connection with a status and a reason.
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

// send sends a frame. A connection that does not take it is broken.
func (s *socket) send(text []byte) error {
	err := s.write(text)
	if err != nil {
		s.cancel()
	}
	return err
}

// write writes a frame: a large one in pieces, between which pings and pongs get through.
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

// read hands the client's frames to serve, one at a time, and reads on when serve has read the last
// one: so it sees also in the middle of an answer when the client leaves. A frame that comes behind
// the last event of an answer waits until that turn is over.
func (s *socket) read() {
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
		f := &clientFrame{message: message, over: make(chan struct{})}
		if t := s.turn.Load(); t != nil && !t.answered.Load() {
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

// tooEarly refuses a frame that comes while another one is answered, and reports whether the
// connection goes on.
func (s *socket) tooEarly(t *turn, f *clientFrame) bool {
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

// discard drops what is left of a frame, and reports whether the connection goes on.
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

// ping ends the connection when the peer does not answer a ping. A peer that takes nothing of what
// is being sent is the wire's to give up.
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
