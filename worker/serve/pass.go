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

// pass relays a request between a client and an upstream of the same protocol. Nothing is decoded,
// except for the loop guard and for an estimate of tokens. In the request only the model's name is
// replaced, if the endpoint maps the model. A successful answer never enters the program, unless the
// request has an account. more: there are other upstreams, and pass returns errNext if the next one
// is to be tried.
//
//go:noinline
func (p *plan) pass(r *http.Request, c *endpoint.Choice, body []byte, more bool) (*reply, error) {
	if c.Endpoint.Policy.LoopGuard && len(body) <= maxTranslatedBody {
		if x, err := p.decode(c, body); err == nil { // the upstream will reject a body that can't be decoded
			p.noteLoop(x.Request)
		}
	}
	faults.Trap(p.host, r, "after")
	if c.Model != p.clientModel {
		if more { // the next upstream gets the client's body unchanged
			body = bytes.Clone(body)
		}
		body = passing.ReplaceModel(body, func(string) string { return c.Model })
	}
	p.passthrough.choice, p.passthrough.body = c, body
	// Only at Vertex AI can the upstream's path depend on the body. Elsewhere the client's path
	// decides.
	var vertexBody []byte
	if c.IsVertex() {
		vertexBody = body
	}
	streams, _ := passing.Streams(c.API, p.path, vertexBody)
	path := c.Path(streams)
	if passing.Asks(p.client, p.path) == ir.Compact {
		path += "/compact"
	}
	call := p.forwarded(r, c.Upstream, path, body)
	head, failed := p.fetch(c.Upstream, call)
	switch {
	case more && upstream.Fails(head.Status, failed):
		return nil, errNext
	case failed != nil:
		return nil, upstream.Unreached(failed.Error())
	}
	return p.passAnswer(head, c.Upstream, call.URL)
}

// forwarded returns the request to an upstream that accepts the client's query, headers and body
// unchanged: an upstream of the client's protocol or, for models, an upstream with the same form of
// lists.
func (h *record) forwarded(r *http.Request, u *endpoint.Upstream, path string, body []byte) bridge.Call {
	return upstream.Call(h.host, u, upstream.WithQuery(path, r, h.client, u), upstream.PassedHeaders(r, u,
		true), body)
}

// passAnswer answers with an upstream's answer unchanged. url is the URL of the upstream request.
func (h *record) passAnswer(head bridge.Head, u *endpoint.Upstream, url string) (*reply, error) {
	switch {
	case head.Status >= 400:
		return h.passError(head, u, url)
	case head.Status >= 300:
		return nil, upstream.Redirected(head.Status)
	}
	h.copyHeaders(head.Lines, u)
	h.setHeader(head.Lines, u, "cache-control")
	return &reply{status: head.Status, contentType: bridge.HeaderOf(head.Lines, "content-type"),
		body: h.passing(head, u)}, nil
}

// passing returns the body of an answer that passes. Without an account it is the upstream's own
// body, which the program never sees. With an account it is a stream, at whose end the account is
// closed; if the request counts, the stream goes through a Tap. The host decompresses gzip and br
// of a stream.
func (h *record) passing(head bridge.Head, u *endpoint.Upstream) bridge.ClientBody {
	encoding := bridge.HeaderOf(head.Lines, "content-encoding")
	readable := encoding == "" || encoding == "identity" || encoding == "gzip" || encoding == "br"
	pumped := h.account.request != nil && head.Status != http.StatusNoContent
	if !(pumped && readable) {
		h.setHeader(head.Lines, u, "content-encoding")
	}
	if !pumped {
		return h.host.Pass()
	}
	switch {
	case h.embedding != nil:
		return h.pumpEmbeddings(u, readable)
	case h.account.counts && readable:
		h.passthrough.tap = translator.NewTap(u.API, u.Secrets)
	case h.account.counts:
		println("edgelingua: an answer has passed that is compressed as no tokens can be counted")
	}
	h.result.pumped = true
	s := &passthroughStream{h.passthrough.tap, &h.timing}
	return h.host.Pump(s, "", beat(u.Endpoint.HeadWait), "", "", 0)
}

// setHeader copies a header with a list of tokens from the upstream's head, if its value is such a
// list.
func (h *record) setHeader(lines string, u *endpoint.Upstream, name string) {
	if value := upstream.AnswerOf(lines, u).Value(name, ir.Tokens); value != "" {
		h.header.Set(name, value)
	}
}

// passError answers with an upstream's error unchanged, with two exceptions besides redacted
// secrets. A 404 about the path gets the URL of the upstream request, which the upstream's error
// does not show. An error in a gateway's own form becomes an error in the client's form.
func (h *record) passError(head bridge.Head, u *endpoint.Upstream, url string) (*reply, error) {
	body, failed := h.host.Read(upstream.MaxError, 0)
	h.copyHeaders(head.Lines, u)
	h.result.failure = ir.KindOfStatus(head.Status)
	if failed != nil || upstream.Unread(head.Status, head.Lines) != nil {
		return nil, upstream.Unreadable(head.Status)
	}
	if head.Status == http.StatusNotFound || u.Gateway != nil || u.IsVertex() {
		err := translator.Pair{Client: h.client, Upstream: u.API}.UpstreamError(head.Status, body, u.Secrets)
		// At Vertex AI, Google's own errors do not have the protocol's form.
		explained := upstream.Advise(u, url, err, string(body))
		if explained != err || u.IsVertex() && err != nil {
			return nil, explained
		}
	}
	text := passing.Redact(string(body), u.Secrets())
	return &reply{status: head.Status, contentType: bridge.HeaderOf(head.Lines, "content-type"),
		body: bridge.Bytes([]byte(text))}, nil
}
