package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
)

// stage is an upstream. A test plays its answers step by step.
type stage struct{ scenes chan *scene }

// scene is one request to a stage, and the answer.
type scene struct {
	*sent
	head  chan *reply
	read  *io.PipeReader
	write *io.PipeWriter
	gone  <-chan struct{} // closed when the worker gives up or completes the request
}

// stage makes a host a stage.
func (d *deployment) stage(host string) *stage {
	p := &stage{make(chan *scene, 64)}
	d.upstreams[host] = p.play
	return p
}

// next waits for the next request.
func (p *stage) next() *scene { return <-p.scenes }

func (p *stage) play(r *sent) *reply {
	ctx := r.Context()
	s := &scene{sent: r, head: make(chan *reply, 1), gone: ctx.Done()}
	s.read, s.write = io.Pipe()
	context.AfterFunc(ctx, func() { s.read.CloseWithError(ctx.Err()) })
	p.scenes <- s
	select {
	case a := <-s.head:
		return a
	case <-ctx.Done():
		return &reply{err: ctx.Err()}
	}
}

// answer gives the whole answer.
func (s *scene) answer(a *reply) { s.head <- a }

// begin sends the head of an answer. The body follows. Without header, the answer is a stream.
func (s *scene) begin(status int, header ...map[string]string) {
	a := &reply{status: status, header: map[string]string{"Content-Type": "text/event-stream"}, body: s.read}
	if len(header) > 0 {
		a.header = header[0]
	}
	s.head <- a
}

// send sends a part of the body, and returns after the worker read the part or gave up the request.
func (s *scene) send(parts ...string) {
	io.WriteString(s.write, strings.Join(parts, ""))
}

// end ends the body.
func (s *scene) end() { s.write.Close() }

// cut breaks the connection off, before or after the head.
func (s *scene) cut() {
	s.write.CloseWithError(errBroken)
	select {
	case s.head <- &reply{err: errBroken}:
	default:
	}
}

// Errors of a transport.
var (
	errBroken  = errors.New("read: connection reset by peer")
	errRefused = errors.New("connect: connection refused")
)

// call is a request. The test reads the answer as it arrives.
type call struct {
	header http.Header
	status int
	head   chan struct{} // closed once the head has come
	body   *io.PipeReader
	cancel context.CancelFunc
	over   chan struct{} // closed when the worker has completed and counted the request
}

// open sends a request.
func (d *deployment) open(r *http.Request) *call {
	ctx, cancel := context.WithCancel(r.Context())
	c := &call{header: http.Header{}, head: make(chan struct{}), cancel: cancel, over: make(chan struct{})}
	body, write := io.Pipe()
	c.body = body
	go func() {
		defer close(c.over)
		defer cancel()
		defer func() {
			switch v := recover(); v {
			case nil:
				write.Close()
			case http.ErrAbortHandler:
				write.CloseWithError(io.ErrUnexpectedEOF)
			default:
				panic(v)
			}
		}()
		d.host.ServeHTTP(&connection{c, write}, r.WithContext(ctx))
	}()
	return c
}

// rest returns the rest of the body. broken: the connection broke off.
func (c *call) rest() (text string, broken bool) {
	all, err := io.ReadAll(c.body)
	<-c.over
	return string(all), err != nil
}

// some returns the content of the worker's next write.
func (c *call) some() string {
	p := make([]byte, 1<<20)
	n, _ := c.body.Read(p)
	return string(p[:n])
}

// until reads up to the end of the write that contains a text, or to the end of the body, and
// returns everything read.
func (c *call) until(text string) string {
	all := ""
	for !strings.Contains(all, text) {
		p := make([]byte, 1<<16)
		n, err := c.body.Read(p)
		all += string(p[:n])
		if err != nil {
			break
		}
	}
	return all
}

// leave closes the client's connection, and waits until the worker is done with the request.
func (c *call) leave() {
	c.cancel()
	c.body.CloseWithError(errBroken)
	<-c.over
}

// connection is the worker's end of a client's connection. It buffers nothing: a write returns
// after the client's read.
type connection struct {
	*call
	write *io.PipeWriter
}

func (c *connection) Header() http.Header { return c.call.header }

func (c *connection) WriteHeader(status int) {
	c.status = status
	close(c.head)
}

func (c *connection) Write(p []byte) (int, error) { return c.write.Write(p) }

func (c *connection) Flush() {}
