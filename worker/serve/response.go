package serve

import (
	"strconv"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

const (
	typeJSON = "application/json"
	typeSSE  = "text/event-stream; charset=utf-8"

	headerLost = "x-edgelingua-lost"
	headerLoop = "x-edgelingua-loop"
	headerCost = "x-edgelingua-cost"
)

// response is the HTTP response to the client.
type response struct {
	host       bridge.Host
	w          bridge.Answerer
	client     *ir.API      // the client's protocol, in whose form errors are
	id         string       // of the request: the client's own, or what identify chooses when the head goes out; "": none yet
	upstreamID string       // the id that the upstream gave its response, "" for none
	status     int          // 0: the head has not gone out
	failed     ir.ErrorKind // the kind of the error that the client got in place of an answer; 0: it got none
	words      string       // of the error that the client got; "": none
	times      times
	attempts   attempts
	pumped     bool   // the answer is a stream, which the bridge's pump carries
	cached     string // whether a gateway has answered from its cache: see upstream.Cached
	unstored   bool   // the answer was whole, but can't be stored, so that its stream has failed
	taken      bool   // the last upstream may bill the request: it has got it, and has not refused it
	socket     bool   // the request came as a frame of a WebSocket
}

// send answers with status and body, which is bytes, a stream, or null for none. What contentType says is for upstream.ContentType to
// judge, whoever says it. The host adds the headers by which no browser takes an answer for a document (worker/workerd/harmless.mjs).
// Bodies never go through ResponseWriter.Write: that runs a chain of promises and goroutines for each call, and closing its pipe ends the
// program.
func (r *response) send(status int, contentType string, body bridge.ClientBody) {
	if !body.IsNull() {
		r.w.Header().Set("content-type", upstream.ContentType(contentType))
	}
	r.identify()
	r.times.report(r.w.Header())
	r.status, r.times.sent = status, r.times.now()
	r.w.WriteHeader(status)
	r.w.WriteRawJSBody(body)
}

// sendJSON answers with body, or with err where that is not nil.
func (r *response) sendJSON(body []byte, err *ir.Error) {
	if err != nil {
		r.fail(err)
		return
	}
	r.send(200, typeJSON, bridge.Bytes(body))
}

// fail answers with an error in the form of the client's protocol.
func (r *response) fail(err *ir.Error) {
	r.failed, r.words = err.Kind, err.Message
	if r.socket && r.times.called == 0 && refusesClient(err.Kind) {
		r.host.HangUp()
	}
	r.send(r.client.Status(err), typeJSON, bridge.Bytes(r.client.Client.AppendError(nil, r.waits(err))))
}

// waits returns an error with the time in the header retry-after, where that has one, and sets the header where only the error has one: some APIs say it
// in the header, others in the body.
func (r *response) waits(err *ir.Error) *ir.Error {
	const name = "retry-after"
	seconds, bad := strconv.ParseInt(r.w.Header().Get(name), 10, 64)
	switch {
	case bad == nil && seconds > 0:
		told := *err
		told.Wait = seconds
		return &told
	case err.Wait > 0 && r.w.Header().Get(name) == "":
		r.w.Header().Set(name, strconv.FormatInt(err.Wait, 10))
	}
	return err
}

// refusesClient reports whether an error says that the client may not use the endpoint, or not now, whatever it sends.
func refusesClient(kind ir.ErrorKind) bool {
	return kind == ir.Authentication || kind == ir.Permission || kind == ir.RateLimit
}

// lost names in the head what could not be carried over.
func (r *response) lost(x *translator.Exchange) {
	if value := x.LostHeader(); value != "" {
		r.w.Header().Set(headerLost, value)
	}
}

// copyHeaders copies from the lines of the upstream's head what a client acts on or reports (upstream.Answer), and notes the upstream's id.
func (r *response) copyHeaders(lines string, u *endpoint.Upstream) {
	a := upstream.AnswerOf(lines, u)
	r.upstreamID = a.ID()
	a.Each(r.w.Header().Set)
}
