package host

import (
	"context"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Tasks returns a handler that calls next, which must lead to h. If the program detaches a request
// (host.detach), the request runs on as a task, and the client listens to the task. Without Tasks, such
// requests are requests to h itself.
func (h *Host) Tasks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.config.Store == nil || !mayDetach(r) {
			next.ServeHTTP(w, r)
			return
		}
		newDetachable(h, w, r).serve(next)
	})
}

// mayDetach reports whether the program may detach a request.
func mayDetach(r *http.Request) bool {
	if r.Method != http.MethodPost || detachableOf(r) != nil || OfSocket(r) {
		return false
	}
	_, path, _ := endpoint.Split(r.URL.Path)
	client, operation := translator.APIOf(path, r.Header.Get)
	return operation == ir.Converse && client.Stored != nil && client.Stored.Background
}

// detachable is a request that the program may detach, and its http.ResponseWriter. The request runs on
// a goroutine of its own, which outlives the client's request once detached.
type detachable struct {
	host     *Host
	client   http.ResponseWriter // not to be used once the request is detached
	request  *http.Request       // the client's
	ctx      context.Context     // of the request that next serves
	cancel   context.CancelCauseFunc
	stay     func() bool   // has the request go on when the client leaves
	over     chan struct{} // closed when next has returned
	panicked any           // what next has panicked with
	reserved string        // the owner whose place is taken; "": none

	head     chan struct{} // closed when the task has the head of its answer
	mu       sync.Mutex    // of the members below
	detached *task         // nil: the request is the client's
	lifetime *time.Timer   // of a task: ends it
	streams  bool          // the client of a task asks for a stream
	header   http.Header   // of a task
	status   int           // of a task; 0: it has no head yet
}

// detachKey is the key of a request's *detachable in the context.
type detachKey struct{}

func detachableOf(r *http.Request) *detachable {
	d, _ := r.Context().Value(detachKey{}).(*detachable)
	return d
}

