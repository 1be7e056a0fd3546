package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// figures asks for the metrics, with a key where it is not "".
func figures(t *testing.T, url, key string, change func(*http.Request)) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(t, err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

func TestMetricsForTheAdmin(t *testing.T) {
	s := startServer(t, "--demo", "--secret", "ADMIN_KEY=operators-own-key")
	status, _ := post(t, s.url+"/v1/messages", "demo", toolCall)
	require.Equal(t, 200, status)
	for _, key := range []string{"", "demo", "operators-own-kez"} {
		status, text := figures(t, s.url+"/metrics", key, nil)
		assert.Equal(t, 401, status, key)
		assert.NotContains(t, text, "edgelingua_requests_total")
	}
	status, text := figures(t, s.url+"/metrics", "operators-own-key", nil)
	assert.Equal(t, 200, status)
	assert.Contains(t, text, `edgelingua_requests_total{endpoint="",status="200",upstream=""} 1`)
	assert.Contains(t, text, `edgelingua_tokens_total{endpoint="",kind="output",upstream=""} `)
	assert.Contains(t, text, "edgelingua_open_requests ")
	for range 12 {
		status, _ = figures(t, s.url+"/metrics", "wrong-wrong-wrong-wrong", nil)
	}
	assert.Equal(t, 429, status, "wrong keys are counted as by the Admin API")
	s.stop(t)

	s = startServer(t, "--demo")
	status, _ = figures(t, s.url+"/metrics", "demo", nil)
	assert.Equal(t, 404, status, "without ADMIN_KEY nobody may see them there")
	s.stop(t)
}

func TestMetricsAddress(t *testing.T) {
	s := startServer(t, "--demo", "--metrics-addr", "127.0.0.1:0")
	at := strings.TrimSuffix(strings.TrimPrefix(s.first, "metrics at "), "/metrics")
	status, text := figures(t, at+"/metrics", "", nil)
	assert.Equal(t, 200, status)
	assert.Contains(t, text, "edgelingua_open_requests 0")
	status, _ = figures(t, at+"/", "", nil)
	assert.Equal(t, 404, status)
	status, _ = figures(t, at+"/metrics", "", func(r *http.Request) { r.Host = "evil.example:80" })
	assert.Equal(t, 421, status, "a web page whose name leads here learns nothing")
	status, _ = figures(t, at+"/metrics", "", func(r *http.Request) { r.Method = http.MethodPost })
	assert.Equal(t, 405, status)
	s.stop(t)

	for _, address := range []string{"0.0.0.0:0", ":9464", "192.0.2.1:80", "example.com:1", "nonsense"} {
		_, err := parseServe([]string{"--metrics-addr", address}, io.Discard)
		assert.ErrorContains(t, err, "--metrics-addr takes an address of this machine alone", address)
	}
}
