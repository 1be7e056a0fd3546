package serve_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bubble runs a test with a deployment in a testing/synctest bubble. The deployment uses the
// bubble's clock. synctest.Wait returns when each request waits for its client, its upstream or a
// timer.
func bubble(t *testing.T, env map[string]string, run func(t *testing.T, d *deployment)) {
	synctest.Test(t, func(t *testing.T) { run(t, tenants(t, env)) })
}

// client is a request in progress.
type client struct {
	t        *testing.T
	answered chan *answer
	leave    context.CancelFunc // the client closes the connection
	body     *io.PipeWriter     // of the request, unless the whole body was sent
	soFar    *answer            // the client's answer so far: read it only after synctest.Wait
}

// enter sends a request and does not wait for the answer. An unfinished request has its body open.
func (d *deployment) enter(method, path, body string, unfinished bool, headers ...string) *client {
	ctx, leave := context.WithCancel(d.t.Context())
	c := &client{t: d.t, answered: make(chan *answer, 1), leave: leave,
		soFar: &answer{ResponseRecorder: httptest.NewRecorder()}}
	var from io.Reader = strings.NewReader(body)
	if unfinished {
		var held io.Reader
		held, c.body = io.Pipe()
		from = io.MultiReader(from, held)
		context.AfterFunc(ctx, func() { c.body.CloseWithError(io.ErrUnexpectedEOF) })
	}
	r := httptest.NewRequest(method, "http://edge.test"+path, from).WithContext(ctx)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	go func() { c.answered <- d.serveTo(c.soFar, r) }()
	return c
}

// whole waits for the end of the answer.
func (c *client) whole() *answer {
	a := <-c.answered
	c.leave()
	return a
}

// textSoFar returns the client's answer so far, once all goroutines wait.
func (c *client) textSoFar() string {
	synctest.Wait()
	return c.soFar.text()
}

// sleep lets seconds pass in a bubble, and waits until nothing moves any more.
func sleep(t *testing.T, seconds int) {
	t.Helper()
	time.Sleep(time.Duration(seconds) * time.Second)
	synctest.Wait()
}
