package serve

import (
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/worker/admin"
	"edgelingua/worker/bridge"
)

// manage answers a request to the Admin API or the owner API.
//
//go:noinline
func (h *handler) manage(r *http.Request) {
	header := h.w.Header()
	header.Set("cache-control", "no-store")
	key, _ := credential(r, nil)
	status, out, refused := admin.Serve(h.host, r, header, key)
	if refused {
		h.failed = ir.KindOfStatus(status)
	}
	if out == nil {
		h.send(status, "", bridge.NoBody())
		return
	}
	h.send(status, typeJSON, bridge.Bytes(out))
}
