package host

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// patience limits the time of a client. A stream as a whole has no limit: it may stay open for
// hours.
type patience struct {
	silence time.Duration // between two reads of the client's body
	body    time.Duration // for the client's whole body
	// without reading its answer; the client may be given up after three quarters of stall
	stall time.Duration
}

// usualPatience lets 16 MB come in over 0.5 Mbit/s, and a laptop sleep for a moment.
var usualPatience = patience{silence: 30 * time.Second, body: 5 * time.Minute, stall: 2 * time.Minute}

// patientReader reads a client's body. A read beyond the limits of patience fails, and so do all
// later reads.
type patientReader struct {
	request  *http.Request
	control  *http.ResponseController
	patience patience
	until    time.Time
	stopped  atomic.Bool
}

func newPatientReader(w http.ResponseWriter, r *http.Request, p patience) *patientReader {
	return &patientReader{request: r, control: http.NewResponseController(w), patience: p,
		until: time.Now().Add(p.body)}
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
		// net/http itself now reads the connection, to see when the client leaves
		p.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// stop ends a pending read. Otherwise net/http would wait for the read before it writes a response.
func (p *patientReader) stop() {
	p.stopped.Store(true)
	p.control.SetReadDeadline(time.Unix(1, 0))
}

// pieceSize is how many bytes of a body are written at once: a client must read that many within
// patience.stall.
const pieceSize = 64 << 10

// patientWriter writes to a client, and fails when the client takes nothing for too long.
type patientWriter struct {
	w       io.Writer
	control interface { // of w, as http.ResponseController is
		SetWriteDeadline(deadline time.Time) error
		Flush() error
	}
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

// Flush sends all written bytes.
func (p *patientWriter) Flush() error {
	p.extend()
	return p.control.Flush()
}

// extend sets a new write deadline, unless the last deadline is still mostly ahead: a stream has
// many small writes.
func (p *patientWriter) extend() {
	if now := time.Now(); p.deadline.Sub(now) < p.stall-p.stall/4 {
		p.deadline = now.Add(p.stall)
		p.control.SetWriteDeadline(p.deadline)
	}
}
