package serve

import (
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/worker/admin"
	"edgelingua/worker/bridge"
	"edgelingua/worker/faults"
)

// manage answers a request to the Admin API or the owner API.
//
//go:noinline
func (h *record) manage(r *http.Request) (*reply, error) {
	h.header.Set("cache-control", "no-store")
	key, _ := credential(r, nil)
	status, out, refused := admin.Serve(h.host, r, h.header, key)
	if refused {
		h.result.failure = ir.KindOfStatus(status)
	}
	body := bridge.NoBody()
	if out != nil {
		body = bridge.Bytes(out)
	}
	return &reply{status: status, contentType: typeJSON, body: body}, nil
}

// test makes one call of the bridge, in the tests' build.
//
//go:noinline
func (h *record) test(r *http.Request) (*reply, error) {
	status, out := faults.State(h.host, r, h.header)
	return &reply{status: status, contentType: "application/octet-stream", body: bridge.Bytes(out)}, nil
}
