package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/host/outbound"
)

// The errors that end a fetch early, in the words of the bridge.
var (
	errTimeout = errors.New("timeout")
	errAborted = errors.New("aborted")

	// the host needs no more bytes: for the program this is the end of the body
	errComplete = errors.New("complete")
)

// chunkSize is the maximum of bytes in a read of the upstream's body.
const chunkSize = outbound.ReadBuffer

// chunks has the buffers of upstreams whose requests have ended.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// upstream is a request to the upstream, and the response. Its methods belong to the loop. Blocking
// work runs on separate goroutines.
type upstream struct {
	loop    *js.Loop
	ctx     context.Context
	cancel  context.CancelCauseFunc
	silence time.Duration // maximum time without a head or a chunk, before the fetch is aborted; 0: none

	returned *http.Response // the transport's response; the loop may have ended by then
	response *http.Response
	body     io.Reader // response's body, decompressed
	failure  error     // why there is no response
	waiting  []func()  // run when response or failure is set
	late     bool      // headWait passed without a head, and the program stopped waiting for the head

	chunk  *[chunkSize]byte // nil: nothing was read yet
	behind error            // the error of the last chunk's read, returned by the next read
}

// newUpstreamRequest makes the request from the arguments of the bridge's fetch. head has lines
// "name: value ".
func newUpstreamRequest(target, method, head string, body []byte) (*http.Request, error) {
	if strings.HasPrefix(target, "cloudflare:ai/") {
		return nil, errors.New("Cloudflare's own models are reached from here by CLOUDFLARE_ACCOUNT_ID " +
			"and CLOUDFLARE_API_TOKEN: set both")
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the upstream's url is not valid")
	}
	r := &http.Request{Method: method, URL: u, Header: http.Header{}, Host: u.Host}
	if body != nil {
		// GetBody lets the transport send the body again, if a reused connection turns out to be
		// closed.
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		r.Body, _ = r.GetBody()
		r.ContentLength = int64(len(body))
	}
	for line := range strings.Lines(head) {
		name, v, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !found {
			return nil, fmt.Errorf("the head for the upstream has a line without a value: %q", name)
		}
		r.Header.Add(name, v)
	}
	if r.Header["User-Agent"] == nil {
		r.Header["User-Agent"] = []string{""} // otherwise net/http sends its own
	}
	return r, nil
}

// newUpstream returns an upstream without a request. The end of ctx aborts the fetch.
func newUpstream(ctx context.Context, l *js.Loop, silence time.Duration) *upstream {
	u := &upstream{loop: l, silence: silence}
	u.ctx, u.cancel = context.WithCancelCause(ctx)
	return u
}

// send sends r. The response or the failure comes in a later tick.
func (u *upstream) send(transport http.RoundTripper, r *http.Request) {
	quiet := u.quiet()
	u.loop.Async(func() func() {
		var err error
		u.returned, err = transport.RoundTrip(r.WithContext(outbound.Bounded(u.ctx)))
		return func() {
			quiet.End()
			u.arrive(u.returned, u.reason(err))
		}
	})
}

// arrive sets the response or the failure.
func (u *upstream) arrive(response *http.Response, failure error) {
	u.response, u.failure = response, failure
	if response != nil {
		u.body = decompressed(response)
	}
	for _, tick := range u.waiting {
		tick()
	}
}

// quiet returns a timer that aborts the fetch after u.silence.
func (u *upstream) quiet() *js.Timer {
	if u.silence <= 0 {
		return nil
	}
	return u.loop.After(u.silence, func() { u.cancel(errTimeout) })
}

// reason returns the true cause of an error of the fetch, in the words of the bridge.
func (u *upstream) reason(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case context.Cause(u.ctx) == errTimeout:
		return errTimeout
	case context.Cause(u.ctx) == errComplete:
		return io.EOF
	case errors.Is(err, outbound.ErrNotPublic):
		return outbound.ErrNotPublic
	case u.ctx.Err() != nil:
		return errAborted
	}
	return err
}

// arrived reports whether the response or the failure is there.
func (u *upstream) arrived() bool { return u.response != nil || u.failure != nil }

// whenArrived runs tick once the response or the failure is there: now, or in the tick of its
// arrival.
func (u *upstream) whenArrived(tick func()) {
	if u.arrived() {
		tick()
		return
	}
	u.waiting = append(u.waiting, tick)
}

// head returns the status and the head of the response, in the form of the bridge.
func (u *upstream) head() (status int, head string) {
	return u.response.StatusCode, js.NewHeaders(u.response.Header).Head()
}

// read reads the next chunk and then calls then, in a separate tick. The chunk is valid until the
// next read. At the end of the body err is io.EOF. For an incomplete body err is another error.
func (u *upstream) read(then func(chunk []byte, err error)) {
	if u.chunk == nil {
		u.chunk = chunks.Get().(*[chunkSize]byte)
	}
	quiet := u.quiet()
	u.loop.Async(func() func() {
		n, err := 0, u.behind
		for n == 0 && err == nil {
			n, err = u.body.Read(u.chunk[:])
		}
		return func() {
			quiet.End()
			if n > 0 {
				u.behind = err
				then(u.chunk[:n], nil)
				return
			}
			then(nil, u.reason(err))
		}
	})
}

// close aborts the fetch if the fetch has not ended.
func (u *upstream) close() {
	if u == nil {
		return
	}
	u.cancel(errAborted)
	if u.response != nil {
		u.response.Body.Close()
	}
}

// end closes the body of a response that arrived after the end of the loop. Nothing of u is used
// afterwards.
func (u *upstream) end() {
	if u.chunk != nil {
		chunks.Put(u.chunk)
		u.chunk = nil
	}
	if u.returned != nil {
		u.returned.Body.Close()
	}
}
