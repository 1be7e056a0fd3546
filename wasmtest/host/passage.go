package host

import (
	"io"

	"edgelingua/wasmtest/host/js"
)

// passage carries an upstream's body to the client unchanged, without the program.
type passage struct {
	request  *hostRequest
	upstream *upstream
	over     bool
	entire   bool // the upstream's body was read to its end
	broken   bool // the body broke off, so the client's connection is broken too
}

// pass implements the bridge's pass.
func (x *hostRequest) pass(args arguments) js.Value {
	u := x.fetched(args)
	if u.response == nil {
		js.Stop("%s is called without a response", args.name)
	}
	u.silence, u.body = 0, u.response.Body
	p := &passage{request: x, upstream: u}
	x.loop.Later(p.read)
	return x.streamBody(args, p)
}

func (p *passage) read() {
	if p.over {
		return
	}
	p.upstream.read(func(chunk []byte, err error) {
		switch {
		case p.over:
		case err == io.EOF:
			p.entire = true
			p.finish()
		case err != nil:
			p.broken = true
			p.finish()
		case p.upstream.behind == io.EOF && p.request.accounted == nil:
			p.entire = true
			p.request.client.sendLast(chunk, func(error) { p.finish() })
		default:
			p.request.client.send(chunk, func(err error) {
				if err != nil {
					p.finish()
				}
				p.read()
			})
		}
	})
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
