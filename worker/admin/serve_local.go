package admin

import (
	"net/http"

	"edgelingua/worker/endpoint"
)

// localUpstreams reports whether ALLOW_HTTP_UPSTREAM permits upstreams outside the public internet.
// An invalid value is an error.
func (m *managed) localUpstreams() (bool, *Error) {
	local, wrong := endpoint.LocalUpstreams(m.host.Setting)
	if wrong != nil {
		return false, Refuse(http.StatusInternalServerError, endpoint.NotSetUp(wrong.Error()).Message)
	}
	return local, nil
}
