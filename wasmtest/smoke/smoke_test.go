package smoke

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/demo"
	"edgelingua/wasmtest/host"
)

const (
	clientKey   = "client-key-of-the-tests"
	upstreamKey = "upstream-key-of-the-tests"
)

// middleman is a proxy between the checks and the module, and can change answers.
type middleman struct {
	module http.Handler
	change func(r *http.Request, a *httptest.ResponseRecorder, body string) string
}

func (m *middleman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, broken := httptest.NewRecorder(), false
	func() {
		defer func() { broken = recover() != nil }()
		m.module.ServeHTTP(a, r)
	}()
	body := m.change(r, a, a.Body.String())
	for name, values := range a.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.Code)
	io.WriteString(w, body)
	if broken {
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// start runs the module and a middleman between checks and module. The upstream is the demo with
// Chat Completions.
func start(t *testing.T) (*middleman, Target) {
	t.Helper()
	upstream := httptest.NewServer(demo.New(upstreamKey))
	t.Cleanup(upstream.Close)
	wasm := builttest.Module(t)
	module, err := host.New(context.Background(), wasm, host.Config{Env: map[string]string{
		"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream.URL + "/v1", "UPSTREAM_KEY": upstreamKey,
		"CLIENT_KEY": clientKey,
	}})
	require.NoError(t, err)
	t.Cleanup(func() { module.Close(context.Background()) })
	m := &middleman{module: module}
	m.pass()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return m, Target{URL: server.URL, Key: clientKey, Upstream: "chat", Secrets: []string{upstreamKey}}
}

// pass makes the middleman leave answers unchanged.
func (m *middleman) pass() {
	m.change = func(_ *http.Request, _ *httptest.ResponseRecorder, body string) string { return body }
}

// failures returns the lines about a report's failed checks.
func failures(r *Report) (lines []string) {
	for _, c := range r.Checks {
		if !c.OK {
			lines = append(lines, c.Pair+", "+c.Name+": expected "+c.Expected+"; got "+c.Got)
		}
	}
	return lines
}

func TestEmbedded(t *testing.T) {
	_, target := start(t)
	told := 0
	report := Embedded(context.Background(), []Target{target}, func(done, all int, check string) {
		assert.Equal(t, told, done)
		assert.NotEmpty(t, check)
		told++
	})
	assert.Empty(t, failures(report))
	assert.True(t, report.OK)
	assert.Len(t, report.Checks, told)
	assert.Greater(t, told, 90)
}

// TestMutations breaks the answers on one path, each time in one way on which a strict SDK would
// fail. It names the check that must notice the fault, and the expectation in that check's failure.
func TestMutations(t *testing.T) {
	m, target := start(t)
	const messages, chat, responses = "/v1/messages", "/v1/chat/completions", "/v1/responses"
	for _, test := range []struct {
		path     string
		from, to string // a regular expression, and the replacement of its first match
		check    string
		expected string
	}{
		{messages, `event: message_start\ndata: .*\n\n`, "", "text, streamed",
			"message_start as the first event"},
		{messages, `event: message_stop\ndata: .*\n\n`, "", "text, streamed", "message_stop at the end"},
		{messages, `event: message_delta\ndata: .*\n\n`, "", "text, streamed",
			"message_delta with a stop_reason before message_stop"},
		{messages, `event: content_block_stop\ndata: .*\n\n`, "", "tool call, streamed",
			"content_block_stop before message_delta"},
		{messages, `event: content_block_start\ndata: .*\n\n`, "", "text, streamed",
			"an open block before content_block_delta"},
		{messages, `event: content_block_delta\ndata: .*\n\n`, "", "text, streamed", "the text"},
		{messages, `event: content_block_delta\ndata: .*\n\n`, "", "tool call, streamed",
			"the arguments of get_weather that is JSON"},
		{messages, `event: message_stop\n`, "", "text, streamed", `.type ""`},
		{messages, `"index":1`, `"index":2`, "parallel, streamed", "content_block_start.index 1"},
		{messages, `"index":0,"content_block"`, `"index":1,"content_block"`, "text, streamed",
			"content_block_start.index 0"},
		{messages, `"index":0,"delta"`, `"index":1,"delta"`, "text, streamed", "content_block_delta.index 0"},
		{messages, `"content":\[\],`, "", "text, streamed", "message.content"},
		{messages, `"text":""`, `"text":"a"`, "text, streamed", `content_block.text ""`},
		{messages, `"input":{}`, `"input":""`, "tool call, streamed", "content_block.input {}"},
		{messages, `"input":{"`, `"input":{"x":1,"`, "tool call, plain",
			"arguments that are properties of get_weather"},
		{messages, `celsius`, `kelvin`, "tool call, plain", "unit of celsius, fahrenheit"},
		{messages, `text_delta`, `texts_delta`, "text, streamed", "delta.type of text_delta"},
		{messages, `event: ping|event: message_stop\ndata: .*\n\n`,
			"event: message_end\ndata: {\"type\":\"message_end\"}\n\n", "text, streamed",
			"an event of the Messages API"},
		{messages, `"stop_reason":"tool_use"`, `"stop_reason":"end_turn"`, "tool call, streamed",
			"an answer that ended for calls"},
		{messages, `"stop_reason":"tool_use"`, `"stop_reason":"tools"`, "tool call, plain",
			"stop_reason that Anthropic has"},
		{messages, `"usage":{[^{}]*}}\n\nevent: message_stop`, "\"x\":1}\n\nevent: message_stop",
			"text, streamed", "message_delta.usage"},
		{messages, `"output_tokens":[0-9]+(,[^\n]*}}\n\nevent: message_stop)`, "\"output_tokens\":0${1}",
			"text, streamed", "usage with tokens"},
		{messages, `"role":"assistant",`, "", "text, plain", "the body.role"},
		{messages, `\n$`, "", "text, streamed", "an empty line behind the last event"},
		{messages, `event: error\ndata: .*\n\n`, "", "error stream, streamed", "the event error at the end"},
		{messages, `event: error\ndata: .*\n\n`,
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "error cut, streamed",
			"the event error at the end"},
		{messages, `rate_limit_error`, "api_error", "error 429, plain", `error.type "rate_limit_error"`},
		{messages, `502 Bad Gateway`, "", "error html, streamed", "the title of the upstream's page"},
		{messages, `"type":"error",`, "", "no key", "the body.type"},

		{chat, `data: \[DONE\]\n\n`, "", "text, streamed", "[DONE] at the end"},
		{chat, `"role":"assistant"`, `"x":1`, "text, streamed", "delta.role"},
		{chat, `"id":"chatcmpl-`, `"id":"other-`, "text, streamed", "chunk.id that is the same as"},
		{chat, `"index":0,"type":"function"|"index":0`, `"index":1`, "text, streamed", "index 0"},
		{chat, `"index":1`, `"index":2`, "parallel, streamed", "indexes of calls from 0 without a gap"},
		{chat, `"type":"function"`, `"x":1`, "tool call, streamed", ".type"},
		{chat, `"function":{"arguments":"[^"]`, `"function":{"name":"","arguments":"{`,
			"tool call, streamed", "id and name in the first piece of a call only"},
		{chat, `"finish_reason":"stop"`, `"finish_reason":null`, "text, streamed",
			"usage behind the finish_reason"},
		{chat, `"finish_reason":"tool_calls"`, `"finish_reason":"stop"`, "tool call, plain",
			"an answer that ended for calls"},
		{chat, `data: {"choices":\[\].*\n\n`, "", "text, streamed", "usage, as stream_options ask for it"},
		{chat, `data: {"choices"`,
			`data: {"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},"choices"`,
			"round trip, streamed", "no usage, since nothing asks for it"},
		{chat, `"total_tokens":`, `"total_tokens":1`, "text, plain", "usage.total_tokens"},
		{chat, `"object":"chat.completion"`, `"object":"x"`, "text, plain", `object "chat.completion"`},
		{chat, `(?s)data: {"error".*`, "data: [DONE]\n\n", "error stream, streamed", "an error at the end"},
		{chat, `rate_limit_exceeded`, "x", "error 429, streamed", "error.code"},
		{chat, `"message":"[^"]*`, `"message":"`, "error 500, plain", "error.message that is not empty"},

		{responses, `event: response.created\ndata: .*\n\n`, "", "text, streamed",
			"response.created as the first event"},
		{responses, `event: response.completed\ndata: .*\n\n`, "", "text, streamed",
			"response.completed at the end"},
		{responses, `event: response.output_item.added\ndata: .*\n\n`, "", "tool call, streamed",
			"sequence numbers that count up from 0"},
		{responses, `"sequence_number":3`, `"sequence_number":9`, "text, streamed",
			"sequence numbers that count up from 0"},
		{responses, `"output_index":1`, `"output_index":2`, "parallel, streamed", "output_index 1"},
		{responses, `"item_id":"`, `"item_id":"x`, "text, streamed", "item_id that is the same as"},
		{responses, `"content_index":0,"delta"`, `"content_index":1,"delta"`, "text, streamed",
			"a content_index of an open part"},
		{responses, `"annotations":\[\],`, "", "text, streamed", "part.annotations"},
		{responses, `"annotations":\[\],?`, "", "text, plain", ".annotations"},
		{responses, `"arguments":"",`, "", "tool call, streamed", "item.arguments"},
		{responses, `"delta":"Th`, `"delta":"th`, "text, streamed", "response.output_text.done.text"},
		{responses, `event: response.output_item.done\ndata: {"type":"response.output_item.done"`,
			"event: response.output_item.end\ndata: {\"type\":\"response.output_item.end\"",
			"tool call, streamed", "an event of the Responses API"},
		{responses, `(response.completed",.*?"id":")resp_`, "${1}other_", "text, streamed",
			"response.id that is the same as"},
		{responses, `(response.completed",.*"output":\[){.*?"status":"completed"}\]`, "${1}]",
			"tool call, streamed", "the items of the stream in the last response's output"},
		{responses, `"cached_tokens":`, `"x":`, "text, streamed", "input_tokens_details.cached_tokens"},
		{responses, `"usage":{.*?}},`, "", "text, plain", "usage"},
		{responses, `event: response.failed\ndata: .*\n\n`, "", "error cut, streamed",
			"the events error and response.failed at the end"},
		{responses, `(response.failed",.*?"id":")resp_`, "${1}other_", "error stream, streamed",
			"response.id that is the same as"},
		{responses, `server_is_overloaded`, "x", "error 529, plain", "error.code"},
		{responses, `^.*$`, "<html>", "404", "the body that is JSON"},
	} {
		from := regexp.MustCompile(test.from)
		m.change = func(r *http.Request, _ *httptest.ResponseRecorder, body string) string {
			at := from.FindStringSubmatchIndex(body)
			if r.URL.Path != test.path && !strings.HasPrefix(r.URL.Path, "/v1/no/") || at == nil {
				return body
			}
			return body[:at[0]] + string(from.ExpandString(nil, test.to, body, at)) + body[at[1]:]
		}
		pair := map[string]string{messages: "anthropic", chat: "chat", responses: "responses"}[test.path]
		checks := slices.DeleteFunc(embeddedChecks(context.Background(), []Target{target}),
			func(c check) bool {
				return c.title() != test.check || c.pair != pair && c.pair != pair+"/chat"
			})
		require.Len(t, checks, 1, test.check)
		report := runAll(checks, nil, func() bool { return false })
		assert.False(t, report.OK)
		assert.Contains(t, report.Checks[0].Expected, test.expected, "%s without %q, %s", test.path,
			test.from, test.check)
	}
}

// TestKeyInAnswer repeats a key in the answers: the checks fail, and the report does not contain
// the key.
func TestKeyInAnswer(t *testing.T) {
	m, target := start(t)
	for _, key := range []string{clientKey, upstreamKey, wrongKey} {
		for where, change := range map[string]func(*http.Request, *httptest.ResponseRecorder, string) string{
			"the key is in the body": func(_ *http.Request, _ *httptest.ResponseRecorder,
				body string) string {
				return strings.Replace(body, "Wrong key", "Wrong key "+key, 1)
			},
			"the key is in the header X-Echo": func(_ *http.Request, a *httptest.ResponseRecorder,
				body string) string {
				a.Header().Set("X-Echo", key)
				return body
			},
		} {
			m.change = change
			report := runAll(authChecks(context.Background(), target, embeddedPatience), nil,
				func() bool { return false })
			assert.False(t, report.OK)
			lines := strings.Join(failures(report), "\n")
			assert.Contains(t, lines, "anthropic, wrong key: expected an answer without the key; got "+where)
			assert.NotContains(t, lines, key)
		}
	}
}

// TestLostHeaders removes the headers retry-after and allow from answers.
func TestLostHeaders(t *testing.T) {
	m, target := start(t)
	m.change = func(_ *http.Request, a *httptest.ResponseRecorder, body string) string {
		a.Header().Del("Retry-After")
		a.Header().Del("Allow")
		return body
	}
	lines := strings.Join(failures(Embedded(context.Background(), []Target{target}, nil)), "\n")
	for _, pair := range []string{"anthropic", "chat", "responses", "gemini"} {
		assert.Contains(t, lines, pair+"/chat, error 429, plain: expected retry-after: 7; got ")
		assert.Contains(t, lines, pair+", 405: expected allow: POST; got ")
	}
}

// TestCutThatIsHidden has a proxy that ends every answer properly, even after the connection to the
// module broke. With passthrough the checks must notice this.
func TestCutThatIsHidden(t *testing.T) {
	_, target := start(t)
	inner := strings.TrimPrefix(target.URL, "http://")
	whole := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RequestURI, r.URL.Scheme, r.URL.Host = "", "http", inner
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		defer response.Body.Close()
		w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		w.WriteHeader(response.StatusCode)
		io.Copy(w, response.Body)
	}))
	defer whole.Close()
	target.URL = whole.URL
	lines := strings.Join(failures(Embedded(context.Background(), []Target{target}, nil)), "\n")
	assert.Contains(t, lines,
		"chat/chat, error cut, streamed: expected a broken connection; got the end behind")
	assert.NotContains(t, lines, "anthropic/chat, error cut")
}

