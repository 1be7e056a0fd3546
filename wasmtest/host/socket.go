package host

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Bounds of a WebSocket. Those of lanes are OpenAI's (guide "WebSocket mode"), except for the waiting
// frames, of which OpenAI names no number.
const (
	maxFrame   = 16 << 20 // bytes of a client's frame, and of all frames that wait
	maxWaiting = 16       // frames that wait
	maxRunning = 16       // answers in progress
	maxLanes   = 32       // names of lanes
	maxEarly   = 10       // frames that find no room in a row: this many end the connection
	// after this much silence the host sends a ping, and the peer has the same time to answer
	pingAfter = 30 * time.Second
)

// socket is the WebSocket of a client whose upgrade was accepted. These goroutines serve the socket:
// serve starts and ends the answers, each answer has its own, read reads frames and notices when the
// client leaves, and ping finds peers that are gone without a word.
type socket struct {
	*upgrade
	next    http.Handler
	request *http.Request // the upgrade
	until   time.Time     // the end of the connection's lifetime
	ctx     context.Context
	cancel  context.CancelFunc // breaks the connection and the current answers
	ended   chan *socketFrame  // an answer has ended
	schedule
}

func newSocket(u *upgrade, next http.Handler, r *http.Request) *socket {
	// Package github.com/coder/websocket has no dependencies, takes a context everywhere and reads
	// a message as a stream. But the package waits for as many bytes as a caller requests, writes a
	// message under one lock, and gives a ping five seconds for the lock. So frames are read in
	// small pieces, each with the time of a body's read, and large events are written in pieces.
	// Compression is off: a small frame could become a large one.
	s := &socket{upgrade: u, next: next, request: r, until: time.Now().Add(u.lifetime),
		ended: make(chan *socketFrame, maxRunning)}
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
		for s.isRunning() {
			s.finish(<-s.ended)
		}
		stop()
		lifetime.Stop()
		s.release()
	}()
	shutting := s.sockets.shutting
	for {
		s.begin()
		if (s.isOver() || s.hangs) && !s.isRunning() {
			s.say()
			return
		}
		select {
		case t := <-s.ended:
			s.finish(t)
			if t.panicked != nil {
				panic(t.panicked)
			}
		case <-s.ctx.Done():
			return
		case <-lifetime.C:
		case <-shutting:
			shutting = nil
		}
	}
}

// begin starts the answers that can begin now.
func (s *socket) begin() {
	if s.isOver() {
		return
	}
	for _, t := range s.startable() {
		go s.answer(t)
	}
}

// isOver reports whether no further answer may begin: the lifetime has ended, or the host is shutting
// down.
func (s *socket) isOver() bool {
	select {
	case <-s.sockets.shutting:
		return true
	default:
		return !time.Now().Before(s.until)
	}
}

// say tells the client why the connection ends, and closes the connection.
func (s *socket) say() {
	switch {
	case s.ctx.Err() != nil:
	case s.hangs:
		s.refuseWaiting()
		s.part(websocket.StatusPolicyViolation, "refused", nil)
	case !time.Now().Before(s.until):
		s.part(websocket.StatusNormalClosure, "used up", limitReached("60 minutes"))
	default:
		s.part(websocket.StatusGoingAway, "shutting down", limitReached("the server is shutting down"))
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

// read reads the client's frames. A frame that can begin at once, or after the current answers, which
// have sent their last events, is read by its request; meanwhile read waits. Any other frame is
// buffered, because its lane is known only at its end.
func (s *socket) read() {
	// A frame is read once its request has a place: otherwise a thousand connections could hold 16
	// MB each. The bytes of buffered frames count as the memory of histories. Every byte counts as
	// the answer to a ping, since a client in the middle of a slow upload can't send a pong.
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
		switch {
		case ignored:
			if !s.discard(f) {
				return
			}
		case s.begins(f):
			s.begin()
			select {
			case <-f.over:
			case <-s.ctx.Done():
				return
			}
		case !s.later(f):
			return
		}
	}
}

// later buffers a frame and has it wait, or handles or refuses it. It reports whether the connection
// continues.
func (s *socket) later(f *clientFrame) bool {
	data, fits := s.buffer(f)
	if f.err != io.EOF {
		s.giveBack(cap(data))
		return s.discard(f)
	}
	reply, waits := []byte(nil), false
	if fits {
		reply, waits = s.enqueue(data)
	} else {
		reply = s.noRoom("")
	}
	if waits {
		s.begin()
		return true
	}
	s.giveBack(cap(data))
	if reply == nil {
		return true
	}
	if s.tooEarly() {
		s.part(websocket.StatusPolicyViolation, "response_in_progress", reply)
		return false
	}
	return s.send(reply) == nil
}

// buffer reads the rest of a frame. fits: the host had the memory. The caller gives the memory back.
func (s *socket) buffer(f *clientFrame) (data []byte, fits bool) {
	r := newPatientReader(&framed{socket: s}, &http.Request{Body: f}, s.patience)
	for fits = true; ; {
		if len(data) == cap(data) {
			more := max(cap(data), readSize)
			if fits = fits && s.sockets.memory.take(s.endpoint, more, 0); !fits {
				io.Copy(io.Discard, r)
				return data, false
			}
			data = append(make([]byte, 0, cap(data)+more), data...)
		}
		n, err := r.Read(data[len(data):cap(data)])
		if data = data[:len(data)+n]; err != nil {
			return data, true
		}
	}
}

// giveBack gives the memory of a buffered frame back.
func (s *socket) giveBack(n int) {
	if n > 0 {
		s.sockets.memory.give(s.endpoint, n)
	}
}

// discard drops the rest of a frame. It reports whether the connection continues.
func (s *socket) discard(f *clientFrame) bool {
	if f.request != nil && f.request.buffered > 0 {
		return true // all of it is in memory
	}
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
