package host

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogPath(t *testing.T) {
	key := "el_anna_" + strings.Repeat("x", 43)
	for path, want := range map[string]string{
		"/v1/messages": "/v1/messages", "/u/anna/v1/models": "/u/anna/v1/models",
		"/v1/models/a%2Fb":         "/v1/models/a%2Fb",
		"/k/el_anna_x/v1/messages": "/k/KEY/v1/messages", "/k/el_anna_x": "/k/KEY/",
		"/k/el_anna_x%2Fv1/models": "/k/KEY/models", "/%6b/el_anna_x/v1": "/k/KEY/",
		"/k%2fel_anna_x/v1":         "/k/KEY/",
		"//k/" + key + "/v1/models": "//k/KEY/v1/models", "/v1/k/" + key: "/v1/k/KEY",
		"/u/" + key[:len(key)-1] + "/v1": "/u/KEY/v1",
		"/K/%65l" + key[2:] + "/a%20b":   "/K/KEY/a%20b", "/k//" + key + "/v1": "/k/KEY/KEY/v1",
		"/v1beta/models/sk-proj-0123456789:generateContent": "/v1beta/models/KEY:generateContent",
		"/v1/models/openai%2Fsk-0123456789/x":               "/v1/models/openai/KEY/x",
		"/" + strings.Repeat("-eyJ", 5000):                  "/" + strings.Repeat("-eyJ", 256)[:1023],
		"/v1/models/model_a_b":                              "/v1/models/model_a_b",
		"/u/el_my_own_team_" + key[8:] + "/v1":              "/u/KEY/v1", "/u/el__a_" + key[8:] + "/v1": "/u/KEY/v1",
	} {
		require.Equal(t, want, LogPath(httptest.NewRequest("GET", path, nil)))
	}
}
