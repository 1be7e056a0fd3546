// Package serve answers a request. Its steps, in this order:
//
//   - Serve and dispatch (serve.go) choose the kind of answer, and write it.
//   - read (read.go, route.go, client.go) finds the route and the endpoint. It ends with enter
//     (admit.go), which checks the client's access and the limit of open requests before the body
//     is read.
//   - converse (plan.go) reads the body of a request to a model. resolve finds the upstreams, checks
//     the other limits (admit in admit.go) and joins stored responses (stored.go).
//   - attempt (attempt.go, attempts.go) tries an upstream. pass (pass.go, passthrough.go) relays a
//     body unchanged, or translate and relay (translate.go) translate it. The answer is whole
//     (whole.go) or a stream (stream.go); next.go and rounds.go make a stream's further requests,
//     compact.go a summary's.
//   - account.go closes the account after the answer, and report.go writes the line for the log.
//
// count.go, embed.go, models.go, stored.go, socket.go and admin.go have the other kinds of answers,
// page.go the preview without a host. head.go and timing.go fill in the head of the answer. A step
// returns the input of the next step, or an error. The state of a request is in record (record.go)
// and, for a request with a client's body, in plan, which embeds record. Methods of record have the
// receiver h, methods of plan have p. Only Serve writes to the client.
//
// An endpoint that stores anything has an object: a Durable Object of Cloudflare, or a database of the
// local host (bridge.Host.Batch). In the object are the slots of open requests, each occupied by a
// lease; the accounts of requests; and the cooldowns of upstreams (worker/usage).
//
// "go:noinline" keeps code that few requests reach out of the functions that V8 compiles for every
// request: RATIONALE.md, "Why must some functions not be inlined?".
package serve

import (
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// Program implements bridge.Program: the program of the worker.
type Program struct{}

// Describe returns the line that says where prompts go. wrong: line says why the deployment can't
// serve.
func (Program) Describe(host bridge.Host) (line string, wrong bool) {
	line, err := endpoint.Describe(host.Setting, host.SettingNames())
	if err != nil {
		return err.Error(), true
	}
	return line, false
}

// reply is the client's response.
type reply struct {
	status       int
	contentType  string
	body         bridge.ClientBody
	nextRequests *nextRequests // the further requests of the stream in body; nil: none
}

// Serve answers one request.
func (Program) Serve(host bridge.Host, w bridge.Answerer, r *http.Request) {
	h := newRecord(host, w.Header())
	h.socket = host.Socket()
	h.timing.start = h.timing.now()
	host.Report(h)
	a, err := h.dispatch(r)
	if err != nil {
		a = h.refuse(ir.AsError(err))
	}
	// The host adds the headers that stop browsers from treating an answer as a document
	// (worker/workerd/harmless.mjs). Bodies never go through Write: for each call Write runs a
	// chain of promises and goroutines, and its pipe ends the program when the pipe is closed.
	if !a.body.IsNull() {
		h.header.Set("content-type", upstream.ContentType(a.contentType))
	}
	h.identify()
	h.timing.setHeader(h.header)
	h.result.status, h.timing.head = a.status, h.timing.now()
	w.WriteHeader(a.status)
	w.WriteRawJSBody(a.body)
	if a.nextRequests != nil {
		w.Ready() // the client does not wait for the further requests
		a.nextRequests.run()
	}
}

// dispatch returns the answer to the request.
func (h *record) dispatch(r *http.Request) (*reply, error) {
	to, e, err := h.read(r)
	if err != nil {
		return nil, err
	}
	switch to.operation {
	case manages:
		return h.manage(r)
	case ir.Greet:
		return jsonReply([]byte(greeting()), nil)
	case tests:
		return h.test(r)
	case upgrades:
		return h.upgrade(r, e)
	case ir.Count:
		return h.count(r, e)
	case ir.Embed:
		return h.embed(r, e)
	case ir.ListModels, ir.ReadModel:
		return h.models(r, e)
	case ir.StoredResponse:
		return h.storedResponse(r, e)
	case ir.StoredInput:
		return h.inputItems(r, e)
	case ir.StoredSubmit:
		return h.submit(r, e)
	case ir.StoredCancel:
		return h.cancel(r, e)
	}
	return h.converse(r, e)
}

// refuse returns the answer for an error, in the form of the client's protocol.
//
//go:noinline
func (h *record) refuse(err *ir.Error) *reply {
	h.result.failure, h.result.message = err.Kind, err.Message
	if h.socket && h.timing.upstreamRequest == 0 && refusesClient(err.Kind) {
		h.host.HangUp()
	}
	err = h.syncWait(err)
	return &reply{status: h.client.Status(err), contentType: typeJSON,
		body: bridge.Bytes(h.client.Client.AppendError(nil, err))}
}

// refusesClient reports whether an error rejects the client itself, regardless of the request. A rate
// limit does not: a lane may reach the limit while other lanes have answers in progress.
func refusesClient(kind ir.ErrorKind) bool {
	return kind == ir.Authentication || kind == ir.Permission
}

// jsonReply returns an answer with a JSON body, or err.
func jsonReply(body []byte, err error) (*reply, error) {
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, contentType: typeJSON, body: bridge.Bytes(body)}, nil
}

// streamReply returns an answer with a complete SSE stream.
func (h *record) streamReply(stream []byte) (*reply, error) {
	h.header.Set("cache-control", "no-cache")
	return &reply{status: http.StatusOK, contentType: typeSSE, body: bridge.Bytes(stream)}, nil
}
