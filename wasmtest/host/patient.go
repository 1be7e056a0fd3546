package host

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// Patient returns a handler that calls next, and limits the time for the rest of a body that next
// does not read. net/http would wait for the rest without a limit, and before the answer. Patient
// sends the answer at once. Then Patient reads and drops the rest, up to the size and time limits
// of any client's body: a client that still sends when the connection closes gets a reset instead
// of the answer.
func Patient(next http.Handler) http.Handler { return &patient{next, usualPatience} }

type patient struct {
	next     http.Handler
	patience patience
}

func (p *patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if r.ContentLength == 0 {
		p.next.ServeHTTP(w, r)
		// for the end of the answer, written by net/http
		control.SetWriteDeadline(time.Now().Add(p.patience.stall))
		return
	}
	// otherwise net/http reads the body before it sends the answer's head
	control.EnableFullDuplex()
	// for the parts of the body that net/http itself reads
	control.SetReadDeadline(time.Now().Add(p.patience.silence))
	body := &watchedBody{ReadCloser: r.Body, w: w}
	inner := r.WithContext(r.Context()) // net/http uses the Body of its own request
	inner.Body = body
	p.next.ServeHTTP(w, inner)
	control.SetWriteDeadline(time.Now().Add(p.patience.stall))
	if body.over || r.Header.Get("Expect") != "" {
		// after Expect, a client with an answer does not send the body, and net/http closes the
		// connection
		return
	}
	control.Flush()
	io.CopyN(io.Discard, newPatientReader(w, inner, p.patience), maxDiscarded)
	if !body.over {
		closeAfter(w)
	}
}

// watchedBody is a client's body. A body that breaks off makes its connection close after the
// answer.
type watchedBody struct {
	io.ReadCloser
	w    http.ResponseWriter
	over bool // the body was read to its end, or broke off
}

func (b *watchedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if err != nil {
		b.over = true
		if err != io.EOF {
			closeAfter(b.w)
		}
	}
	return n, err
}

// closeAfter makes net/http close the connection after the answer. After EnableFullDuplex,
// net/http would parse the rest of an interrupted body as the next request. net/http offers only
// http.MaxBytesReader for this: a body over its limit ends the connection.
func closeAfter(w http.ResponseWriter) {
	http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
