package host

import (
	"io"
	"time"
)

// cause says how the upstream's body came to its end.
type cause uint64

const (
	ended cause = iota
	cut
	silent
)

// grace is what an upstream gets to end an answer that is complete.
const grace = 2 * time.Second

// pump carries the upstream's body through the program to the client. Its states are those of worker/bridge/doc.go.
type pump struct {
	exchange  *exchange
	upstream  *upstream
	keepAlive []byte
	every     time.Duration // between keep-alives; 0 is never
	trap      []byte        // what the client gets if the program dies; empty: the stream passes

	told  time.Time // when the client last got something, or the stream began
	beat  *timer
	grace *timer // runs once the answer is complete
	last  bool   // nothing follows what was sent
	broke bool   // the stream passes, and has no end
	over  bool   // ended or gone: the client's body is complete
}

// start begins in the state waiting or open. The program is called from the next turn on.
func (p *pump) start() {
	p.told = time.Now()
	p.tick(p.every)
	p.exchange.loop.later(func() {
		p.upstream.whenSettled(p.open)
	})
}

// open has the upstream's head or its failure. The program gets it if it came after fetch was resolved.
func (p *pump) open() {
	if p.stopped() {
		return
	}
	status, head := 0, ""
	if p.upstream.failure != nil {
		head = p.upstream.failure.Error()
	} else {
		status, head = p.upstream.head()
	}
	if p.upstream.late {
		n := p.exchange.instance.put([]byte(head))
		if p.exchange.instance.enter("stream_head", uint64(uint32(status)), n) == 1 {
			p.again()
			return
		}
	}
	if p.upstream.failure != nil {
		p.close(cut)
		return
	}
	p.read()
}

// again waits for the head of another upstream, which the program fetches.
func (p *pump) again() {
	p.exchange.refetched = func(u *upstream) {
		p.upstream, u.late = u, true
		u.whenSettled(p.open)
	}
	p.exchange.instance.enter("go_scheduler")
}

func (p *pump) read() {
	p.upstream.read(func(chunk []byte, err error) {
		switch {
		case p.stopped():
		case err == io.EOF:
			p.close(ended)
		case err == errTimeout:
			p.close(silent)
		case err != nil:
			p.close(cut)
		default:
			p.push(chunk)
		}
	})
}

func (p *pump) push(chunk []byte) {
	out, last := p.take(p.exchange.instance.enter("stream_push", p.exchange.instance.put(chunk)))
	if last {
		p.last = true
		p.send(out, p.finish)
		return
	}
	p.send(out, func() {
		switch complete := p.exchange.instance.enter("stream_complete") != 0; {
		case !complete:
			p.grace.end()
			p.grace = nil
		case p.grace == nil:
			p.grace = p.exchange.loop.after(grace, func() { p.upstream.cancel(errComplete) })
		}
		p.read()
	})
}

func (p *pump) close(c cause) {
	out, last := p.take(p.exchange.instance.enter("stream_close", uint64(c)))
	p.broke = c != ended && len(p.trap) == 0
	p.last = last && !p.broke
	p.send(out, p.finish)
}

// send goes on with then once the client took out.
func (p *pump) send(out []byte, then func()) {
	if len(out) == 0 {
		then()
		return
	}
	p.exchange.client.send(out, func(err error) {
		if err != nil || p.stopped() {
			p.finish()
			return
		}
		p.told = time.Now()
		then()
	})
}

// take copies the output of a push or close out of the program's memory. last says that nothing may follow.
func (p *pump) take(m uint64) (out []byte, last bool) {
	length := int32(m)
	if length < 0 {
		length, last = -1-length, true
	}
	if length == 0 {
		return nil, last
	}
	in := p.exchange.instance
	return append(out, in.bytes(in.enter("stream_out"), uint64(length))...), last
}

// finish is the state ended.
func (p *pump) finish() {
	p.over = true
	p.beat.end()
	p.grace.end()
	p.upstream.close()
}

func (p *pump) ended() bool { return p.over }

func (p *pump) whole() bool { return !p.broke }

func (p *pump) complete() bool { return p.last }

func (p *pump) trapped() []byte {
	p.broke = len(p.trap) == 0
	return p.trap
}

// stopped reports whether the program may not be called any more. It enters the state gone if the client went away.
func (p *pump) stopped() bool {
	if p.exchange.ctx.Err() != nil {
		p.finish()
	}
	return p.over
}

// tick sends a keep-alive when the client got nothing for long enough, though the upstream may have sent what is not for it. A
// client that does not take what it has gets no more.
func (p *pump) tick(wait time.Duration) {
	if p.every <= 0 {
		return
	}
	p.beat = p.exchange.loop.after(wait, func() {
		if quiet := time.Since(p.told); quiet < p.every {
			p.tick(p.every - quiet)
			return
		}
		if len(p.keepAlive) > 0 && p.exchange.client.idle() {
			p.exchange.client.send(p.keepAlive, func(err error) {
				if err != nil {
					p.finish()
				}
			})
		}
		p.tick(p.every)
	})
}
