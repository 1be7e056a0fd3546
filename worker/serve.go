//go:build js && wasm

package main

import (
	"net/http"
	"strconv"

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

// serve answers one request.
func serve(w http.ResponseWriter, r *http.Request) {
	client, served := route(r)
	a := answer{w: w, client: client}
	fault(r, "before")
	if !served {
		a.fail(&ir.Error{Kind: ir.NotFound, Message: "There is nothing at " + r.URL.Path +
			". Send POST requests to /v1/messages, /v1/chat/completions or /v1/responses."})
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("allow", http.MethodPost)
		a.fail(&ir.Error{Kind: ir.MethodNotAllowed, Message: r.URL.Path + " takes POST, not " + r.Method + "."})
		return
	}
	key := credential(r)
	if err := endpoint.Authorize(setting, key); err != nil {
		a.fail(err)
		return
	}
	e, err := endpoint.Load(setting)
	if err != nil {
		w.Header().Set("x-should-retry", "false") // the SDKs' retries can't mend a configuration
		a.fail(err)
		return
	}
	if e.Forward {
		e.UpstreamKey = key
	}
	x, err := receive(client, e)
	if err != nil {
		a.fail(err)
		return
	}
	fault(r, "after")
	a.relay(x, e)
}

// receive reads the client's body and decodes it for the endpoint's upstream.
func receive(client string, e *endpoint.Endpoint) (*translator.Exchange, *ir.Error) {
	limit := maxTranslatedBody
	if client == e.Protocol {
		limit = maxSameBody
	}
	body, failed := bridge.Body(limit)
	switch {
	case failed == bridge.ErrTooLarge:
		return nil, &ir.Error{Kind: ir.TooLarge, Message: "The request's body is over the limit of " +
			strconv.Itoa(limit>>20) + " MB. Send less: fewer or smaller images and documents, or a shorter history."}
	case failed != nil:
		return nil, &ir.Error{Kind: ir.InvalidRequest, Message: "The request's body could not be read: it ended early. Send it again."}
	}
	pair, built := translator.Lookup(client, e.Protocol)
	if !built {
		return nil, &ir.Error{Kind: ir.NotImplemented, Message: "This version does not translate " + client +
			" requests for a " + e.Protocol + " upstream. Use another path, or set UPSTREAM_PROTOCOL to another API of the upstream."}
	}
	bridge.Reserve(len(body) + len(body)/4)
	x, err := pair.Decode(body)
	if err != nil {
		return nil, err
	}
	model := e.Models.Map(jsonw.Unescape(x.Request.Model))
	x.Request.Model = jsonw.Escape(model)
	return x, nil
}
