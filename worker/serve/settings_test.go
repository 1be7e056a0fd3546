package serve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBadSettings: every client gets the error of a wrong setting. The local host does not start
// with such a setting, and prints the same error (wasmtest/known_test.go).
func TestBadSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, key, value, message string }{
		{"UPSTREAM_PROTOCOL missing", "UPSTREAM_PROTOCOL", "", "UPSTREAM_PROTOCOL.*not set.*chat"},
		{"UPSTREAM_PROTOCOL unknown", "UPSTREAM_PROTOCOL", "openai", "UPSTREAM_PROTOCOL.*must be.*chat"},
		{"UPSTREAM_URL missing", "UPSTREAM_URL", "", "UPSTREAM_URL.*not set"},
		{"UPSTREAM_URL not a URL", "UPSTREAM_URL", "api.example.com/v1", "UPSTREAM_URL.*must be"},
		{"UPSTREAM_URL of another scheme", "UPSTREAM_URL", "ftp://api.example.com", "UPSTREAM_URL.*must be"},
		{"UPSTREAM_URL with a password", "UPSTREAM_URL", "https://user:secret@api.example.com",
			"UPSTREAM_URL.*no password"},
		{"UPSTREAM_URL without a host", "UPSTREAM_URL", "http://", "UPSTREAM_URL.*must be"},
		{"MODELS not JSON", "MODELS", "{nope", "MODELS.*JSON"},
		{"MODELS not an object", "MODELS", `["a"]`, "MODELS.*object"},
		{"MODELS with a value of the wrong type", "MODELS", `{"a":1}`, "MODELS"},
		{"OPTIONS not JSON", "OPTIONS", "nope", "OPTIONS.*JSON"},
		{"OPTIONS with an unknown key", "OPTIONS", `{"lossy":"report","lozzy":"report"}`, `OPTIONS\.lozzy`},
		{"OPTIONS with a wrong value", "OPTIONS", `{"lossy":"maybe"}`, `OPTIONS\.lossy.*report`},
		{"UPSTREAM_OPTIONS not JSON", "UPSTREAM_OPTIONS", "[", "UPSTREAM_OPTIONS.*JSON"},
		{"UPSTREAM_OPTIONS with an unknown key", "UPSTREAM_OPTIONS", `{"tokenparam":"max_tokens"}`,
			`UPSTREAM_OPTIONS\.tokenparam`},
		{"HEAD_WAIT not a number", "HEAD_WAIT", "soon", "HEAD_WAIT"},
		{"UPSTREAM_TIMEOUT negative", "UPSTREAM_TIMEOUT", "-1", "UPSTREAM_TIMEOUT"},
		{"AUTH unknown", "AUTH", "open", "AUTH.*forward"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, map[string]string{test.key: test.value})
			for client, path := range paths {
				a := d.ask("POST", path, smallestOf(client, nil))
				assert.Regexp(t, test.message, failure(t, client, a, 500)["message"])
				assert.Equal(t, "false", a.Header().Get("X-Should-Retry"),
					"a second try fails in the same way")
			}
			if test.key == "AUTH" {
				return
			}
			e := failure(t, "anthropic", d.ask("POST", "/v1/messages", messagesBody, "Authorization: "), 401)
			assert.NotRegexp(t, "UPSTREAM|MODELS|OPTIONS|HEAD_WAIT", e["message"],
				"to a client without the key")
		})
	}
}

// TestNoClientKey refuses every request without a CLIENT_KEY. The local host treats an empty
// setting as missing.
func TestNoClientKey(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"CLIENT_KEY": ""})
	for _, key := range []string{"<undefined>", "undefined", "<null>", "null", "", clientKey} {
		for _, header := range []string{"X-Api-Key: ", "Authorization: Bearer "} {
			e := failure(t, "anthropic", d.ask("POST", "/v1/messages", messagesBody, "Authorization: ",
				header+key), 401)
			assert.Equal(t, "authentication_error", e["type"])
			assert.Contains(t, e["message"], "CLIENT_KEY", header+key)
		}
	}
	assert.Empty(t, d.requests())
}
