//go:build js && wasm

package main

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Limits of a client's body, in bytes. A body that only passes through is never taken apart.
const (
	maxTranslatedBody = 16 << 20
	maxSameBody       = 32 << 20
)

// greeting is for clients that ask whether anyone is there before they have a key, as Claude Code does, and for browsers.
const greeting = `{"message":"This is edgelingua. It serves /v1/messages, /v1/chat/completions and /v1/responses."}`

// serve answers one request.
func serve(w http.ResponseWriter, r *http.Request) {
	r.Header = clientHeader()
	to, served := routeOf(r)
	a := &answer{w: w, client: to.client}
	bridge.Reported = a
	fault(r, "before")
	if a.stateTest(r) {
		return
	}
	if !served {
		a.fail(&ir.Error{Kind: ir.NotFound, Message: "There is nothing at " + r.URL.Path +
			". Send POST requests to /v1/messages, /v1/chat/completions or /v1/responses."})
		return
	}
	if strings.EqualFold(r.Header.Get("upgrade"), "websocket") { // Codex takes 426 for an invitation to use POST, 405 for a bad moment
		a.fail(&ir.Error{Kind: ir.MethodNotAllowed, Status: http.StatusUpgradeRequired, Message: "WebSockets are not served here. Send POST requests."})
		return
	}
	if !to.takes(r.Method) {
		w.Header().Set("allow", to.methods)
		a.fail(&ir.Error{Kind: ir.MethodNotAllowed, Message: r.URL.Path + " takes " + to.methods + ", not " + r.Method + "."})
		return
	}
	if to.serve == nil {
		a.send(200, typeJSON, bridge.Bytes([]byte(greeting)))
		return
	}
	key, bearer := credential(r)
	e, err := admit(key, bearer)
	if err != nil {
		if err.HTTPStatus() == http.StatusInternalServerError {
			w.Header().Set("x-should-retry", "false") // the SDKs' retries can't mend a configuration
		}
		a.fail(err)
		return
	}
	a.upstream = e.Protocol
	to.serve(a, r, e)
}

// converse answers a request to a model. One that could pass, but for reasoning of other vendors in its history, is translated,
// unless it is too large for that.
func (a *answer) converse(r *http.Request, e *endpoint.Endpoint) {
	passes, limit := e.Passes(a.client), maxTranslatedBody
	if passes {
		limit = maxSameBody
	}
	body, err := receive(limit)
	if err != nil {
		a.fail(err)
		return
	}
	if passes && (len(body) > maxTranslatedBody || !translator.HoldsForeign(a.client, body)) {
		a.pass(r, e, body)
		return
	}
	x, err := decode(a.client, e, body)
	if err != nil {
		a.fail(err)
		return
	}
	a.exchange = x
	if e.Policy.LoopGuard {
		a.loop(x.Request)
	}
	fault(r, "after")
	a.relay(r, x, len(body), e)
}

// admit returns the endpoint of a client that presented key, and in which form. Who has no right to it does not learn how it is
// set up.
func admit(key string, bearer bool) (*endpoint.Endpoint, *ir.Error) {
	if err := endpoint.Authorize(setting, key); err != nil {
		return nil, err
	}
	e, err := endpoint.Load(setting)
	if err != nil {
		return nil, err
	}
	if e.Forward {
		e.UpstreamKey, e.Bearer = key, bearer
	}
	return e, nil
}

// receive reads the client's body.
func receive(limit int) ([]byte, *ir.Error) {
	body, failed := bridge.Body(limit)
	switch {
	case failed == bridge.ErrTooLarge:
		return nil, &ir.Error{Kind: ir.TooLarge, Message: "The request's body is over the limit of " +
			strconv.Itoa(limit>>20) + " MB. Send less: fewer or smaller images and documents, or a shorter history."}
	case failed != nil:
		return nil, &ir.Error{Kind: ir.InvalidRequest, Message: "The request's body could not be read: it ended early. Send it again."}
	}
	return body, nil
}

// decode decodes the client's body for the endpoint's upstream.
func decode(client string, e *endpoint.Endpoint, body []byte) (x *translator.Exchange, err *ir.Error) {
	pair, _ := translator.Lookup(client, e.Protocol)
	bridge.Reserve(len(body) / 8) // what the decoded request takes beside its body, as a rule
	if x, err = pair.Decode(body); err != nil {
		return nil, err
	}
	model := e.Models.Map(jsonw.Unescape(x.Request.Model))
	x.Request.Model = jsonw.Escape(model)
	x.Request.Received = time.Now().Unix()
	x.Secret, x.MaxOutput = e.UpstreamKey, int64(e.MaxOutput)
	if e.Policy.Changes() {
		x.Policy = &e.Policy
	}
	return x, nil
}
