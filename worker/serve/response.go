package serve

import (
	"net/http"
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

// response is what is known of the answer to the client.
type response struct {
	host       bridge.Host
	header     http.Header  // of the answer
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

// waits returns an error with the time in the header retry-after, where that has one, and sets the header where only the error has one: some APIs say it
// in the header, others in the body.
func (r *response) waits(err *ir.Error) *ir.Error {
	const name = "retry-after"
	seconds, bad := strconv.ParseInt(r.header.Get(name), 10, 64)
	switch {
	case bad == nil && seconds > 0:
		told := *err
		told.Wait = seconds
		return &told
	case err.Wait > 0 && r.header.Get(name) == "":
		r.header.Set(name, strconv.FormatInt(err.Wait, 10))
	}
	return err
}

// lost names in the head what could not be carried over.
func (r *response) lost(x *translator.Exchange) {
	if value := x.LostHeader(); value != "" {
		r.header.Set(headerLost, value)
	}
}

// copyHeaders copies from the lines of the upstream's head what a client acts on or reports (upstream.Answer), and notes the upstream's id.
func (r *response) copyHeaders(lines string, u *endpoint.Upstream) {
	a := upstream.AnswerOf(lines, u)
	r.upstreamID = a.ID()
	a.Each(r.header.Set)
}
