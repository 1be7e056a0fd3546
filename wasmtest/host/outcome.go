package host

import (
	"context"

	"edgelingua/wasmtest/host/js"
)

// Outcome is what is known of a request when it is over.
type Outcome struct {
	Report  []byte // the program's report, JSON as worker/bridge/doc.go describes it; nil: none
	Died    bool   // the instance died: a trap, a hang or a fault of the host
	Aborted bool   // the client left before it had all of the answer
}

// outcome returns the outcome of a request that is over. died is why its instance died, or nil.
func (h *Host) outcome(x *exchange, died error) Outcome {
	o := Outcome{Died: died != nil, Aborted: x.aborted()}
	if died == nil {
		var err error
		if o.Report, err = x.report(); err != nil {
			h.config.Log.Printf("%s %s: no report: %v", x.request.Method, LogPath(x.request), err)
		}
	}
	return o
}

// aborted reports whether the client left before the last of its answer was sent.
func (x *exchange) aborted() bool {
	switch {
	case x.client.failed || x.gone:
		return true
	case x.response == nil || x.response.Stream == nil:
		return false
	}
	return x.ctx.Err() == context.Canceled && !x.stream.complete()
}

// report calls the program's export of that name. Nothing of the program is called after it.
func (x *exchange) report() (report []byte, err error) {
	err = js.Caught(func() {
		report = x.program.report()
	})
	return report, err
}
