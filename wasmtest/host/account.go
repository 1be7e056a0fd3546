package host

import (
	"time"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/store"
)

// account is the usage account of a request, which the program stores in an object of the store.
type account struct {
	request *hostRequest
	object  string
	renewal []byte        // packed statements, as all of them
	further string        // the object of merge
	merge   []byte        // what to do with a text of the last statements; none: it is no text
	insured []byte        // the statements that end the account if the instance dies; nil: none
	every   time.Duration // time between two renewals; 0: none are made
	beat    *time.Timer
}

// account implements the bridge's account.
func (x *hostRequest) account(args arguments) js.Value {
	if x.accounted != nil {
		js.Stop("%s is called twice", args.name)
	}
	x.accounted = &account{request: x, object: args.string(0), renewal: args.bytes(1),
		every: args.milliseconds(2), further: args.string(3), merge: args.bytes(4)}
	x.accounted.wait()
	return nil
}

// insure implements the bridge's insure.
func (x *hostRequest) insure(args arguments) js.Value {
	if x.accounted == nil {
		js.Stop("%s is called before account", args.name)
	}
	x.accounted.insured = args.bytes(0)
	return nil
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
		a.count(unpack(a.renewal))
		return a.wait
	})
}

// count runs statements in the account's object, and returns the rows of the last one. A failure is only
// logged.
func (a *account) count(statements []store.Statement) (last store.Rows) {
	rows, err := []store.Rows(nil), errUnbound
	if a.request.store != nil {
		rows, err = a.request.store.Count(a.object, statements, a.request.lostCounts)
	}
	if err != nil {
		a.request.lostCounts(err)
	}
	if len(rows) > 0 {
		last = rows[len(rows)-1]
	}
	return last
}

// lostCounts logs that a part of the request's account is not stored.
func (x *hostRequest) lostCounts(err error) {
	x.log.Printf("%s %s: the account was not kept: %v", x.request.Method, LogPath(x.request), err)
}

// close stops the renewals and runs the statements that end the account: those of a live instance,
// or the insured ones of a dead instance. The loop has ended. The client of a live instance then
// has the whole answer except the end marker of a chunked stream; the client of a dead one gets the
// failure afterwards, so another request finds the slot free. The request counts as open until the
// statements have run, so a shutdown waits for them.
func (a *account) close(died bool) {
	if a == nil {
		return
	}
	if a.beat != nil {
		a.beat.Stop()
	}
	if !died {
		a.request.client.out.Flush()
		died = !a.end(a.request.program.accounts)
	}
	if died {
		a.end(func() []byte { return a.insured })
	}
}

// end runs packed statements in the object. If the program traps while it makes them, end only logs
// the trap and returns false.
func (a *account) end(statements func() []byte) (made bool) {
	err := js.Caught(func() {
		packed := statements()
		if packed == nil {
			return
		}
		if text := a.count(unpack(packed)).Values; len(text) > 0 && len(a.merge) > 0 {
			merge := unpack(a.merge)
			for i := range merge {
				merge[i].Args = text[:1]
			}
			// Batch commits the count first: package totals never knows more than the object.
			if _, err := a.request.store.Batch(a.further, merge); err != nil {
				a.request.lostCounts(err)
			}
		}
	})
	if err != nil {
		a.request.log.Printf("%s %s: no account: %v", a.request.request.Method,
			LogPath(a.request.request), err)
	}
	return err == nil
}
