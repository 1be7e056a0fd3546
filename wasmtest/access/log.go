package access

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"edgelingua/wasmtest/host"
)

// Log writes a line for each request to one io.Writer. It is safe for concurrent use.
type Log struct {
	// Over is called with each request and its entry after the entry's line is written. It may
	// retain the entry. It must be set before Handler is called, and may be nil.
	Over func(*Entry, *http.Request)

	style   Style
	open    atomic.Int64
	streams atomic.Int64

	mu  sync.Mutex
	out io.Writer
}

// New returns a log that writes to out, one call of Write per line.
func New(out io.Writer, style Style) *Log { return &Log{out: out, style: style} }

// Open returns how many requests are being served.
func (l *Log) Open() int { return int(l.open.Load()) }

// Streams returns the number of open requests whose answer is a stream that has started.
func (l *Log) Streams() int { return int(l.streams.Load()) }

// key is the context key of a request's entryWriter.
type key struct{}

// Handler returns a handler that calls next and then writes a line.
func (l *Log) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.open.Add(1)
		x := &entryWriter{ResponseWriter: w, streams: &l.streams, client: r.Context(), start: time.Now(),
			id: host.RequestID(r), entry: Entry{
				Method: r.Method, Path: bounded(host.LogPath(r)), Socket: host.OfSocket(r),
			}}
		body := &countedBody{ReadCloser: r.Body}
		r = r.WithContext(context.WithValue(r.Context(), key{}, x))
		r.Body = body
		defer func() { // also runs if next panics, which breaks the connection
			l.open.Add(-1)
			e := x.finish(body.n.Load())
			l.write(e)
			if l.Over != nil {
				l.Over(e, r)
			}
		}()
		next.ServeHTTP(x, r)
	})
}

// Done is for host.Config.Done: it notes the outcome of a request handled by Handler.
func (l *Log) Done(r *http.Request, o host.Outcome) {
	if x, ok := r.Context().Value(key{}).(*entryWriter); ok {
		x.failure = x.entry.take(o)
	}
}

func (l *Log) write(e *Entry) {
	line := l.style.append(nil, e)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Write(line)
}

// entryWriter is the http.ResponseWriter of one request. It notes the status, sizes and times of the
// answer.
type entryWriter struct {
	http.ResponseWriter
	streams *atomic.Int64   // the log's count of open streams
	stream  bool            // this request is counted in streams
	client  context.Context // done when the client is gone
	start   time.Time
	entry   Entry
	id      string // the request's id, for a response without an id
	failure error  // why the program's report can't be read, or nil
}

// statusGone is the status with which nginx logs a client that left before getting a status.
const statusGone = 499

// WriteHeader sends the status. A response without x-request-id, such as a refusal by the host,
// gets the request's id.
func (x *entryWriter) WriteHeader(status int) {
	if x.entry.Status != 0 {
		return
	}
	h := x.Header()
	id := h.Get("X-Request-Id")
	if id == "" {
		id = x.id
		host.SetRequestID(h, id)
	}
	x.entry.ID, x.entry.Status = bounded(id), status
	if x.client.Err() != nil {
		x.entry.Status = statusGone
	}
	if strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		x.stream = true
		x.streams.Add(1)
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write notes the time of the first byte and the number of bytes.
func (x *entryWriter) Write(p []byte) (n int, err error) {
	x.WriteHeader(http.StatusOK)
	if x.entry.FirstByte == nil && len(p) > 0 {
		first := millis(time.Since(x.start))
		x.entry.FirstByte = &first
	}
	n, err = x.ResponseWriter.Write(p)
	x.entry.BytesOut += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController flush the underlying ResponseWriter.
func (x *entryWriter) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *entryWriter) finish(bytesIn int64) *Entry {
	if x.stream {
		x.streams.Add(-1)
	}
	e := &x.entry
	e.Time = x.start.UTC().Format("2006-01-02T15:04:05.000Z")
	e.Total = millis(time.Since(x.start))
	e.BytesIn = bytesIn
	if x.failure != nil {
		e.Error = "report"
	}
	e.setError()
	return e
}

// bounded returns the first 256 bytes of a text made up by a peer.
func bounded(s string) string { return s[:min(len(s), 256)] }

// countedBody counts the bytes read from a request's body.
type countedBody struct {
	io.ReadCloser
	n atomic.Int64
}

func (b *countedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.n.Add(int64(n))
	return n, err
}
