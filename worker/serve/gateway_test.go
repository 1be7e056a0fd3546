package serve_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// claudeCodeHeaders are headers of Claude Code 2.1.330 and, as X-New, headers that a later release
// may add (code.claude.com/docs/en/llm-gateway-protocol, "Request headers", "Forward as open lists").
var claudeCodeHeaders = []string{
	"Anthropic-Version: 2023-06-01", "Anthropic-Beta: claude-code-20250219,a-beta-of-tomorrow-2027-01-01",
	"Anthropic-New: tomorrow", "Anthropic-Client-Platform: cli",
	"Anthropic-Workspace-Id: wrkspc_1", "Anthropic-Organization-Id: org_1", "Anthropic-User-Profile-Id: uprof_1",
	"X-Claude-Code-Session-Id: 0199", "X-Claude-Code-Agent-Id: a1", "X-Claude-Code-Parent-Agent-Id: a0",
	"X-Claude-Code-Managed-Settings-Checksum: sha256:00", "X-New: tomorrow",
}

// TestGatewayHeaders: all headers anthropic-* reach an upstream of Messages unchanged. Headers that
// name an account go only with the client's own key. The headers that a gateway may consume, with
// the session and the agent, stay here: the checksum of the settings is sensitive.
func TestGatewayHeaders(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{
		"the upstream's key": {}, "the client's key": {"AUTH": "forward", "CLIENT_KEY": "", "UPSTREAM_KEY": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deployTo(t, "anthropic", env)
			d.upstreams["up.test"] = counted("anthropic")
			require.Equal(t, 200, d.ask("POST", "/v1/messages?beta=true", messagesBody, claudeCodeHeaders...).Code)
			sent := d.last()
			assert.Equal(t, "/v1/messages?beta=true", sent.URL.RequestURI())
			for _, line := range claudeCodeHeaders {
				header, value, _ := strings.Cut(line, ": ")
				lower := strings.ToLower(header)
				account := strings.HasSuffix(lower, "-id") && strings.HasPrefix(lower, "anthropic-")
				if !strings.HasPrefix(lower, "anthropic-") || account && len(env) == 0 {
					value = ""
				}
				assert.Equal(t, value, sent.Header.Get(header), header)
			}
		})
	}
}

// TestGatewayBody: the body reaches an upstream of Messages byte for byte, with unknown members and
// with Claude Code's attribution block as a first system block of its own: Anthropic removes the
// block only there.
func TestGatewayBody(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "anthropic", nil)
	d.upstreams["up.test"] = counted("anthropic")
	body := `{"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1.330;"},` +
		`{"type":"text","text":"Hi."}],"safeguards":[{"type":"dangerous_tool_use"}],"tags":{"team":"a"},` +
		`"a_field_of_tomorrow":{"x":[1.0]},"thinking":{"type":"adaptive"},"model":"m","max_tokens":9,` +
		`"messages":[{"role":"user","content":"hi"}]}`
	for _, path := range []string{"/v1/messages", "/v1/messages/count_tokens"} {
		d.ask("POST", path+"?beta=true", body, claudeCodeHeaders...)
		assert.Equal(t, body, d.last().body)
		assert.Equal(t, path+"?beta=true", d.last().URL.RequestURI())
	}
}

// TestGatewayCredentials accepts the key in either header, and in both, as Claude Code sends the
// value of an apiKeyHelper. Discovery sends one of them.
func TestGatewayCredentials(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "anthropic", nil)
	d.upstreams["up.test"] = counted("anthropic")
	for _, headers := range [][]string{{bearer(clientKey)}, {noKey, "X-Api-Key: " + clientKey},
		{bearer(clientKey), "X-Api-Key: " + clientKey}} {
		headers = append(headers, anthropic)
		assert.Equal(t, 200, d.ask("POST", "/v1/messages", messagesBody, headers...).Code)
		assert.Equal(t, upstreamKey, d.last().Header.Get("X-Api-Key"))
		assert.Equal(t, 200, d.ask("GET", "/v1/models?limit=1000", "", headers...).Code)
	}
	for _, headers := range [][]string{{noKey, anthropic}, {bearer("wrong"), anthropic}} {
		failure(t, "anthropic", d.ask("POST", "/v1/messages", messagesBody, headers...), 401)
	}
}

// capabilityErrors are errors of Anthropic's API after which Claude Code 2.1.330 repeats a request
// without the rejected part. It matches the words ("Automatic retry and error forwarding").
var capabilityErrors = []string{
	"messages.1.content.0: Invalid `signature` in `thinking` block",
	"adaptive thinking is not supported on this model",
	"role 'system' is not supported on this model",
	"prompt is too long: 200001 tokens > 200000 maximum",
	"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
	"context_management: Extra inputs are not permitted",
	"safeguards: Extra inputs are not permitted",
	"Unexpected value(s) `a-beta` for the `anthropic-beta` header.",
}

