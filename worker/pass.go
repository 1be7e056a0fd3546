//go:build js && wasm

package main

import (
	"net/http"
	"strconv"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// pass relays a request whose client and upstream speak the same protocol. Nothing is taken apart: in the request only the
// model's name is replaced, where the endpoint maps it, and a good answer never enters the program.
func (a *answer) pass(r *http.Request, e *endpoint.Endpoint, body []byte) {
	if e.Policy.LoopGuard && len(body) <= maxTranslatedBody {
		if x, err := decode(a.client, e, body); err == nil { // else it is the upstream's to refuse
			a.loop(x.Request)
		}
	}
	fault(r, "after")
	head, failed := forward(r, e, e.Path(), a.mapped(body, e))
	if failed != nil {
		a.fail(failed)
		return
	}
	a.passAnswer(head, e)
}

// mapped returns a body with the upstream's name of its model.
func (a *answer) mapped(body []byte, e *endpoint.Endpoint) []byte {
	if len(e.Models) == 0 {
		a.passed = body
		return body
	}
	return translator.ReplaceModel(body, func(model string) string {
		a.asked, a.sent = strings.Clone(model), e.Models.Map(model) // the body changes under a name that views it
		return a.sent
	})
}

// forward sends a client's request on to an upstream that speaks the same protocol.
func forward(r *http.Request, e *endpoint.Endpoint, path string, body []byte) (bridge.Head, *ir.Error) {
	call := upstreamCall(e, path, passedHeaders(r, e, true), body)
	call.URL = withQuery(call.URL, r)
	return fetch(call)
}

// fetch sends a request upstream and waits for the head of the answer.
func fetch(call bridge.Call) (bridge.Head, *ir.Error) {
	head, failed := bridge.Fetch(call)
	if failed != nil {
		return head, unreached(failed.Error())
	}
	return head, nil
}

// passAnswer answers with an upstream's answer as it is.
func (a *answer) passAnswer(head bridge.Head, e *endpoint.Endpoint) {
	switch {
	case head.Status >= 400:
		a.passError(head, e)
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
func (a *answer) passError(head bridge.Head, e *endpoint.Endpoint) {
	body, failed := bridge.Read(maxError)
	a.keep(head.Lines)
	a.failed = ir.KindOfStatus(head.Status)
	if failed != nil {
		a.fail(&ir.Error{Kind: ir.KindOfStatus(head.Status), Status: head.Status, Message: "The upstream answered " +
			strconv.Itoa(head.Status) + ", with a body that can't be read."})
		return
	}
	text := translator.Redact(string(body), e.UpstreamKey)
	a.send(head.Status, bridge.HeaderOf(head.Lines, "content-type"), bridge.Bytes([]byte(text)))
}
