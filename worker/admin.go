//go:build js && wasm

package main

import (
	"net/http"
	"syscall/js"

	"edgelingua/translator/ir"
	"edgelingua/worker/admin"
	"edgelingua/worker/bridge"
)

// manage answers a request to the Admin API or the owner API.
func (a *answer) manage(r *http.Request) {
	h := a.w.Header()
	h.Set("cache-control", "no-store")
	key, _ := credential(r, nil)
	status, out, refused := admin.Serve(r, h, key)
	if refused {
		a.failed = ir.KindOfStatus(status)
	}
	if out == nil {
		a.send(status, "", js.Null())
		return
	}
	a.send(status, typeJSON, bridge.Bytes(out))
}