// TestGatewayErrors: an error of an upstream of Messages reaches the client unmodified, with its
// status and its advice on retries.
func TestGatewayErrors(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "anthropic", nil)
	for _, message := range capabilityErrors {
		body := encoded(object{"type": "error", "request_id": "req_1",
			"error": object{"type": "invalid_request_error", "message": message}})
		d.upstreams["up.test"] = func(*sent) *reply {
			return &reply{status: 400, chunks: []string{body},
				header: map[string]string{"Content-Type": "application/json", "X-Should-Retry": "false"}}
		}
		a := d.ask("POST", "/v1/messages", messagesBody, anthropic)
		assert.Equal(t, 400, a.Code)
		assert.Equal(t, body, a.text())
		assert.Equal(t, "false", a.Header().Get("X-Should-Retry"))
	}
}

// TestGatewayWords: errors of upstreams of other protocols get the words by which Claude Code
// 2.1.330 shortens the conversation, or leaves its images out. Otherwise the same image would fail
// each further turn.
func TestGatewayWords(t *testing.T) {
	t.Parallel()
	const prompt, image = "prompt is too long", "Could not process image"
	d := deployTo(t, "chat", nil)
	for _, x := range []struct{ message, code, begins string }{
		{"Input tokens exceed the configured limit of 272000 tokens.", "", prompt},
		{"The decoder prompt (length 9000) is longer than the maximum model length of 8192.", "", prompt},
		{"Prompt exceeds max length", "1261", prompt},
		{"Input token length too long", "", prompt},
		{"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.", "", prompt},
		{"The context exceeds your deployment.", "", prompt},
		{"This request is over the maximum context limit.", "", prompt},
		{"Tokens in request more than max tokens allowed", "", prompt},
		{"You uploaded an unsupported image.", "invalid_image_format", image},
		{"The image could not be parsed.", "image_parse_error", image},
		{"The image data you provided does not represent a valid image.", "invalid_value", image},
		{"Invalid content type. image_url is only supported by certain models.", "", image},
		{"Unable to process input image. Please retry.", "", image},
		{"Provided image is not valid.", "", image},
		{"Could not process image", "invalid_image", image},
		{"Bad temperature", "invalid_value", "Bad temperature"},
	} {
		d.upstreams["up.test"] = says(400, refuses(x.message, x.code))
		e := failure(t, "anthropic", d.ask("POST", "/v1/messages", messagesBody, anthropic), 400)
		assert.Equal(t, "invalid_request_error", e["type"], x.message)
		message := e["message"].(string)
		assert.True(t, strings.HasPrefix(message, x.begins), message)
		assert.Equal(t, 1, strings.Count(message, x.begins), message)
		assert.Contains(t, message, x.message)
	}
}

// TestGatewayPings: a translated stream has pings while its upstream is silent in the middle of the
// answer. Claude Code aborts a stream without a byte for 300 seconds.
func TestGatewayPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		up := d.stage("up.test")
		c := d.endpoint(oneUpstream("chat")).open("anthropic", asking{stream: true})
		x := up.next()
		x.begin(200)
		x.send(chatRole, chatText)
		c.until("some")
		begun := time.Now()
		for range 3 {
			c.until("event: ping\n")
		}
		assert.Less(t, time.Since(begun), 3*300*time.Second) // of the bubble
		x.send(chatStop, chatDone)
		x.end()
		text, broken := c.rest()
		assert.False(t, broken)
		assert.Contains(t, text, "event: message_stop")
	})
}

// TestGatewayAbsent: the optional endpoints of Claude Code's protocol are a plain 404, without a
// request to an upstream: Claude Code then does without them.
func TestGatewayAbsent(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "anthropic", nil)
	for _, line := range []string{"GET /managed/settings", "POST /v1/metrics", "POST /v1/logs", "POST /v1/traces",
		"GET /api/oauth/usage", "GET /.well-known/oauth-authorization-server", "POST /api/event_logging/batch"} {
		method, path, _ := strings.Cut(line, " ")
		assert.Equal(t, 404, d.ask(method, path, "{}", anthropic).Code, line)
	}
	assert.Empty(t, d.requests())
}

// TestGatewayDiscovery: the list of models is one answer without a redirect, from one request to the
// upstream, with the members that Claude Code 2.1.330 reads. It shows an id with "claude" or
// "anthropic" in it.
func TestGatewayDiscovery(t *testing.T) {
	t.Parallel()
	for protocol, body := range map[string]string{"anthropic": claudeList,
		"chat": `{"data":[{"id":"anthropic/claude-a","name":"Claude A"},{"id":"gpt-b"}]}`} {
		d := deployTo(t, protocol, nil)
		d.upstreams["up.test"] = says(200, body)
		a := d.list(t, "/v1/models?limit=1000", asAnthropic...)
		require.Len(t, d.requests(), 1)
		first := gjson.Get(a.text(), "data.0")
		assert.Regexp(t, "claude-a$", first.Get("id").Str)
		assert.Equal(t, "Claude A", first.Get("display_name").Str)
	}
	d := deploy(t, map[string]string{"MODELS": `{"claude-qwen":"qwen3-coder"}`})
	a := d.list(t, "/v1/models?limit=1000", asAnthropic...)
	assert.Equal(t, "claude-qwen", gjson.Get(a.text(), "data.0.id").Str)
	assert.Empty(t, d.requests())
}
