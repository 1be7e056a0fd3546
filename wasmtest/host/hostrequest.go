package host

import (
	"context"
	"log"
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/google"
	"edgelingua/wasmtest/host/js"
	"edgelingua/worker/endpoint"
)

// hostRequest is a request and the program that serves the request.
type hostRequest struct {
	ctx       context.Context // done when the client is gone
	cancel    context.CancelFunc
	request   *http.Request
	transport http.RoundTripper
	public    http.RoundTripper // for upstreams that must be on the public internet
	direct    http.RoundTripper // for tokens, without Config.Watch
	tokens    *google.Kept
	priced    *priceCache
	env       map[string]string
	settings  string  // env in the form of the bridge
	proxies   Proxies // of Config
	log       *log.Logger
	store     Store // nil: there are no bindings
	tasks     *tasks
	found     *task // by the program's last call of task

	loop      *js.Loop
	program   program
	client    *client
	upstream  *upstream // the upstream of the program's last fetch
	upstreams []*upstream
	// gets the upstream of the next fetch, if the pump waits for a further call; else nil
	refetched func(*upstream)
	stream    stream       // fills the body of the response; nil: the body is bytes
	response  *js.Response // the program's answer
	accounted *account     // the request's account; nil: none
	upgrade   *upgrade     // the request asks for a WebSocket; else nil
	frame     *socketFrame // the request is a frame of a WebSocket; else nil

	bodyState  bodyState
	clientBody *patientReader
	codings    []string // of the client's body, to be undone in this order
	gone       bool     // the client left before there was an answer
}

// stream fills the client's body from the upstream's.
type stream interface {
	finish()         // called when the stream is complete or the client gone
	ended() bool     // finish was called
	whole() bool     // the body did not break off, so the client's connection may serve another request
	complete() bool  // all bytes for the client are on their way
	trapped() []byte // the client's last bytes if the instance has died
}

// carrier is a stream that writes to the client itself.
type carrier interface {
	stream
	begin()
}

// bodyState is the state of the client's body.
type bodyState int

const (
	untouched bodyState = iota
	reading
	taken
)

func newExchange(w http.ResponseWriter, r *http.Request, transport http.RoundTripper,
	env map[string]string) *hostRequest {
	x := &hostRequest{request: r, transport: transport, public: transport, direct: transport,
		tokens: &google.Kept{}, priced: &priceCache{}, env: env, loop: js.NewLoop(), frame: frameOf(r)}
	x.request, x.codings = undone(r)
	x.upgrade, _ = r.Context().Value(upgradeKey{}).(*upgrade)
	x.ctx, x.cancel = context.WithCancel(r.Context())
	x.client = &client{loop: x.loop, w: w}
	x.setPatience(usualPatience)
	return x
}

// setPatience sets the time limits for the client.
func (x *hostRequest) setPatience(p patience) {
	w := x.client.w
	x.clientBody = newPatientReader(w, x.request, p)
	x.client.out = &patientWriter{w: w, control: http.NewResponseController(w), stall: p.stall}
}

// run starts the program and runs its loop until the client has the response.
func (x *hostRequest) run() error {
	stopWatching := context.AfterFunc(x.ctx, func() { x.loop.Post(x.clientGone) })
	defer stopWatching()
	x.loop.Post(func() {
		x.program.begin()
	})
	return x.loop.Run(x.done)
}

// answer sends the program's answer to the client.
func (x *hostRequest) answer(r *js.Response) {
	if r.Stream != nil && r.Stream.Filler == nil {
		js.Stop("the body of the response is not the stream of the bridge")
	}
	x.response = r
	x.gone = x.ctx.Err() != nil
	if x.upgrade != nil && x.upgrade.accepted && r.Status == http.StatusNoContent {
		x.client.upgrade(r, func() error { return x.upgrade.open(x.client.w, x.request) })
		return
	}
	if c, carries := x.stream.(carrier); carries {
		x.client.begin(r, c)
		return
	}
	x.client.answer(r)
}

// done reports whether nothing is left to do for the client.
func (x *hostRequest) done() bool {
	switch {
	case x.response == nil:
		return false
	case x.response.Stream != nil && !x.stream.ended():
		return false
	}
	return x.client.idle()
}

// clientGone ends the stream. Before there is a stream, the context aborts the fetch, and the
// program gets the failure of the fetch.
func (x *hostRequest) clientGone() {
	if p, pumps := x.stream.(*pump); pumps && p.storing {
		return
	}
	if x.stream != nil {
		x.stream.finish()
	}
}

// fail ends a request after the death of its instance. The loop has ended, and the program is not
// called again. The fetch is aborted, and the client gets the end of its stream or a response with
// an error.
func (x *hostRequest) fail() {
	x.upstream.close()
	if !x.client.answered {
		x.gone = x.ctx.Err() != nil
		x.stopReading()
		x.answerInstead(internalError(x.request))
		return
	}
	x.loop.Wait()
	if x.response.Stream != nil && !x.stream.ended() {
		trap := x.stream.trapped()
		if d := detachableOf(x.request); d != nil && d.task() != nil {
			trap = nil // the events of a task have numbers, and its end says that it broke off
		}
		x.client.end(trap)
	}
}

// answerInstead sends r instead of an answer from the program.
func (x *hostRequest) answerInstead(r *js.Response) {
	x.client.setHead(r)
	SetRequestID(x.client.w.Header(), RequestID(x.request))
	x.client.w.WriteHeader(r.Status)
	x.client.put(r.Bytes)
}

// close waits for the end of all work of the request.
func (x *hostRequest) close() {
	x.upstream.close()
	x.cancel()
	x.stopReading()
	x.loop.Wait()
	for _, u := range x.upstreams {
		u.end()
	}
}

// stopReading ends a pending read of the client's body.
func (x *hostRequest) stopReading() {
	if x.bodyState == reading {
		x.clientBody.stop()
	}
}

// internalErrorMessage is the client's message for a failure of the program or the host. The log
// has the reason.
const internalErrorMessage = "edgelingua failed on this request. Send it again; if that fails too, " +
	"please report it."

// internalError returns the response for a dead instance, in the form of the client's protocol.
func internalError(r *http.Request) *js.Response {
	client := endpoint.Client(r.URL.Path, r.Header.Get)
	return &js.Response{
		Status:  http.StatusInternalServerError,
		Headers: js.NewHeaders(http.Header{"Content-Type": {"application/json"}}),
		Bytes:   client.Client.AppendError(nil, &ir.Error{Kind: ir.Internal, Message: internalErrorMessage}),
	}
}

// unreadable returns the response to a request that the program can't read.
func unreadable(r *http.Request) *js.Response {
	client := endpoint.Client(r.URL.Path, r.Header.Get)
	e := &ir.Error{Kind: ir.InvalidRequest, Message: "The request can't be read. Check its URL."}
	answer := internalError(r)
	answer.Status, answer.Bytes = client.Status(e), client.Client.AppendError(nil, e)
	return answer
}
