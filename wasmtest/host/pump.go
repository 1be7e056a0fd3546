package host

import (
	"fmt"
	"io"
	"time"

	"edgelingua/worker/bridge"
)

// cause says how the upstream's body ended, in the numbers of stream_close.
type cause uint64

// The upstream ended the body, broke it off, or was silent for too long.
const (
	ended cause = iota
	cut
	silent
)

// grace is how long an upstream may go on after its answer is complete.
const grace = 2 * time.Second

// keeping is how long the statements of an answer's end may take.
const keeping = 10 * time.Second

// pump carries the upstream's body through the program to the client. worker/bridge/doc.go describes its states.
type pump struct {
	exchange  *exchange
	upstream  *upstream
	keepAlive []byte
	every     time.Duration // time between keep-alives; 0: none are sent
	trap      []byte        // what the client gets if the program dies; empty: the stream is one that passes
	object    string        // the object in which the statements of the answer's end run; "": there are none

	pace  pace
	pause *timer    // runs while the window of a fast stream passes
	told  time.Time // when the client last got something; at first when the stream began
	beat  *timer
	grace *timer // runs from when the answer is complete
	last  bool   // the last of the output was sent
	broke bool   // the stream is one that passes, and it broke off
	over  bool   // the state is ended or gone: the client's body is complete
}

// start begins in the state waiting or open. The program is called in later turns only.
func (p *pump) start() {
	p.told = time.Now()
	p.tick(p.every)
	p.exchange.loop.later(func() {
		p.upstream.whenArrived(p.open)
	})
}

// open runs when the upstream's head or failure is there. The program is told of it where fetch was settled without it.
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
		if p.exchange.program.head(status, head) {
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

// again waits for the head of another upstream, which the program fetches now. That is told to stream_head.
func (p *pump) again() {
	p.exchange.refetched = func(u *upstream) {
		p.upstream, u.late = u, true
		u.whenArrived(p.open)
	}
	p.exchange.program.goOn()
}

// read reads the next chunk, of a fast stream once its window has passed.
func (p *pump) read() {
	if wait := p.pace.wait(); wait > 0 {
		p.pause = p.exchange.loop.after(wait, p.readNow)
		return
	}
	p.readNow()
}

func (p *pump) readNow() {
	if p.stopped() {
		return
	}
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
			p.pace.came(chunk, time.Now())
			p.push(chunk)
		}
	})
}

func (p *pump) push(chunk []byte) {
	out, next := p.exchange.program.push(chunk)
	if next != bridge.SameBody {
		p.leave(out, next)
		return
	}
	p.send(out, func() {
		switch complete := p.exchange.program.complete(); {
		case !complete:
			p.grace.end()
			p.grace = nil
		case p.grace == nil:
			p.pace.window = 0
			p.grace = p.exchange.loop.after(grace, func() { p.upstream.cancel(errComplete) })
		}
		p.read()
	})
}

func (p *pump) close(c cause) {
	out, next := p.exchange.program.closeStream(c)
	p.broke = c != ended && len(p.trap) == 0
	p.leave(out, next)
}

// leave sends the program's last output for an upstream's body, and ends the stream or waits for the program's next call.
func (p *pump) leave(out []byte, next bridge.Next) {
	if next != bridge.NextCall {
		p.end(out)
		return
	}
	p.upstream.close()
	p.grace.end()
	p.grace = nil
	p.send(out, p.again)
}

// end sends the last of the program's output or, where the stream has an object, goes on with the state keeping.
func (p *pump) end(out []byte) {
	if p.object == "" {
		p.last = !p.broke
		p.send(out, p.finish)
		return
	}
	p.upstream.close()
	p.grace.end()
	p.send(out, p.keep)
}

// keep runs the statements of the answer's end.
func (p *pump) keep() {
	packed := p.exchange.program.end()
	if packed == nil {
		p.kept(nil)
		return
	}
	statements := unpack(packed)
	most := keeping
	if s := p.upstream.silence; s > 0 {
		most = min(most, s)
	}
	wait := p.exchange.loop.after(most, func() {
		p.kept(fmt.Errorf("it took more than %g seconds", most.Seconds()))
	})
	p.exchange.loop.detach(func() func() {
		err := errUnbound
		if s := p.exchange.store; s != nil {
			_, err = s.Batch(p.object, statements)
		}
		return func() {
			if wait.end() {
				p.kept(err)
			}
		}
	})
}

// kept tells the program whether the statements have run, and sends the output that it held back until then.
func (p *pump) kept(err error) {
	if p.stopped() {
		return
	}
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	out := p.exchange.program.kept(reason)
	p.last = true
	p.send(out, p.finish)
}

// send sends out, and calls then once the client has taken it.
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

// finish enters the state ended.
func (p *pump) finish() {
	p.over = true
	p.beat.end()
	p.pause.end()
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

// stopped reports whether the program may not be called any more. Where the client has left, it enters the state gone.
func (p *pump) stopped() bool {
	if p.exchange.ctx.Err() != nil {
		p.finish()
	}
	return p.over
}

// tick sends a keep-alive when the client got nothing for p.every, even if the upstream sent something that is not for the
// client. A client that has not taken what was sent gets no keep-alive.
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
