package serve

import (
	"errors"
	"net/http"
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/upstream"
)

// timing are the times of a request's steps, in milliseconds since the Unix epoch.
type timing struct {
	host            bridge.Host
	start           int64 // the request arrived
	upstreamRequest int64 // the last upstream request was sent
	upstreamHead    int64 // the head of that request's answer arrived; 0: not yet
	head            int64 // the head of the client's answer went out; 0: not yet
	firstOutput     int64 // the first bytes of a stream went out; 0: not yet, or the answer is not a stream
}

// noteOutput records the time of a stream's first output.
func (t *timing) noteOutput(out []byte) {
	if t.firstOutput == 0 && len(out) > 0 {
		t.firstOutput = t.now()
	}
}

// durations returns the milliseconds to the answer's first byte, 0 if there was none, and to now.
// Both are at least 1 if known.
func (t *timing) durations(pumped bool) (first, total int64) {
	if first = t.firstOutput; first == 0 && !pumped {
		first = t.head
	}
	if first != 0 {
		first = max(first-t.start, 1)
	}
	return first, max(t.now()-t.start, 1)
}

// setHeader sets server-timing in the head of an answer. total is the milliseconds of the request
// so far. upstream, if the upstream's head has arrived, is the milliseconds from the upstream
// request to its head.
func (t *timing) setHeader(h http.Header) {
	// On Cloudflare clocks stop between one input or output and the next, so no program can time
	// another: the worker's computations take 0 ms, and only the wait for an upstream is worth a
	// figure.
	var text []byte
	if t.upstreamHead != 0 {
		text = strconv.AppendInt(append(text, "upstream;dur="...), t.upstreamHead-t.upstreamRequest, 10)
		text = append(text, ", "...)
	}
	text = strconv.AppendInt(append(text, "total;dur="...), t.now()-t.start, 10)
	h.Set("server-timing", string(text))
}

// fetch is bridge.Host.Fetch for an upstream. The text of the error does not contain the upstream's
// secrets. fetch records the times of the request and of the head, and whether the upstream
// accepted the request.
func (h *record) fetch(u *endpoint.Upstream, call bridge.Call) (bridge.Head, error) {
	h.tag(&call, u)
	h.timing.upstreamRequest, h.timing.upstreamHead = h.timing.now(), 0
	if h.account.counts {
		h.insure(true)
	}
	head, failed := h.host.Fetch(call)
	h.noteHead(u, head.Status, head.Lines, failed)
	if head.Status != 0 {
		h.timing.upstreamHead = h.timing.now()
	}
	if failed != nil {
		failed = errors.New(passing.Redact(failed.Error(), u.Secrets()))
	}
	return head, failed
}

// tag sends the request's id to a gateway. The client's answer then has the same id.
func (h *record) tag(call *bridge.Call, u *endpoint.Upstream) {
	if u.Gateway == nil {
		return
	}
	if h.ids.request == "" {
		h.ids.request = h.newID()
	}
	upstream.Tag(call, u, h.ids.request)
}

// noteHead records the result of the last upstream: the head of its answer, or the failure.
func (h *record) noteHead(u *endpoint.Upstream, status int, lines string, failed error) {
	h.last.billable = upstream.Takes(status, failed)
	h.last.cache = upstream.Cached(u, lines)
	h.attempts.end(h.host, status, lines, failed)
}

// readBody returns the body of an upstream's answer with a status. It records an answer that breaks
// off as a failure of the upstream.
func (h *record) readBody(status int) ([]byte, error) {
	limit := upstream.MaxAnswer
	if status >= 300 {
		limit = upstream.MaxError
	}
	body, failed := h.host.Read(limit, 0)
	if failed != nil && failed != bridge.ErrTooLarge && status < 300 && upstream.Fails(status, failed) {
		h.attempts.fail(ir.Unavailable)
	}
	return body, failed
}

// reach is fetch with the client's error if the upstream can't be reached.
func (h *record) reach(u *endpoint.Upstream, call bridge.Call) (bridge.Head, error) {
	head, failed := h.fetch(u, call)
	if failed != nil {
		return head, upstream.Unreached(failed.Error())
	}
	return head, nil
}

// now returns the host's time in milliseconds since the Unix epoch.
func (t *timing) now() int64 { return t.host.Now().UnixMilli() }
