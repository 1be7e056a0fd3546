package host

import (
	"io"
	"time"

	"edgelingua/wasmtest/host/js"
)

// headDelay is how long the head of a passed body waits for the first piece. One write sends both.
const headDelay = time.Millisecond

// passage carries an upstream's body to the client unchanged, without the program. One goroutine
// reads and writes, so a piece costs no tick of the loop.
type passage struct {
	request  *hostRequest
	upstream *upstream
	over     bool
	entire   bool // the upstream's body was read to its end
	broken   bool // the body broke off, so the client's connection is broken too

	writing chan struct{} // has an element while a write is under way
	begun   bool          // a write has sent the head
}

// pass implements the bridge's pass.
func (x *hostRequest) pass(args arguments) js.Value {
	u := x.fetched(args)
	if u.response == nil {
		js.Stop("%s is called without a response", args.name)
	}
	return x.streamBody(args, &passage{request: x, upstream: u, writing: make(chan struct{}, 1)})
}

// begin carries the body. The client's writer has the head already.
func (p *passage) begin() {
	loop := p.request.loop
	head := loop.After(headDelay, func() {
		loop.Async(func() func() {
			p.write(nil)
			return func() {}
		})
	})
	loop.Async(func() func() {
		whole, err := p.carry(p.upstream.response.Body)
		return func() {
			head.End()
			if !p.over {
				p.entire, p.broken = whole, err != nil
			}
			p.finish()
		}
	})
}

// carry copies body to the client. whole: the client has the whole body. err is the failure of body.
func (p *passage) carry(body io.Reader) (whole bool, err error) {
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for {
		n, err := body.Read(chunk[:])
		if n > 0 && p.write(chunk[:n]) != nil {
			return false, nil
		}
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			p.write(nil)
			return false, err
		}
	}
}

// write writes a piece and flushes. The first write sends the head, too; without a piece, write
// only makes sure that the head is sent.
func (p *passage) write(piece []byte) error {
	p.writing <- struct{}{}
	defer func() { <-p.writing }()
	if p.begun && len(piece) == 0 {
		return nil
	}
	p.begun = true
	return p.request.client.put(piece)
}

func (p *passage) finish() {
	p.over = true
	p.upstream.close()
}

func (p *passage) ended() bool { return p.over }

func (p *passage) whole() bool { return !p.broken }

func (p *passage) complete() bool { return p.entire }

func (p *passage) trapped() []byte {
	p.broken = true
	return nil
}
