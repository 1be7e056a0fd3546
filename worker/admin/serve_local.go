package admin

import (
	"net/http"

	"edgelingua/worker/endpoint"
)

// localUpstreams reports whether ALLOW_HTTP_UPSTREAM lets upstreams be anywhere, or returns the
// error for a value that it can't have.
func (m *managed) localUpstreams() (bool, *Error) {
	local, wrong := endpoint.LocalUpstreams(m.host.Setting)
	if wrong != nil {
		return false, Refuse(http.StatusInternalServerError, endpoint.NotSetUp(wrong.Error()).Message)
	}
	return local, nil
}
