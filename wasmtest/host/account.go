package host

import (
	"time"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/prices"
)

// account is the usage account of a request, which the program stores in an object of the store.
type account struct {
	request *hostRequest
	object  string
	renewal []store.Statement
	every   time.Duration // time between two renewals; 0: none are made
	beat    *time.Timer
}

// account implements the bridge's account.
func (x *hostRequest) account(args arguments) js.Value {
	if x.accounted != nil {
		js.Stop("%s is called twice", args.name)
	}
	x.accounted = &account{request: x, object: args.string(0), renewal: unpack(args.bytes(1)),
		every: args.milliseconds(2)}
	x.accounted.wait()
	return nil
}

// prices implements the bridge's prices.
func (x *hostRequest) prices(args arguments) js.Value {
	return x.settleLater(0, []byte(prices.Find(args.string(0), args.string(1), time.Now())), nil)
}

// wait schedules the next renewal. The timer does not belong to the loop: a loop with nothing else
// to wait for is still a hang.
func (a *account) wait() {
	if a.every > 0 {
		a.beat = time.AfterFunc(a.every, func() { a.request.loop.Post(a.renew) })
	}
}

func (a *account) renew() {
	a.request.loop.Async(func() func() {
		a.run(a.renewal)
		return a.wait
	})
}

// run runs statements in the object. A failure is only logged.
func (a *account) run(statements []store.Statement) {
	err := errUnbound
	if a.request.store != nil {
		_, err = a.request.store.Batch(a.object, statements)
	}
	if err != nil {
		a.request.log.Printf("%s %s: the account was not kept: %v", a.request.request.Method,
			LogPath(a.request.request), err)
	}
}

// close stops the renewals and runs the statements that end the account. By then the loop has
// ended, and the client has the whole answer except the end marker of a chunked stream. The request
// counts as open until the statements have run, so a shutdown waits for them.
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
	a.request.client.out.Flush()
	if err := js.Caught(func() {
		if statements := a.request.program.accounts(); statements != nil {
			a.run(unpack(statements))
		}
	}); err != nil {
		a.request.log.Printf("%s %s: no account: %v", a.request.request.Method,
			LogPath(a.request.request), err)
	}
}
