//go:build js && wasm

package main

import (
	"bytes"
	"net/http"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// pass relays a request whose client and upstream speak the same protocol. Nothing is taken apart: in the request only the
// model's name is replaced, where the endpoint maps it, and a good answer never enters the program. It returns false, and has not
// answered, where another upstream is to be tried, if there are more.
func (a *answer) pass(r *http.Request, c *endpoint.Choice, body []byte, more bool) (answered bool) {
	if c.Policy.LoopGuard && len(body) <= maxTranslatedBody {
		if x, err := decode(a.client, c, body); err == nil { // else it is the upstream's to refuse
			a.loop(x.Request)
		}
	}
	fault(r, "after")
	if c.Model != a.asked {
		if more { // the next one gets the body as the client sent it
			body = bytes.Clone(body)
		}
		body = translator.ReplaceModel(body, func(string) string { return c.Model })
	}
	head, failed := a.fetch(forwarded(r, c.Upstream, c.Path(), body))
	switch {
	case more && fails(head.Status, failed):
		return false
	case failed != nil:
		a.fail(unreached(failed.Error()))
	default:
		a.passAnswer(head, c.Upstream)
	}
	return true
}

// forwarded is a client's request for an upstream that speaks the same protocol.
func forwarded(r *http.Request, u *endpoint.Upstream, path string, body []byte) bridge.Call {
	call := upstreamCall(u, path, passedHeaders(r, u, true), body)
	call.URL = withQuery(call.URL, r)
	return call
}

// passAnswer answers with an upstream's answer as it is.
func (a *answer) passAnswer(head bridge.Head, u *endpoint.Upstream) {
	switch {
	case head.Status >= 400:
		a.passError(head, u)
	case head.Status >= 300:
		a.fail(redirected(head.Status))
	default:
		a.keep(head.Lines)
		for _, name := range []string{"cache-control", "content-encoding"} {
			if value := bridge.HeaderOf(head.Lines, name); value != "" {
				a.w.Header().Set(name, value)
			}
		}
		a.send(head.Status, bridge.HeaderOf(head.Lines, "content-type"), bridge.Pass())
	}
}

// passError answers with an upstream's error as it is, but for the upstream's key.
func (a *answer) passError(head bridge.Head, u *endpoint.Upstream) {
	body, failed := bridge.Read(maxError)
	a.keep(head.Lines)
	a.failed = ir.KindOfStatus(head.Status)
	if failed != nil || encoded(head.Status, head.Lines) != nil {
		a.fail(unreadable(head.Status))
		return
	}
	text := translator.Redact(string(body), u.Key)
	a.send(head.Status, bridge.HeaderOf(head.Lines, "content-type"), bridge.Bytes([]byte(text)))
}