func TestPatience(t *testing.T) {
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		<-r.Context().Done()
	}))
	defer hanging.Close()
	c := &client{ctx: context.Background(), target: Target{URL: hanging.URL, Key: clientKey},
		patience: time.Millisecond}
	f := attempt(func() { c.send("GET", "/", nil, "") })
	require.NotNil(t, f)
	assert.Equal(t, &fault{"an answer", "nothing whole within 1ms"}, f)
}

func TestWrite(t *testing.T) {
	report := &Report{MS: 1234, Usage: []*Usage{{"/v1/messages", 7, 5}}, Checks: []Result{
		{Name: "text, streamed", Pair: "chat", OK: true, MS: 2.2, column: "text", mode: streamed},
		{Name: "text, plain", Pair: "chat", OK: true, MS: 2345, Note: "half", column: "text", mode: plain},
		{Name: "no key", Pair: "chat", Expected: "a", Got: "b", MS: 0.1, column: "no key"},
	}}
	var text strings.Builder
	report.Write(&text, Style{UTF8: true})
	assert.Equal(t, `client  text
        streamed  plain
chat    ✓ 3 ms    ~ 2.3 s

client  no key
chat    ✗ 1 ms

~ chat, text, plain: half
✗ chat, no key
    expected: a
    got:      b
/v1/messages: 7 input tokens, 5 output tokens
3 checks in 1.2 s: 1 failed
`, text.String())
	text.Reset()
	report.Write(&text, Style{Colour: true})
	assert.Contains(t, text.String(), "\x1b[32mok 3 ms\x1b[0m   \x1b[33m~ 2.3 s\x1b[0m\n")
	assert.Contains(t, text.String(), "\x1b[31mNO\x1b[0m chat, no key\n")
}
