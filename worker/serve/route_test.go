package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Bodies of clients, and answers of upstreams.
const (
	messagesBody  = `{"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}`
	chatBody      = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	responsesBody = `{"model":"m","input":"hi"}`
	geminiBody    = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`

	chatAnswer = `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`
)

// TestRoutes asks each path with a good key and a wrong method, or without one.
func TestRoutes(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = says(200, chatAnswer)
	for _, test := range []struct {
		method, path, body string
		headers            []string
		status             int
		says               string
		header             string // "name: value" in the answer
	}{
		{method: "POST", path: "/v1/messages", body: messagesBody, status: 200, says: "hello"},
		{method: "POST", path: "/v1/chat/completions", body: chatBody, status: 200, says: "hello"},
		{method: "POST", path: "/v1/responses", body: responsesBody, status: 200, says: "hello"},
		{method: "POST", path: "/v1beta/models/m:generateContent", body: geminiBody, status: 200,
			says: "hello"},
		{method: "GET", path: "/v1/messages", status: 405, says: "takes POST, not GET",
			header: "allow: POST"},
		{method: "DELETE", path: "/v1/models", status: 405, says: "takes GET, HEAD, not DELETE",
			header: "allow: GET, HEAD"},
		{method: "POST", path: "/v1/nothing", body: "{}", status: 404,
			says: "There is nothing at /v1/nothing"},
		{method: "GET", path: "/v1/models/..", status: 404, says: "There is nothing at"},
		{method: "GET", path: "/", headers: []string{"Authorization: "}, status: 200,
			says: "in a browser it shows a page"},
		{method: "POST", path: "/v1/messages", body: messagesBody,
			headers: []string{"Authorization: Bearer wrong"}, status: 401, says: `"authentication_error"`},
		{method: "POST", path: "/v1/messages", body: messagesBody, headers: []string{"Authorization: "},
			status: 401, says: `"authentication_error"`},
		{method: "POST", path: "/v1/messages", body: messagesBody, headers: []string{"Authorization: ",
			"X-Api-Key: " + clientKey}, status: 200, says: "hello"},
		{method: "POST", path: "/v1beta/models/m:generateContent?key=" + clientKey, body: geminiBody,
			headers: []string{"Authorization: "}, status: 200, says: "hello"},
		{method: "POST", path: "/v1/" + strings.Repeat("a", 600), status: 414,
			says: "over the limit of 512 bytes"},
		{method: "GET", path: "/v1/messages", headers: []string{"Upgrade: websocket"}, status: 426,
			says: "WebSockets are not served here"},
	} {
		a := d.ask(test.method, test.path, test.body, test.headers...)
		name := test.method + " " + test.path
		assert.Equal(t, test.status, a.Code, name)
		assert.Contains(t, a.text(), test.says, name)
		if key, value, ok := strings.Cut(test.header, ": "); ok {
			assert.Equal(t, value, a.Header().Get(key), name)
		}
		assert.NotEmpty(t, a.Header().Get("x-request-id"), name)
	}
}

// TestPersonal serves an endpoint of the Admin API.
func TestPersonal(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["mine.test"] = says(200, chatAnswer)
	key := d.make(`{"name":"anna","upstreams":[{"name":"up","protocol":"chat",` +
		`"url":"https://mine.test/v1","key":"sk-sealed"}]}`)
	a := d.ask("POST", "/u/anna/v1/messages", messagesBody, bearer(key))
	assert.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, "Bearer sk-sealed", d.last().Header.Get("Authorization"))
	assert.Equal(t, "anna", d.report("endpoint").Str)
	assert.Equal(t, 401, d.ask("POST", "/u/anna/v1/messages", messagesBody).Code, "the deployment's key")
}
