package record

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// recording is one request of a client with all that comes of it.
type recording struct {
	recorder *Recorder
	request  *http.Request
	start    time.Time

	mu       sync.Mutex
	over     bool  // nothing is added any more
	held     int64 // of the recorder's memory
	secrets  []string
	asked    tape
	calls    []*call
	status   int
	head     http.Header
	answered tape
	took     time.Duration
	notes    []string
}

// call is a request to an upstream, and its answer.
type call struct {
	method, url string
	sentHead    http.Header
	sent        tape
	status      int // 0: there is no answer
	head        http.Header
	received    tape
	failure     string
}

// key is the key under which the context of a request has its *recording.
type key struct{}

func recordingOf(ctx context.Context) *recording {
	x, _ := ctx.Value(key{}).(*recording)
	return x
}

// add gathers a piece of a body, unless it, the recording or all recordings together have their
// most.
func (x *recording) add(t *tape, p []byte, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	switch err {
	case nil:
	case io.EOF:
		t.ended = true
	default:
		t.broken = err.Error()
	}
	if len(p) == 0 {
		return
	}
	t.size += int64(len(p))
	if t.over {
		t.more++
		return
	}
	b := &x.recorder.bounds
	cost := int64(len(p) + perChunk)
	if int64(len(t.bytes)+len(p)) > b.Body || x.held+cost > b.File || !x.recorder.hold(cost) {
		n := int64(len(t.bytes))
		t.over, t.bytes = true, nil
		t.more++
		x.held -= n
		x.recorder.hold(-n)
		return
	}
	x.held += cost
	t.bytes = append(t.bytes, p...)
	if len(t.chunks) < maxChunks {
		t.chunks = append(t.chunks, chunk{time.Since(x.start), len(p)})
	} else {
		t.more++
	}
}

// perChunk is what a chunk is taken to use of the memory beside its bytes.
const perChunk = 32

// finish ends the gathering. whole is false where the answer broke off.
func (x *recording) finish(whole bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over, x.took = true, time.Since(x.start)
	x.answered.ended = whole
	if !whole {
		x.notes = append(x.notes,
			"The connection to the client was broken in the middle of the answer, on purpose.")
	}
	if x.request.Context().Err() != nil {
		x.notes = append(x.notes, "The client left.")
	}
}

// letIn reports whether the program has done anything for the client: it does not read the body of
// a request without a good key, and asks no upstream for it.
func (x *recording) letIn() bool { return x.asked.size > 0 || len(x.calls) > 0 }

// reading is a body that is gathered while it is read.
type reading struct {
	io.ReadCloser
	recording *recording
	tape      *tape
}

func (b *reading) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	b.recording.add(b.tape, p[:n], err)
	return n, err
}

// writing is an http.ResponseWriter that gathers what is written.
type writing struct {
	http.ResponseWriter
	recording *recording
}

func (w *writing) WriteHeader(status int) {
	w.recording.begin(status, w.Header())
	w.ResponseWriter.WriteHeader(status)
}

func (x *recording) begin(status int, head http.Header) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.status == 0 {
		x.status, x.head = status, head.Clone()
	}
}

func (w *writing) Write(p []byte) (n int, err error) {
	w.recording.begin(http.StatusOK, w.Header())
	n, err = w.ResponseWriter.Write(p)
	w.recording.add(&w.recording.answered, p[:n], err)
	return n, err
}

// Unwrap is for http.ResponseController, which flushes the ResponseWriter beneath.
func (w *writing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// watched is a transport whose requests are gathered.
type watched struct {
	recorder *Recorder
	next     http.RoundTripper
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	w.recorder.learn(secretsIn(r.Header))
	x := recordingOf(r.Context())
	if x == nil {
		return w.next.RoundTrip(r)
	}
	c := x.call(r)
	response, err := w.next.RoundTrip(r)
	x.mu.Lock()
	switch {
	case x.over:
	case err != nil:
		c.failure = err.Error()
	default:
		c.status, c.head = response.StatusCode, response.Header.Clone()
	}
	x.mu.Unlock()
	if response != nil {
		response.Body = &reading{response.Body, x, &c.received}
	}
	return response, err
}

// call begins the next call of a recording.
func (x *recording) call(r *http.Request) *call {
	query, secrets := queryOf(r.URL.RawQuery)
	c := &call{method: r.Method, sentHead: r.Header.Clone()}
	c.url = r.URL.Scheme + "://" + r.URL.Host + r.URL.EscapedPath() + query
	x.mu.Lock()
	x.secrets = append(append(x.secrets, secretsIn(r.Header)...), secrets...)
	x.calls = append(x.calls, c)
	x.mu.Unlock()
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			io.Copy(gathering{x, &c.sent}, body)
			x.add(&c.sent, nil, io.EOF)
		}
	}
	return c
}

// gathering is an io.Writer that gathers.
type gathering struct {
	recording *recording
	tape      *tape
}

func (g gathering) Write(p []byte) (n int, err error) {
	g.recording.add(g.tape, p, nil)
	return len(p), nil
}
