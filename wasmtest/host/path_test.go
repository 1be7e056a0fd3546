package host

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogPath(t *testing.T) {
	for path, want := range map[string]string{
		"/v1/messages": "/v1/messages", "/u/anna/v1/models": "/u/anna/v1/models", "/v1/models/a%2Fb": "/v1/models/a%2Fb",
		"/k/el_anna_x/v1/messages": "/k/KEY/v1/messages", "/k/el_anna_x": "/k/KEY/",
		"/k/el_anna_x%2Fv1/models": "/k/KEY/models", "/%6b/el_anna_x/v1": "/k/KEY/", "/k%2fel_anna_x/v1": "/k/KEY/",
	} {
		require.Equal(t, want, LogPath(httptest.NewRequest("GET", path, nil)))
	}
}
