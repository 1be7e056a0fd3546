package host

import (
	"net/http"
	"strconv"
	"time"

	"edgelingua/wasmtest/host/js"
)

// client writes to the client of a request, one piece at a time, on a separate goroutine. A slow
// client blocks neither the loop of its instance nor other clients.
type client struct {
	loop     *js.Loop
	w        http.ResponseWriter
	out      *patientWriter // writes to w
	answered bool           // the program has answered: the head is sent, or being sent
	busy     bool           // a write is under way
	failed   bool           // a write has failed
	queue    []write
	head     *js.Timer // sends the head of a passed body; nil: the head does not wait
}

// headDelay is how long the head of a passed body waits for the first piece. One write sends both.
const headDelay = time.Millisecond

// write is a piece of the body, and a function to run on the loop after the write.
type write struct {
	p    []byte
	last bool // the end of the request sends the piece
	then func(err error)
}

// answer starts the response: the head and, without a stream, the body. passes: the body passes from
// the upstream, and comes at once in most cases.
func (c *client) answer(r *js.Response, passes bool) {
	c.answered = true
	c.setHead(r)
	if passes {
		c.w.WriteHeader(r.Status)
		c.head = c.loop.After(headDelay, func() { c.async(c.out.Flush, func(error) {}) })
		c.next()
		return
	}
	c.async(func() error {
		c.w.WriteHeader(r.Status)
		if r.Stream == nil {
			_, err := c.out.Write(r.Bytes)
			return err
		}
		return c.out.Flush()
	}, func(error) {})
}

// upgrade answers an upgrade, by open, with the head of r.
func (c *client) upgrade(r *js.Response, open func() error) {
	c.answered = true
	c.setHead(r)
	c.async(open, func(error) {})
}

// setHead sets the program's headers. content-length comes from the body, and net/http may not
// guess a content-type.
func (c *client) setHead(r *js.Response) {
	h := c.w.Header()
	for _, name := range r.Headers.Names() {
		if name == "content-length" || name == "transfer-encoding" {
			continue
		}
		for _, v := range r.Headers.All(name) {
			h.Add(name, v)
		}
	}
	if len(r.Headers.All("content-type")) == 0 {
		h["Content-Type"] = nil
	}
	if r.Stream == nil && r.Status != http.StatusNoContent && r.Status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(r.Bytes)))
	}
}

// send writes p after all earlier writes, and flushes. The head goes first.
func (c *client) send(p []byte, then func(err error)) {
	c.queue = append(c.queue, write{p, false, then})
	c.next()
}

// sendLast is send for the last piece of a response, where nothing is left to do for the request: its
// end flushes.
func (c *client) sendLast(p []byte, then func(err error)) {
	c.queue = append(c.queue, write{p, true, then})
	c.next()
}

// idle reports whether all writes are done.
func (c *client) idle() bool { return !c.busy && len(c.queue) == 0 }

func (c *client) next() {
	if !c.answered || c.busy || len(c.queue) == 0 {
		return
	}
	c.head.End()
	first := c.queue[0]
	c.queue = c.queue[1:]
	c.async(func() error {
		if first.last {
			_, err := c.out.Write(first.p)
			return err
		}
		return c.put(first.p)
	}, first.then)
}

func (c *client) async(do func() error, then func(err error)) {
	c.busy = true
	c.loop.Async(func() func() {
		err := do()
		return func() {
			c.busy = false
			c.failed = c.failed || err != nil
			then(err)
			c.next()
		}
	})
}

// end writes the rest of the queue and then p immediately, for a request whose loop has ended.
func (c *client) end(p []byte) {
	for _, left := range c.queue {
		c.put(left.p)
	}
	c.put(p)
}

// put writes p and flushes.
func (c *client) put(p []byte) error {
	if _, err := c.out.Write(p); err != nil {
		return err
	}
	return c.out.Flush()
}
