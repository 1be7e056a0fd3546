package cli

import (
	"net/http"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/host"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/web/page"
)

// noPage returns a handler that refuses the requests of web_fetch, which this or another deployment
// sends for a model. worker/workerd/worker.mjs refuses them too.
func noPage(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != page.Agent {
			handler.ServeHTTP(w, r)
			return
		}
		client := endpoint.Client(r.URL.Path, r.Header.Get)
		w.Header().Set("Content-Type", "application/json")
		host.SetRequestID(w.Header(), host.RequestID(r))
		w.WriteHeader(http.StatusForbidden)
		w.Write(client.Client.AppendError(nil, &ir.Error{Kind: ir.InvalidRequest,
			Message: "This deployment is no webpage for a model."}))
	})
}