func newDetachable(h *Host, w http.ResponseWriter, r *http.Request) *detachable {
	d := &detachable{host: h, client: w, request: r, over: make(chan struct{}), head: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancelCause(context.WithoutCancel(r.Context()))
	d.ctx = context.WithValue(d.ctx, detachKey{}, d)
	d.stay = context.AfterFunc(r.Context(), func() { d.cancel(context.Canceled) })
	return d
}

// serve serves the request until it has ended or, once detached, until the client has what it asked for.
func (d *detachable) serve(next http.Handler) {
	go d.run(next)
	select {
	case <-d.over:
	case <-d.head:
	}
	if t := d.task(); t != nil {
		d.listen(t)
		return
	}
	<-d.over
	if d.panicked != nil {
		panic(d.panicked)
	}
}

// run runs the request, and ends its task.
func (d *detachable) run(next http.Handler) {
	defer close(d.over)
	defer func() {
		d.panicked = recover()
		d.stay()
		why := d.reason()
		d.cancel(context.Canceled)
		d.host.tasks.unreserve(d)
		t := d.task()
		if t == nil {
			return
		}
		if d.panicked != nil && d.panicked != http.ErrAbortHandler {
			d.host.config.Log.Printf("%s %s: %v", d.request.Method, LogPath(d.request),
				js.Panicked(d.panicked))
		}
		d.lifetime.Stop()
		d.host.tasks.end(t, why)
	}()
	next.ServeHTTP(d, d.request.WithContext(d.ctx))
}

// reason returns why a task has ended, if it has ended early.
func (d *detachable) reason() error {
	switch why := context.Cause(d.ctx); why {
	case errTaskCancelled, errTaskTooLarge, errTaskTooLong, errTaskShutDown, errTaskUnreadable:
		return why
	}
	return errTaskBroken
}

func (d *detachable) task() *task {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.detached
}

// detach makes the request a task, and reports whether it is one. failed stores the response if it
// fails.
func (d *detachable) detach(id string, queued []byte, streams bool, failed failure) bool {
	if !d.stay() {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.detached = d.host.tasks.begin(d, d.reserved, id, queued, failed)
	d.streams, d.header = streams, d.client.Header().Clone()
	if d.detached == nil {
		return false
	}
	d.lifetime = time.AfterFunc(taskLifetime, func() { d.cancel(errTaskTooLong) })
	return true
}

// listen answers the client of a task: with a stream if the client asked for one, else with the response
// before its answer.
func (d *detachable) listen(t *task) {
	defer d.host.tasks.leave(t)
	d.mu.Lock()
	maps.Copy(d.client.Header(), d.header)
	failed := d.status != http.StatusOK
	d.mu.Unlock()
	out := &patientWriter{w: d.client, control: http.NewResponseController(d.client),
		stall: d.host.patience.stall}
	if d.streams {
		if failed { // the head is an error's, and the events have the error
			d.client.Header().Set("Content-Type", "text/event-stream")
			d.client.Header().Del("Content-Length")
		}
		d.client.WriteHeader(http.StatusOK)
		t.follow(d.request.Context(), 0, out)
		return
	}
	d.client.Header().Set("Content-Type", "application/json")
	d.client.Header().Set("Content-Length", strconv.Itoa(len(t.queued)))
	out.Write(t.queued)
}

// Header implements http.ResponseWriter.
func (d *detachable) Header() http.Header {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.detached != nil {
		return d.header
	}
	return d.client.Header()
}

// WriteHeader implements http.ResponseWriter. The head of a task is complete now.
func (d *detachable) WriteHeader(status int) {
	if d.task() == nil {
		d.client.WriteHeader(status)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.status == 0 {
		d.status, d.header = status, d.header.Clone()
		close(d.head)
	}
}

// Write implements http.ResponseWriter. If the program has died before the stream of a task, the body is
// an error, which the client of a stream can't get.
func (d *detachable) Write(p []byte) (n int, err error) {
	t := d.task()
	if t == nil {
		return d.client.Write(p)
	}
	d.WriteHeader(http.StatusOK)
	if d.status != http.StatusOK {
		return len(p), nil
	}
	if err = t.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// FlushError is http.ResponseController's flush, and so on. A task has no connection.
func (d *detachable) FlushError() error {
	if d.task() != nil {
		return nil
	}
	return http.NewResponseController(d.client).Flush()
}

func (d *detachable) SetReadDeadline(deadline time.Time) error {
	if d.task() != nil {
		return nil
	}
	return http.NewResponseController(d.client).SetReadDeadline(deadline)
}

func (d *detachable) SetWriteDeadline(deadline time.Time) error {
	if d.task() != nil {
		return nil
	}
	return http.NewResponseController(d.client).SetWriteDeadline(deadline)
}

// runsTasks reports whether the host runs the request's response in the background.
func (x *hostRequest) runsTasks() bool { return x.store != nil && x.frame == nil }

// reserve implements the bridge's reserve.
func (x *hostRequest) reserve(args arguments) js.Value {
	d := detachableOf(x.request)
	if d == nil || d.reserved != "" {
		js.Stop("%s is called for a request that can't be detached, or twice", args.name)
	}
	if !x.tasks.reserve(args.string(0), d) {
		return false
	}
	d.reserved = args.string(0)
	return true
}

// detach implements the bridge's detach.
func (x *hostRequest) detach(args arguments) js.Value {
	d := detachableOf(x.request)
	if d == nil || d.reserved == "" {
		js.Stop("%s is called without a place", args.name)
	}
	failed := failure{log: x.log, store: x.store, object: args.string(3), statements: unpack(args.bytes(4))}
	if len(failed.statements) == 0 {
		js.Stop("%s is called without statements", args.name)
	}
	return d.detach(args.string(0), args.bytes(1), args.bool(2), failed)
}

// task implements the bridge's task.
func (x *hostRequest) task(args arguments) js.Value {
	t, action := x.tasks.find(args.string(0), args.string(1)), bridge.TaskAction(args.int(2))
	if action == bridge.EndTasks {
		return x.endTasks(args.string(0))
	}
	x.found = t
	x.loop.Async(func() func() {
		switch {
		case t == nil:
		case action == bridge.CancelTask || action == bridge.DeleteTask:
			t.cancel(errTaskCancelled)
			select {
			case <-t.ended:
			case <-x.ctx.Done():
			}
		}
		return func() {
			switch {
			case t == nil:
				x.settle(notFoundCode, nil)
			case action == bridge.TaskEvents:
				x.settle(0, strconv.AppendInt(nil, int64(t.count()), 10))
			default:
				if action == bridge.DeleteTask {
					x.tasks.forget(t.owner, t.id)
				}
				x.settle(0, t.response())
			}
		}
	})
	return nil
}

// endTasks is task for the action EndTasks.
func (x *hostRequest) endTasks(owner string) js.Value {
	x.loop.Async(func() func() {
		x.tasks.endAll(x.ctx, owner)
		return func() { x.settle(0, nil) }
	})
	return nil
}

// follow implements the bridge's follow.
func (x *hostRequest) follow(args arguments) js.Value {
	first := args.int(0)
	if x.found == nil || first < 0 || first > x.found.count() {
		js.Stop("%s is called without a task, or after its last event", args.name)
	}
	return x.streamBody(args, &followed{request: x, task: x.found, first: first})
}

// followed carries the events of a task to a client.
type followed struct {
	request *hostRequest
	task    *task
	first   int // the first event
	over    bool
	entire  bool // the client has all events
}

// begin carries the events. The client's writer has the head already.
func (f *followed) begin() {
	x := f.request
	x.loop.Async(func() func() {
		defer x.tasks.listens(f.task)()
		err := f.task.follow(x.ctx, f.first, x.client.out)
		return func() {
			f.entire = err == nil
			f.finish()
		}
	})
}

func (f *followed) finish() { f.over = true }

func (f *followed) ended() bool { return f.over }

func (f *followed) whole() bool { return true }

func (f *followed) complete() bool { return f.entire }

func (f *followed) trapped() []byte { return nil }
