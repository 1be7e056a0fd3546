package serve

import (
	"bytes"
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/upstream"
)

// pass relays a request whose client and upstream speak the same protocol. Nothing is taken apart: in the request only the
// model's name is replaced, where the endpoint maps it, and a good answer never enters the program. It returns false, and has not
// answered, where another upstream is to be tried, if there are more.
//
//go:noinline
func (h *handler) pass(r *http.Request, c *endpoint.Choice, body []byte, more bool) (answered bool) {
	if c.Endpoint.Policy.LoopGuard && len(body) <= maxTranslatedBody {
		if x, err := h.decode(c, body); err == nil { // a body that can't be decoded is for the upstream to refuse
			h.reportLoop(x.Request)
		}
	}
	faults.Trap(h.host, r, "after")
	if c.Model != h.asked {
		if more { // the next one gets the body as the client sent it
			body = bytes.Clone(body)
		}
		body = passing.ReplaceModel(body, func(string) string { return c.Model })
	}
	h.passed, h.body = c, body
	var asked []byte // an upstream's path depends on the body only at Vertex AI, or where the client's does
	if c.IsVertex() {
		asked = body
	}
	streams, _ := passing.Streams(c.API, h.path, asked)
	path := c.Path(streams)
	if passing.Asks(h.client, h.path) == ir.Compact {
		path += "/compact"
	}
	call := h.forwarded(r, c.Upstream, path, body)
	head, failed := h.fetch(c.Upstream, call)
	switch {
	case more && upstream.Fails(head.Status, failed):
		return false
	case failed != nil:
		h.fail(upstream.Unreached(failed.Error()))
	default:
		h.passAnswer(head, c.Upstream, call.URL)
	}
	return true
}

// forwarded returns the request to an upstream that takes the client's query, headers and body as they are: one that speaks the client's
// protocol or, for models, one whose lists have the same form.
func (h *handler) forwarded(r *http.Request, u *endpoint.Upstream, path string, body []byte) bridge.Call {
	return upstream.Call(h.host, u, upstream.WithQuery(path, r, h.client, u), upstream.PassedHeaders(r, u, true), body)
}

// passAnswer answers with an upstream's answer as it is, which was asked at a URL.
func (h *handler) passAnswer(head bridge.Head, u *endpoint.Upstream, url string) {
	switch {
	case head.Status >= 400:
		h.passError(head, u, url)
	case head.Status >= 300:
		h.fail(upstream.Redirected(head.Status))
	default:
		h.copyHeaders(head.Lines, u)
		h.setHeader(head.Lines, u, "cache-control")
		h.send(head.Status, bridge.HeaderOf(head.Lines, "content-type"), h.passing(head, u))
	}
}

// passing returns the body of an answer that passes: the upstream's own, which the program never sees, or a stream where the request
// has an account, which is closed at the stream's end. A stream that counts goes through a Tap. Of a stream the host decompresses gzip
// and br.
func (h *handler) passing(head bridge.Head, u *endpoint.Upstream) bridge.ClientBody {
	encoding := bridge.HeaderOf(head.Lines, "content-encoding")
	readable := encoding == "" || encoding == "identity" || encoding == "gzip" || encoding == "br"
	pumped := h.accounted != nil && head.Status != http.StatusNoContent
	if !(pumped && readable) {
		h.setHeader(head.Lines, u, "content-encoding")
	}
	if !pumped {
		return h.host.Pass()
	}
	switch {
	case h.counted && readable:
		h.tap = translator.NewTap(u.API, u.Secrets)
	case h.counted:
		println("edgelingua: an answer has passed that is compressed as no tokens can be counted")
	}
	h.pumped = true
	return h.host.Pump(&tapped{h.tap, &h.times}, "", beat(u.Endpoint.HeadWait), "", "", 0)
}

// setHeader copies a header of a list of words from the upstream's head, if it is one.
func (h *handler) setHeader(lines string, u *endpoint.Upstream, name string) {
	if value := upstream.AnswerOf(lines, u).Value(name, ir.Tokens); value != "" {
		h.w.Header().Set(name, value)
	}
}

// passError answers with an upstream's error as it is, but for the upstream's secrets, and for a 404 that is about the path, since nobody
// learns from that one which URL was asked, and for an error of a gateway's own, which no client can read.
func (h *handler) passError(head bridge.Head, u *endpoint.Upstream, url string) {
	body, failed := h.host.Read(upstream.MaxError, 0)
	h.copyHeaders(head.Lines, u)
	h.failed = ir.KindOfStatus(head.Status)
	if failed != nil || upstream.Unread(head.Status, head.Lines) != nil {
		h.fail(upstream.Unreadable(head.Status))
		return
	}
	if head.Status == http.StatusNotFound || u.Gateway != nil || u.IsVertex() {
		err := translator.Pair{Client: h.client, Upstream: u.API}.UpstreamError(head.Status, body, u.Secrets)
		if told := upstream.Told(u, url, err, string(body)); told != err || u.IsVertex() && err != nil { // Google's own errors have a form of their own
			h.fail(told)
			return
		}
	}
	text := passing.Redact(string(body), u.Secrets())
	h.send(head.Status, bridge.HeaderOf(head.Lines, "content-type"), bridge.Bytes([]byte(text)))
}
