package serve_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// TestBadRequests sends bodies that never reach an upstream.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	for _, test := range []struct {
		name, body string
		status     int
		kind       string
		message    string // a regular expression
	}{
		{name: "not JSON", body: "{nope"},
		{name: "empty", body: ""},
		{name: "not an object", body: "[1,2]"},
		{name: "cut off", body: messagesBody[:len(messagesBody)-1]},
		{name: "two values", body: messagesBody + "{}"},
		{name: "bad UTF-8", body: strings.Replace(messagesBody, `"model":"`, `"model":"`+"\xff\xfe", 1)},
		{name: "nested 10,000 deep", body: `{"model":"m","max_tokens":1,"messages":` +
			strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}"},
		{name: "objects nested 10,000 deep",
			body: strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)},
		{name: "nested 10,000 deep and cut off", body: `{"messages":` + strings.Repeat("[", 10_000)},
		{name: "a bad field is named by its path",
			body: with(messagesBody,
				`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text",`+
					`"text":5}]}]}`),
			message: `messages[.\[]0\]?\.content[.\[]1`},
		{name: "over 16 MB", body: with(messagesBody,
			`{"messages":[{"role":"user","content":"`+strings.Repeat("x", 16<<20)+`"}]}`), status: 413,
			kind: "request_too_large"},
	} {
		if test.status == 0 {
			test.status, test.kind = 400, "invalid_request_error"
		}
		e := failure(t, "anthropic", d.ask("POST", "/v1/messages", test.body), test.status)
		assert.Equal(t, test.kind, e["type"], test.name)
		assert.Regexp(t, test.message, e["message"], test.name)
	}
	assert.Empty(t, d.requests())
}

// TestThread refuses a thread with the code after which the SDK continues without a thread.
func TestThread(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	for _, path := range []string{"/v1/messages", "/v1/messages/count_tokens"} {
		a := d.ask("POST", path, with(messagesBody, `{"thread":{"type":"create"}}`))
		require.Equal(t, 400, a.Code, a.text())
		assert.Equal(t, "invalid_request_error", a.get("error.type").Str)
		assert.Equal(t, "thread_unsupported_request", a.get("error.details.error_code").Str)
	}
	assert.Empty(t, d.requests())
}

// TestBodySize sends a body of exactly 16 MB, and a longer body without a length.
func TestBodySize(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = says(200, chatAnswer)
	empty := `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":""}]}`
	fill := strings.Repeat("x", 16<<20-len(empty))
	a := d.ask("POST", "/v1/messages", strings.Replace(empty, `"content":""`, `"content":"`+fill+`"`, 1))
	require.Equal(t, 200, a.Code, a.text())
	assert.Len(t, gjson.Get(d.last().body, "messages.0.content").Str, len(fill))
	d.restart()

	long := strings.Replace(empty, `"content":""`, `"content":"`+fill+`x"`, 1)
	r := httptest.NewRequest("POST", "http://edge.test/v1/messages", io.MultiReader(strings.NewReader(long)))
	r.ContentLength = -1
	r.Header.Set("X-Api-Key", clientKey)
	assert.Equal(t, "request_too_large", failure(t, "anthropic", d.serve(r), 413)["type"])
	assert.Empty(t, d.requests())
}

// TestMethodsAndKeys asks the paths of all APIs with a wrong method, for a WebSocket, without a
// key, and with wrong keys.
func TestMethodsAndKeys(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	const none = "Authorization: "
	for client, path := range paths {
		a := d.ask("GET", path, "")
		failure(t, client, a, 405)
		assert.Equal(t, "POST", a.Header().Get("Allow"))
		if client != "responses" {
			a := d.ask("GET", path, "", "Connection: Upgrade", "Upgrade: websocket",
				"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==")
			assert.Contains(t, failure(t, client, a, 426)["message"], "POST")
		}
		e := failure(t, client, d.ask("POST", path, smallestOf(client, nil), none), 401)
		assert.Contains(t, e["message"], "x-api-key")
		for _, key := range []string{
			"X-Api-Key: wrong", "Authorization: Bearer wrong", "X-Api-Key: " + clientKey[:len(clientKey)-1],
			"X-Api-Key: " + clientKey + "x",
			"X-Api-Key: <undefined>", "Authorization: Basic " + clientKey,
		} {
			e := failure(t, client, d.ask("POST", path, smallestOf(client, nil), none, key), 401)
			assert.Regexp(t, "CLIENT_KEY|x-api-key", e["message"], key)
		}
	}
	assert.Empty(t, d.requests())
}

// TestForward passes the client's own credential on.
func TestForward(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"AUTH": "forward", "CLIENT_KEY": ""})
	d.upstreams["up.test"] = says(200, chatAnswer)
	for _, key := range []string{"X-Api-Key: own-key-1", "Authorization: Bearer own-key-1"} {
		a := d.ask("POST", "/v1/messages", messagesBody, "Authorization: ", key)
		require.Equal(t, 200, a.Code, a.text())
		assert.Equal(t, "Bearer own-key-1", d.last().Header.Get("Authorization"))
		assert.NotContains(t, d.last().Header, "X-Api-Key")
	}
	d.restart()
	assert.Equal(t, "authentication_error",
		failure(t, "anthropic", d.ask("POST", "/v1/messages", messagesBody, "Authorization: "), 401)["type"])
	assert.Empty(t, d.requests())
}
