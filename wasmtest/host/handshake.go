package host

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
)

// open answers an upgrade that the program has accepted: with 101, or with an error for an invalid
// handshake. The headers of the program's answer are set in w.
func (u *upgrade) open(w http.ResponseWriter, r *http.Request) error {
	h := &handshake{ResponseWriter: w, stall: u.patience.stall}
	if r.ContentLength != 0 { // bytes after the head would be read as frames
		h.status = http.StatusBadRequest
		h.text.WriteString("an upgrade has no body")
		return h.refuse(r)
	}
	// The program has checked the origin. Compression stays off: a small frame could become a large
	// one, and each connection would need compression windows.
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: true,
		CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		if h.status == 0 {
			return err // the client is gone
		}
		return h.refuse(r)
	}
	conn.SetReadLimit(-1) // clientFrame.Read has a limit, and reports an error to the client
	u.conn, u.wire = conn, h.wire
	return nil
}

// handshake is the http.ResponseWriter of an upgrade for package websocket. It intercepts errors,
// which would be plain text, and puts a wire between the connection and package websocket.
type handshake struct {
	http.ResponseWriter
	stall  time.Duration
	wire   *wire
	status int // of an error
	text   bytes.Buffer
}

func (h *handshake) WriteHeader(status int) {
	if status == http.StatusSwitchingProtocols {
		h.ResponseWriter.WriteHeader(status)
		return
	}
	h.status = status
}

func (h *handshake) Write(p []byte) (int, error) { return h.text.Write(p) }

// Hijack implements http.Hijacker.
func (h *handshake) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	h.wire = newWire(conn, h.stall)
	return h.wire, bufio.NewReadWriter(buffered.Reader, bufio.NewWriter(h.wire)), nil
}

// refuse answers with the error in the form of the client's protocol.
func (h *handshake) refuse(r *http.Request) error {
	client := endpoint.Client(r.URL.Path, r.Header.Get).Client
	body := client.AppendError(nil, &ir.Error{Kind: ir.InvalidRequest,
		Message: "This is no handshake of a WebSocket (RFC 6455, section 4.1): " +
			string(bytes.TrimSpace(h.text.Bytes())) + "."})
	h.Header().Set("Content-Type", "application/json")
	h.ResponseWriter.WriteHeader(h.status)
	_, err := h.ResponseWriter.Write(body)
	return err
}

// wire is the connection of a WebSocket. As with HTTP, a write fails if the peer reads nothing for
// too long.
type wire struct {
	net.Conn
	out     patientWriter
	began   time.Time
	came    atomic.Int64 // when bytes last came: nanoseconds since began
	went    atomic.Int64 // when bytes last went
	writing atomic.Bool  // bytes are on their way
}

func newWire(conn net.Conn, stall time.Duration) *wire {
	return &wire{Conn: conn, out: patientWriter{w: conn, control: unbuffered{conn}, stall: stall},
		began: time.Now()}
}

func (w *wire) Read(p []byte) (n int, err error) {
	n, err = w.Conn.Read(p)
	w.came.Store(int64(time.Since(w.began)))
	return n, err
}

// Write may only be called by one goroutine at a time, as package websocket does.
func (w *wire) Write(p []byte) (n int, err error) {
	w.writing.Store(true)
	defer w.writing.Store(false)
	n, err = w.out.Write(p)
	w.went.Store(int64(time.Since(w.began)))
	return n, err
}

// quiet returns for how long no byte has come or gone, 0 while some are on their way.
func (w *wire) quiet() time.Duration {
	if w.writing.Load() {
		return 0
	}
	return time.Since(w.began) - time.Duration(max(w.came.Load(), w.went.Load()))
}

// unbuffered is a connection in the form for patientWriter.
type unbuffered struct{ net.Conn }

func (unbuffered) Flush() error { return nil }
