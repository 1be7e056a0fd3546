package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	noKey     = "Authorization: " // instead of the deployment's key
	anthropic = "Anthropic-Version: 2023-06-01"
)

// TestGreeting greets without a key.
func TestGreeting(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	for _, path := range []string{"/", "/api/hello"} {
		a := d.ask("GET", path, "", noKey)
		assert.Equal(t, 200, a.Code)
		assert.Equal(t, "application/json", a.Header().Get("Content-Type"))
		assert.Contains(t, a.get("message").Str, "edgelingua")
		assert.Equal(t, 200, d.ask("HEAD", path, "", noKey).Code)
		post := d.ask("POST", path, "{}", noKey)
		assert.Equal(t, 405, post.Code)
		assert.Equal(t, "GET, HEAD", post.Header().Get("Allow"))
	}
}

// TestNoSuchPath requests unserved paths of the APIs.
func TestNoSuchPath(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	for _, line := range []string{
		"POST /v1/messages/batches", "GET /v1/messages/batches?limit=20", "POST /api/event_logging/batch",
		"POST /api/claude_code/metrics",
		"GET /v1/files", "GET /v1/models/..", "POST /v1/images/generations",
	} {
		method, path, _ := strings.Cut(line, " ")
		body := map[string]string{"POST": "{}"}[method]
		e := failure(t, "anthropic", d.ask(method, path, body, noKey, "X-Api-Key: "+clientKey, anthropic),
			404)
		assert.Equal(t, "not_found_error", e["type"], line)
		assert.Regexp(t, "^There is nothing at /", e["message"], line)
		other := d.ask(method, path, body)
		require.Equal(t, 404, other.Code, line)
		if strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/v1/messages/") {
			assert.Equal(t, "error", other.get("type").Str, line)
		} else {
			assert.Equal(t, "invalid_request_error", other.get("error.type").Str, line)
		}
	}
	assert.Empty(t, d.requests())

	assert.Contains(t, failure(t, "chat", d.ask("GET", "/nope", "", noKey), 404)["message"], "/v1/messages")
	for _, header := range []string{"X-Api-Key: " + clientKey, anthropic} {
		assert.Equal(t, "not_found_error",
			failure(t, "anthropic", d.ask("POST", "/v1/nope", "{}", noKey, header), 404)["type"])
	}
	assert.Equal(t, "not_found_error", failure(t, "anthropic",
		d.ask("POST", "/v1/messages/nope", "{}", noKey, "X-Api-Key: "+clientKey), 404)["type"])
}

// TestAllow: the answer to a wrong method lists the allowed methods, without a key.
func TestAllow(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	for _, method := range []string{"HEAD", "OPTIONS"} {
		for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/responses",
			"/v1/messages/count_tokens"} {
			a := d.ask(method, path, "", noKey)
			assert.Equal(t, 405, a.Code, path)
			assert.Equal(t, "POST", a.Header().Get("Allow"), path)
			assert.NotContains(t, a.Header(), "Access-Control-Allow-Origin", path)
		}
	}
}
