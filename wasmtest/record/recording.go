package record

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// recording is one request of a client, its answer, and the upstream requests made for it.
type recording struct {
	recorder *Recorder
	request  *http.Request
	start    time.Time

	mu       sync.Mutex
	over     bool  // finished: nothing more is added
	held     int64 // bytes reserved of the recorder's memory
	secrets  []string
	asked    tape
	calls    []*call
	status   int
	head     http.Header
	answered tape
	took     time.Duration
	notes    []string
}

// call is a request to an upstream, and the answer.
type call struct {
	method, url string
	sentHead    http.Header
	sent        tape
	status      int // 0: no answer yet
	head        http.Header
	received    tape
	failure     string
}

// key is the context key of a request's *recording.
type key struct{}

func recordingOf(ctx context.Context) *recording {
	x, _ := ctx.Value(key{}).(*recording)
	return x
}

// add buffers a piece of a body, unless the body, the recording or all recordings together reach
// their limit.
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

// perChunk is an estimate of a chunk's memory in addition to its bytes.
const perChunk = 32

// finish ends the recording. whole is false if the answer broke off.
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

// letIn reports whether the program accepted the client: without a valid key it neither reads the
// body nor calls an upstream.
func (x *recording) letIn() bool { return x.asked.size > 0 || len(x.calls) > 0 }

// reading is a body that is recorded as it is read.
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

// writing is an http.ResponseWriter that records the answer.
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

// Unwrap lets http.ResponseController flush the underlying ResponseWriter.
func (w *writing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// watched is a transport that records its requests.
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

// call starts the next call of a recording.
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

// gathering is an io.Writer that adds to a tape.
type gathering struct {
	recording *recording
	tape      *tape
}

func (g gathering) Write(p []byte) (n int, err error) {
	g.recording.add(g.tape, p, nil)
	return len(p), nil
}
