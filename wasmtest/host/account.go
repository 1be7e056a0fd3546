package host

import (
	"bytes"
	"time"

	"edgelingua/wasmtest/store"
)

// account is what the program keeps of its request in an object.
type account struct {
	exchange *exchange
	object   string
	renewal  []store.Statement
	every    time.Duration // between renewals; 0 is never
	beat     *time.Timer
}

// account is that of the bridge.
func (x *exchange) account(args arguments) value {
	if x.accounted != nil {
		stop("%s is called twice", args.name)
	}
	x.accounted = &account{exchange: x, object: args.string(0), renewal: unpack(args.bytes(1)), every: args.milliseconds(2)}
	x.accounted.wait()
	return nil
}

// wait renews once its time has come. It takes no timer of the loop's, for which a program could wait that waits for nothing.
func (a *account) wait() {
	if a.every > 0 {
		a.beat = time.AfterFunc(a.every, func() { a.exchange.loop.post(a.renew) })
	}
}

func (a *account) renew() {
	a.exchange.loop.async(func() func() {
		a.run(a.renewal)
		return a.wait
	})
}

// run runs statements in the object. Nobody hears of a failure but the log.
func (a *account) run(statements []store.Statement) {
	err := errUnbound
	if a.exchange.store != nil {
		_, err = a.exchange.store.Batch(a.object, statements)
	}
	if err != nil {
		a.exchange.instance.logf("%s %s: the account was not kept: %v", a.exchange.request.Method, LogPath(a.exchange.request), err)
	}
}

// close ends the renewals, and runs what the program ends with. The loop is over, and the client has all of its answer but the
// mark behind the last chunk of a stream. So the request is open until all is kept, and whoever shuts down waits for that.
func (a *account) close(died bool) {
	if a == nil {
		return
	}
	if a.beat != nil {
		a.beat.Stop()
	}
	if died {
		return
	}
	a.exchange.client.out.Flush()
	in := a.exchange.instance
	if err := caught(func() {
		if n := in.enter("account"); n > 0 {
			a.run(unpack(bytes.Clone(in.bytes(in.enter("stream_out"), n))))
		}
	}); err != nil {
		in.logf("%s %s: no account: %v", a.exchange.request.Method, LogPath(a.exchange.request), err)
	}
}
