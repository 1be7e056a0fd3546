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
	"time"
)

// Reasons why a fetch ends early, in the words of the bridge.
var (
	errTimeout = errors.New("timeout")
	errAborted = errors.New("aborted")

	errComplete = errors.New("complete") // nothing more is wanted: the same as the end of the body
)

// chunkSize is the most that one read of the upstream's body takes.
const chunkSize = 32 << 10

// upstream is one request to the upstream and its response. Its methods belong to the loop; what blocks runs beside it.
type upstream struct {
	loop    *loop
	ctx     context.Context
	cancel  context.CancelCauseFunc
	silence time.Duration // without a head or a chunk, until the fetch is aborted; 0 is forever

	arrived  *http.Response // the response before the loop knows of it
	response *http.Response
	body     io.Reader // of response, decompressed
	failure  error     // instead of response
	waiting  []func()  // for one of the two
	late     bool      // the program was told not to wait for the head

	chunk  []byte
	behind error // came with the last chunk, and is due at the next read
}

// newUpstreamRequest builds the request from what the program says of it.
func newUpstreamRequest(target, method, head string, body []byte) (*http.Request, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the upstream's url is not valid")
	}
	r := &http.Request{Method: method, URL: u, Header: http.Header{}, Host: u.Host}
	if body != nil {
		// GetBody lets the transport start again on a fresh connection if a kept one turns out to be closed.
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
		r.Header["User-Agent"] = []string{""} // or net/http sends its own
	}
	return r, nil
}

// newUpstream returns an upstream that is not asked yet. It is aborted with ctx.
func newUpstream(ctx context.Context, l *loop, silence time.Duration) *upstream {
	u := &upstream{loop: l, silence: silence}
	u.ctx, u.cancel = context.WithCancelCause(ctx)
	return u
}

// send sends r.
func (u *upstream) send(transport http.RoundTripper, r *http.Request) {
	quiet := u.quiet()
	u.loop.async(func() func() {
		var err error
		u.arrived, err = transport.RoundTrip(r.WithContext(u.ctx))
		return func() {
			quiet.end()
			u.settle(u.arrived, u.reason(err))
		}
	})
}

// settle takes the response, or the failure that there is in its place.
func (u *upstream) settle(response *http.Response, failure error) {
	u.response, u.failure = response, failure
	if response != nil {
		u.body = decompressed(response)
	}
	for _, turn := range u.waiting {
		turn()
	}
}

// quiet aborts the fetch unless it is ended in time.
func (u *upstream) quiet() *timer {
	if u.silence <= 0 {
		return nil
	}
	return u.loop.after(u.silence, func() { u.cancel(errTimeout) })
}

// reason names the true cause of an error of the fetch.
func (u *upstream) reason(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case context.Cause(u.ctx) == errTimeout:
		return errTimeout
	case context.Cause(u.ctx) == errComplete:
		return io.EOF
	case errors.Is(err, errNotPublic):
		return errNotPublic
	case u.ctx.Err() != nil:
		return errAborted
	}
	return err
}

// settled reports whether the head, or its failure, is there.
func (u *upstream) settled() bool { return u.response != nil || u.failure != nil }

// whenSettled runs turn once that is so, at once or in the turn in which it comes true.
func (u *upstream) whenSettled(turn func()) {
	if u.settled() {
		turn()
		return
	}
	u.waiting = append(u.waiting, turn)
}

// head is the status and the head of the response.
func (u *upstream) head() (status int, head string) {
	return u.response.StatusCode, newHeaders(u.response.Header).head()
}

// read reads the next chunk, and runs then in the turn in which it came. The chunk is good until the next read. At the end
// of the body the error is io.EOF; a body that ends too early has another one.
func (u *upstream) read(then func(chunk []byte, err error)) {
	if u.chunk == nil {
		u.chunk = make([]byte, chunkSize)
	}
	quiet := u.quiet()
	u.loop.async(func() func() {
		n, err := 0, u.behind
		for n == 0 && err == nil {
			n, err = u.body.Read(u.chunk)
		}
		return func() {
			quiet.end()
			if n > 0 {
				u.behind = err
				then(u.chunk[:n], nil)
				return
			}
			then(nil, u.reason(err))
		}
	})
}

// close aborts the fetch if it still runs.
func (u *upstream) close() {
	if u == nil {
		return
	}
	u.cancel(errAborted)
	if u.response != nil {
		u.response.Body.Close()
	}
}

// end lets go of a response that came when the loop was over.
func (u *upstream) end() {
	if u.arrived != nil {
		u.arrived.Body.Close()
	}
}
