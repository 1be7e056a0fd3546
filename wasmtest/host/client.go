package host

import (
	"net/http"
	"strconv"

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
}

// write is a piece of the body, and a function to run on the loop after the write.
type write struct {
	p    []byte
	then func(err error)
}

// answer starts the response: the head and, without a stream, the body.
func (c *client) answer(r *js.Response) {
	c.answered = true
	c.setHead(r)
	c.async(func() error {
		c.w.WriteHeader(r.Status)
		if r.Stream == nil {
			_, err := c.out.Write(r.Bytes)
			return err
		}
		return c.out.Flush()
	}, func(error) {})
}

// begin sets the head of a response whose body p carries.
func (c *client) begin(r *js.Response, p carrier) {
	c.answered = true
	c.setHead(r)
	c.w.WriteHeader(r.Status)
	p.begin()
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
	c.queue = append(c.queue, write{p, then})
	c.next()
}

// idle reports whether all writes are done.
func (c *client) idle() bool { return !c.busy && len(c.queue) == 0 }

func (c *client) next() {
	if !c.answered || c.busy || len(c.queue) == 0 {
		return
	}
	head := c.queue[0]
	c.queue = c.queue[1:]
	c.async(func() error { return c.put(head.p) }, head.then)
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
