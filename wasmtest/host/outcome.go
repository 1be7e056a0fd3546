package host

import (
	"context"

	"edgelingua/wasmtest/host/js"
)

// Outcome describes a finished request.
type Outcome struct {
	Report  []byte // the program's report, JSON (worker/bridge/doc.go); nil: none
	Died    bool   // the instance died: a trap, a hang or a fault of the host
	Aborted bool   // the client left before the end of its answer
}

// outcome returns the outcome of a finished request. died is the reason for the death of its
// instance, or nil.
func (h *Host) outcome(x *hostRequest, died error) Outcome {
	o := Outcome{Died: died != nil, Aborted: x.aborted()}
	if died == nil {
		var err error
		if o.Report, err = x.report(); err != nil {
			h.config.Log.Printf("%s %s: no report: %v", x.request.Method, LogPath(x.request), err)
		}
	}
	return o
}

// aborted reports whether the client left before the end of its answer was sent.
func (x *hostRequest) aborted() bool {
	switch {
	case x.client.failed || x.gone:
		return true
	case x.response == nil || x.response.Stream == nil:
		return false
	}
	return x.ctx.Err() == context.Canceled && !x.stream.complete()
}

// report calls the program's export report. It is the last call of the program.
func (x *hostRequest) report() (report []byte, err error) {
	err = js.Caught(func() {
		report = x.program.report()
	})
	return report, err
}
