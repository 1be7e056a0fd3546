package host

import (
	"net/http"
	"strconv"
)

// client is the way back to the client of an exchange. It writes one thing at a time, on a goroutine of its own, so a slow
// client stops neither the loop of its instance nor any other.
type client struct {
	loop     *loop
	w        http.ResponseWriter
	out      *patientWriter // to w
	answered bool           // the program has answered: the head is out, or on its way
	busy     bool           // a write is under way
	failed   bool           // a write has failed
	queue    []write
}

// write is one piece of the body, and the turn that follows when the client took it.
type write struct {
	p    []byte
	then func(err error)
}

// answer starts the response: its head and, unless a stream follows, its whole body.
func (c *client) answer(r *response) {
	c.answered = true
	c.setHead(r)
	c.async(func() error {
		c.w.WriteHeader(r.status)
		if r.stream == nil {
			_, err := c.out.Write(r.bytes)
			return err
		}
		return c.out.Flush()
	}, func(error) {})
}

// setHead sets the headers of the program. The length comes from the body, and nothing is added that net/http would guess.
func (c *client) setHead(r *response) {
	h := c.w.Header()
	for _, name := range r.headers.names() {
		if name == "content-length" || name == "transfer-encoding" {
			continue
		}
		for _, v := range r.headers.fields[name] {
			h.Add(name, v)
		}
	}
	if len(r.headers.fields["content-type"]) == 0 {
		h["Content-Type"] = nil
	}
	if r.stream == nil && r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(r.bytes)))
	}
}

// send writes p, after what was sent before, and flushes it. The head goes first.
func (c *client) send(p []byte, then func(err error)) {
	c.queue = append(c.queue, write{p, then})
	c.next()
}

// idle reports whether all that was sent is written.
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
	c.loop.async(func() func() {
		err := do()
		return func() {
			c.busy = false
			c.failed = c.failed || err != nil
			then(err)
			c.next()
		}
	})
}

// end writes what is still in the queue, and then p. It is for a client whose loop is over.
func (c *client) end(p []byte) {
	for _, left := range c.queue {
		c.put(left.p)
	}
	c.put(p)
}

// put writes p and flushes it.
func (c *client) put(p []byte) error {
	if _, err := c.out.Write(p); err != nil {
		return err
	}
	return c.out.Flush()
}
