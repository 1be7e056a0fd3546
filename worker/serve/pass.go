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
// model's name is replaced, where the endpoint maps it, and a good answer never enters the program. It returns errNext
// where another upstream is to be tried, if there are more.
//
//go:noinline
func (h *plan) pass(r *http.Request, c *endpoint.Choice, body []byte, more bool) (reply, error) {
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
		return reply{}, errNext
	case failed != nil:
		return reply{}, upstream.Unreached(failed.Error())
	}
	return h.passAnswer(head, c.Upstream, call.URL)
}

// forwarded returns the request to an upstream that takes the client's query, headers and body as they are: one that speaks the client's
// protocol or, for models, one whose lists have the same form.
func (h *record) forwarded(r *http.Request, u *endpoint.Upstream, path string, body []byte) bridge.Call {
	return upstream.Call(h.host, u, upstream.WithQuery(path, r, h.client, u), upstream.PassedHeaders(r, u, true), body)
}

// passAnswer answers with an upstream's answer as it is, which was asked at a URL.
func (h *record) passAnswer(head bridge.Head, u *endpoint.Upstream, url string) (reply, error) {
	switch {
	case head.Status >= 400:
		return h.passError(head, u, url)
	case head.Status >= 300:
		return reply{}, upstream.Redirected(head.Status)
	}
	h.copyHeaders(head.Lines, u)
	h.setHeader(head.Lines, u, "cache-control")
	return reply{status: head.Status, contentType: bridge.HeaderOf(head.Lines, "content-type"), body: h.passing(head, u)}, nil
}

// passing returns the body of an answer that passes: the upstream's own, which the program never sees, or a stream where the request
// has an account, which is closed at the stream's end. A stream that counts goes through a Tap. Of a stream the host decompresses gzip
// and br.
func (h *record) passing(head bridge.Head, u *endpoint.Upstream) bridge.ClientBody {
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
func (h *record) setHeader(lines string, u *endpoint.Upstream, name string) {
	if value := upstream.AnswerOf(lines, u).Value(name, ir.Tokens); value != "" {
		h.header.Set(name, value)
	}
}

// passError answers with an upstream's error as it is, but for the upstream's secrets, and for a 404 that is about the path, since nobody
// learns from that one which URL was asked, and for an error of a gateway's own, which no client can read.
func (h *record) passError(head bridge.Head, u *endpoint.Upstream, url string) (reply, error) {
	body, failed := h.host.Read(upstream.MaxError, 0)
	h.copyHeaders(head.Lines, u)
	h.failed = ir.KindOfStatus(head.Status)
	if failed != nil || upstream.Unread(head.Status, head.Lines) != nil {
		return reply{}, upstream.Unreadable(head.Status)
	}
	if head.Status == http.StatusNotFound || u.Gateway != nil || u.IsVertex() {
		err := translator.Pair{Client: h.client, Upstream: u.API}.UpstreamError(head.Status, body, u.Secrets)
		if told := upstream.Told(u, url, err, string(body)); told != err || u.IsVertex() && err != nil { // Google's own errors have a form of their own
			return reply{}, told
		}
	}
	text := passing.Redact(string(body), u.Secrets())
	return reply{status: head.Status, contentType: bridge.HeaderOf(head.Lines, "content-type"), body: bridge.Bytes([]byte(text))}, nil
}
