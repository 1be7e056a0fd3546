package host

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// patience is how long a client may take. There is no bound on a stream as a whole: it may be open for hours.
type patience struct {
	silence time.Duration // in the middle of its body
	body    time.Duration // for its whole body
	stall   time.Duration // without taking anything of what is written; it may be a quarter less
}

// usualPatience lets 16 MB come in over 0.5 Mbit/s, and a laptop sleep for a moment.
var usualPatience = patience{silence: 30 * time.Second, body: 5 * time.Minute, stall: 2 * time.Minute}

// patientReader reads a client's body. When patience is at its end, a read fails, and so do all that follow.
type patientReader struct {
	request  *http.Request
	control  *http.ResponseController
	patience patience
	until    time.Time
	stopped  atomic.Bool
}

func newPatientReader(w http.ResponseWriter, r *http.Request, p patience) *patientReader {
	return &patientReader{request: r, control: http.NewResponseController(w), patience: p, until: time.Now().Add(p.body)}
}

func (p *patientReader) Read(b []byte) (n int, err error) {
	deadline := time.Now().Add(p.patience.silence)
	if p.until.Before(deadline) {
		deadline = p.until
	}
	p.control.SetReadDeadline(deadline)
	if p.stopped.Load() {
		p.stop()
	}
	n, err = p.request.Body.Read(b)
	if err == io.EOF {
		p.control.SetReadDeadline(time.Time{}) // from now on net/http reads to see the client leave
	}
	return n, err
}

// stop ends a read that is under way. net/http would wait for it before a response.
func (p *patientReader) stop() {
	p.stopped.Store(true)
	p.control.SetReadDeadline(time.Unix(1, 0))
}

// pieceSize is how much of a body is written at once: so much a client has to take in the time of a stall.
const pieceSize = 64 << 10

// patientWriter writes to a client, and fails when it takes nothing.
type patientWriter struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	stall    time.Duration
	deadline time.Time
}

func (p *patientWriter) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		p.extend()
		var m int
		m, err = p.w.Write(b[n:min(n+pieceSize, len(b))])
		n += m
	}
	return n, err
}

// Flush sends what was written.
func (p *patientWriter) Flush() error {
	p.extend()
	return p.control.Flush()
}

// extend sets the deadline anew, not at each of a stream's small writes.
func (p *patientWriter) extend() {
	if now := time.Now(); p.deadline.Sub(now) < p.stall-p.stall/4 {
		p.deadline = now.Add(p.stall)
		p.control.SetWriteDeadline(p.deadline)
	}
}
