//go:build js && wasm

package admin

import (
	"net/http"

	"edgelingua/worker/endpoint"
	"edgelingua/worker/settings"
)

// localUpstreams reports whether ALLOW_HTTP_UPSTREAM lets upstreams be anywhere, or returns the error for a value that it can't have.
func localUpstreams() (bool, *Error) {
	local, wrong := endpoint.LocalUpstreams(settings.Get)
	if wrong != nil {
		return false, Refuse(http.StatusInternalServerError, endpoint.NotSetUp(wrong.Error()).Message)
	}
	return local, nil
}
