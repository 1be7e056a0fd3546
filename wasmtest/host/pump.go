package host

import (
	"fmt"
	"io"
	"time"

	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/bridge"
)

// cause is the way in which the upstream's body ended, in the numbers of stream_close.
type cause uint64

// The upstream ended the body, broke it off, or was silent for too long.
const (
	ended cause = iota
	cut
	silent
)

// grace is how long an upstream may continue after the end of its answer.
const grace = 2 * time.Second

// storeTime is the time limit for the statements at an answer's end.
const storeTime = 10 * time.Second

// pump carries the upstream's body through the program to the client. worker/bridge/doc.go
// describes its states.
type pump struct {
	request   *hostRequest
	upstream  *upstream
	keepAlive []byte
	every     time.Duration // time between keep-alives; 0: no keep-alives
	trap      []byte        // the client's last event if the program dies; empty: the stream passes
	object    string        // the object for the statements at the answer's end; "": none

	pace     pace
	pause    *js.Timer // runs during the window of a fast stream
	accepted time.Time // when the client last accepted something; initially the start of the stream
	beat     *js.Timer
	grace    *js.Timer // runs from the time when the answer is complete
	last     bool      // the last of the output was sent
	broke    bool      // the stream passes, and broke off
	// the statements of a task run: a task that is cancelled now ends as they end
	storing bool
	over    bool // the state is ended or gone: the client's body is complete
}

// start begins in the state waiting or open. The program is called only in later ticks.
func (p *pump) start() {
	p.accepted = time.Now()
	p.tick(p.every)
	p.request.loop.Later(func() {
		p.upstream.whenArrived(p.open)
	})
}

// open runs when the upstream's head or failure has arrived. If fetch settled earlier, or did not
// settle, open passes the head or failure to the program.
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
		if p.request.program.head(status, head) {
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

// again waits for the head of the program's further call, for stream_head.
func (p *pump) again() {
	p.request.refetched = func(u *upstream) {
		p.upstream, u.late = u, true
		u.whenArrived(p.open)
	}
	p.request.program.goOn()
}

// read reads the next chunk. In a fast stream it first waits for the window.
func (p *pump) read() {
	if wait := p.pace.wait(); wait > 0 {
		p.pause = p.request.loop.After(wait, p.readNow)
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
	out, next := p.request.program.push(chunk)
	if next != bridge.SameBody {
		p.leave(out, next)
		return
	}
	p.send(out, func() {
		switch complete := p.request.program.complete(); {
		case !complete:
			p.grace.End()
			p.grace = nil
		case p.grace == nil:
			p.pace.window = 0
			p.grace = p.request.loop.After(grace, func() { p.upstream.cancel(errComplete) })
		}
		p.read()
	})
}

func (p *pump) close(c cause) {
	out, next := p.request.program.closeStream(c)
	p.broke = c != ended && len(p.trap) == 0
	p.leave(out, next)
}

// leave sends the program's last output for an upstream's body. Then it ends the stream or waits
// for the program's further call.
func (p *pump) leave(out []byte, next bridge.Next) {
	if next != bridge.NextCall {
		p.end(out)
		return
	}
	p.upstream.close()
	p.grace.End()
	p.grace = nil
	p.send(out, p.again)
}

// end sends the program's last output. If the stream has an object, the state becomes keeping.
func (p *pump) end(out []byte) {
	if p.object == "" {
		p.last = !p.broke
		p.send(out, p.finish)
		return
	}
	p.upstream.close()
	p.grace.End()
	p.send(out, p.store)
}

// store runs the statements at the answer's end.
func (p *pump) store() {
	packed := p.request.program.end()
	if packed == nil {
		p.stored(nil)
		return
	}
	statements := unpack(packed)
	d := detachableOf(p.request.request)
	p.storing = d != nil && d.task() != nil
	most := storeTime
	if s := p.upstream.silence; s > 0 {
		most = min(most, s)
	}
	wait := p.request.loop.After(most, func() {
		p.stored(fmt.Errorf("it took more than %g seconds", most.Seconds()))
	})
	p.request.loop.Detach(func() func() {
		err := errUnbound
		if s := p.request.store; s != nil {
			_, err = s.Batch(p.object, statements)
		}
		return func() {
			if wait.End() {
				p.stored(err)
			}
		}
	})
}

// stored passes the result of the statements to the program, and sends the remaining output of the
// program.
func (p *pump) stored(err error) {
	if !p.storing && p.stopped() {
		return
	}
	p.storing = false
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	out := p.request.program.ended(reason)
	p.last = true
	p.send(out, p.finish)
}

// send sends out, and calls then once the client has accepted the bytes.
func (p *pump) send(out []byte, then func()) {
	if len(out) == 0 {
		then()
		return
	}
	p.request.client.send(out, func(err error) {
		if err != nil || p.stopped() {
			p.finish()
			return
		}
		p.accepted = time.Now()
		then()
	})
}

// finish ends the pump: in the state ended or, if the client has left, in the state gone.
func (p *pump) finish() {
	p.over = true
	p.beat.End()
	p.pause.End()
	p.grace.End()
	p.upstream.close()
}

func (p *pump) ended() bool { return p.over }

func (p *pump) whole() bool { return !p.broke }

func (p *pump) complete() bool { return p.last }

func (p *pump) trapped() []byte {
	p.broke = len(p.trap) == 0
	return p.trap
}

// stopped reports whether the program may no longer be called. If the client has left, stopped
// enters the state gone.
func (p *pump) stopped() bool {
	if p.request.ctx.Err() != nil {
		p.finish()
	}
	return p.over
}

// tick sends a keep-alive if the client got nothing for p.every, even if the upstream sent
// something without output for the client. A client that has not accepted the earlier bytes gets no
// keep-alive.
func (p *pump) tick(wait time.Duration) {
	// OpenRouter sends comments while a model thinks, and parallel calls are buffered: the upstream
	// sends, the client gets nothing, and clients and Cloudflare give up after a minute or two.
	if p.every <= 0 {
		return
	}
	p.beat = p.request.loop.After(wait, func() {
		if quiet := time.Since(p.accepted); quiet < p.every {
			p.tick(p.every - quiet)
			return
		}
		if len(p.keepAlive) > 0 && p.request.client.idle() {
			p.request.client.send(p.keepAlive, func(err error) {
				if err != nil {
					p.finish()
				}
			})
		}
		p.tick(p.every)
	})
}
