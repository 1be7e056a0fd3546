//go:build js && wasm

package main

import (
	"net/http"

	"edgelingua/translator"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// count answers how many tokens a request is: with what an upstream of the client's own protocol says, where it counts, else with
// an estimate. Nothing else counts: of the servers that speak the three protocols few do, and it must cost no model.
func (a *answer) count(r *http.Request, e *endpoint.Endpoint) {
	body, choices, err := a.take(e, maxTranslatedBody)
	if err != nil {
		a.fail(err)
		return
	}
	c := &choices[0]
	a.ask(c, nil)
	body = translator.ReplaceModel(body, func(string) string { return c.Model })
	if a.client == c.Protocol && !translator.HoldsForeign(a.client, body) {
		if err := unseal(c.Upstream); err != nil {
			a.fail(err)
			return
		}
		head, err := a.reach(forwarded(r, c.Upstream, c.CountPath(), body))
		if err != nil {
			a.fail(err)
			return
		}
		if head.Status != http.StatusNotFound && head.Status != http.StatusMethodNotAllowed {
			a.passAnswer(head, c.Upstream)
			return
		}
		bridge.Read(maxError) // so that the connection can be used again
	}
	out, err := translator.AppendCount(nil, a.client, body)
	if err != nil {
		a.fail(err)
		return
	}
	a.send(200, typeJSON, bridge.Bytes(out))
}
