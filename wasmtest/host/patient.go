package host

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// Patient returns a handler that serves by next, and bounds the time of a body that next leaves
// unread: net/http would wait for it without an end, and before it sends the answer. The answer
// goes out at once. After that as much of the body is read and dropped as a client may send of any
// body, in the same time: a client that is still sending when its connection closes gets a reset in
// place of the answer.
func Patient(next http.Handler) http.Handler { return &patient{next, usualPatience} }

type patient struct {
	next     http.Handler
	patience patience
}

func (p *patient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if r.ContentLength == 0 {
		p.next.ServeHTTP(w, r)
		// for the end of the answer, which net/http writes
		control.SetWriteDeadline(time.Now().Add(p.patience.stall))
		return
	}
	// else net/http reads the body before it sends the answer's head
	control.EnableFullDuplex()
	// for what net/http reads of the body on its own
	control.SetReadDeadline(time.Now().Add(p.patience.silence))
	body := &watchedBody{ReadCloser: r.Body, w: w}
	inner := r.WithContext(r.Context()) // net/http goes by the Body of its own request
	inner.Body = body
	p.next.ServeHTTP(w, inner)
	control.SetWriteDeadline(time.Now().Add(p.patience.stall))
	if body.over || r.Header.Get("Expect") != "" {
		// after Expect, a client that has its answer does not send the body, and net/http closes
		// the connection
		return
	}
	control.Flush()
	io.CopyN(io.Discard, newPatientReader(w, inner, p.patience), maxDiscarded)
	if !body.over {
		closeBehind(w)
	}
}

// watchedBody is a client's body. Where it breaks off, its connection serves no other request.
type watchedBody struct {
	io.ReadCloser
	w    http.ResponseWriter
	over bool // it was read to its end, or broke off
}

func (b *watchedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if err != nil {
		b.over = true
		if err != io.EOF {
			closeBehind(b.w)
		}
	}
	return n, err
}

// closeBehind makes net/http close the connection behind the answer. After EnableFullDuplex it
// would take the rest of a body that broke off for the next request. http.MaxBytesReader is what
// net/http offers for it: a body over its limit ends the connection.
func closeBehind(w http.ResponseWriter) {
	http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}
