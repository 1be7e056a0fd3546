package host

import "context"

// Outcome is what came of one request.
type Outcome struct {
	Report  []byte // what the program says of it, as in worker/bridge/doc.go; nil: nothing
	Died    bool   // the instance died
	Aborted bool   // the client was gone before it had all of the answer
}

// outcome is asked for when the request is over. died says why the instance did not get there.
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

// aborted reports whether the client left before all that it was to get was on its way.
func (x *exchange) aborted() bool {
	switch {
	case x.client.failed || x.gone:
		return true
	case x.response == nil || x.response.stream == nil:
		return false
	}
	return x.ctx.Err() == context.Canceled && !x.stream.complete()
}

// report asks the program, which is not called again.
func (x *exchange) report() (report []byte, err error) {
	err = caught(func() {
		if n := x.instance.enter("report"); n > 0 {
			report = append(report, x.instance.bytes(x.instance.enter("stream_out"), n)...)
		}
	})
	return report, err
}

// caught runs what enters the program when the loop is over, and returns why the instance died, if it did.
func caught(enter func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(*fatal)
			if !ok {
				panic(r)
			}
			err = f.err
		}
	}()
	enter()
	return nil
}
