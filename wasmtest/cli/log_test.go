package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// output collects what a server writes to stdout.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// entries stops the server and returns the lines of its log, without their times. It checks that
// each line has times.
func (s *server) entries(t *testing.T) (list []map[string]any) {
	t.Helper()
	s.stop(t)
	for line := range strings.Lines(s.stdout.String()) {
		var e map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		assert.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, e["time"])
		assert.GreaterOrEqual(t, e["total_ms"], 0.0)
		if first, ok := e["first_byte_ms"]; ok {
			assert.LessOrEqual(t, first, e["total_ms"])
		}
		for _, name := range []string{"time", "total_ms", "first_byte_ms"} {
			delete(e, name)
		}
		list = append(list, e)
	}
	return list
}

// request sends a request and reads the answer.
func request(t *testing.T, method, url, key, body string) (answer *http.Response, text string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err = http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	whole, _ := io.ReadAll(answer.Body)
	return answer, string(whole)
}

func TestLog(t *testing.T) {
	s := startServer(t, "--demo", "--var", "USAGE=false", "--var",
		`MODELS={"claude-*":"demo","fails":"demo-error-stream"}`, "--var", `OPTIONS={"loop_guard":"report"}`)
	var want []map[string]any
	send := func(method, path, key, body string, status int, members map[string]any) {
		t.Helper()
		answer, text := request(t, method, s.url+path, key, body)
		require.Equal(t, status, answer.StatusCode, text)
		id := answer.Header.Get("X-Request-Id")
		require.NotEmpty(t, id)
		require.Equal(t, id, answer.Header.Get("Request-Id"))
		path, _, _ = strings.Cut(path, "?")
		e := map[string]any{
			"id": id, "method": method, "path": path, "endpoint": "", "status": float64(status),
			"bytes_in": float64(len(body)), "bytes_out": float64(len(text)),
		}
		for name, v := range members {
			e[name] = v
		}
		want = append(want, e)
	}
	tokens := func(input, output float64) map[string]any {
		return map[string]any{"input": input,
			"output": output}
	}
	stream := strings.Replace(toolCall, `"demo"`, `"claude-x","top_k":5`, 1)
	send("POST", "/v1/messages?query=private", "demo", stream, 200, map[string]any{
		"pair": "anthropic/chat", "model": "claude-x", "upstream_model": "demo", "tokens": tokens(71, 5),
		"lost": []any{"top_k"},
	})
	send("POST", "/v1/responses", "demo", `{"model":"demo","input":"private"}`, 200, map[string]any{
		"pair": "responses/chat", "model": "demo", "tokens": tokens(17, 12),
	})
	send("POST", "/v1/chat/completions", "demo",
		`{"model":"claude-\"\u0007","messages":[{"role":"user","content":"private"}]}`, 200, map[string]any{
			"pair": "chat/chat", "model": "claude-\"\a", "upstream_model": "demo",
		})
	send("POST", "/v1/messages", "private", stream, 401, map[string]any{"error": "authentication",
		"bytes_in": 0.0})
	send("POST", "/v1/messages", "demo", `{"model":"demo"}`, 400, map[string]any{"pair": "anthropic/chat",
		"model": "demo", "error": "invalid_request"})
	send("POST", "/v1/messages", "demo",
		`{"model":"fails","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hello"}]}`, 200,
		map[string]any{
			"pair": "anthropic/chat", "model": "fails", "upstream_model": "demo-error-stream",
			"error": "internal",
		})
	send("POST", "/v1/chat/completions", "demo",
		`{"model":"demo-error-429","messages":[{"role":"user","content":"Hello"}]}`, 429, map[string]any{
			"pair": "chat/chat", "model": "demo-error-429", "error": "rate_limit",
		})
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",` +
		`"function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}`
	send("POST", "/v1/chat/completions", "demo",
		`{"model":"demo","messages":[{"role":"user","content":"Hi"},`+call+","+call+","+call+`]}`, 200,
		map[string]any{
			"pair": "chat/chat", "model": "demo", "loop": "look",
		})
	send("GET", "/nothing", "demo", "", 404, map[string]any{"error": "not_found"})
	_, health := request(t, "GET", s.url+"/healthz", "", "")
	assert.Regexp(t, `^{"ok":true,"version":"[^"]*","open_requests":0}\n$`, health)
	assert.ElementsMatch(t, want, s.entries(t))
	assert.NotContains(t, s.stdout.String(), "private")
}

// TestLogOfAPassedBody: the model is not replaced in a body that passes, so the log finds the
// model's name after the answer.
func TestLogOfAPassedBody(t *testing.T) {
	s := startServer(t, "--demo")
	request(t, "POST", s.url+"/v1/chat/completions", "demo",
		`{"model":"demo","messages":[{"role":"user","content":"Hi"}]}`)
	request(t, "POST", s.url+"/v1/chat/completions", "demo", `{"model":`)
	long := strings.Repeat("m", 1000)
	request(t, "POST", s.url+"/v1/chat/completions", "demo", `{"model":"`+long+`","messages":[]}`)
	got := s.entries(t)
	require.Len(t, got, 3)
	assert.Equal(t, "demo", got[0]["model"])
	assert.Nil(t, got[1]["model"])
	assert.Equal(t, "invalid_request", got[1]["error"])
	assert.Equal(t, long[:128], got[2]["model"])
}

// TestLogKeepsTheUpstreamsID: client, log and upstream have the same id for a request.
func TestLogKeepsTheUpstreamsID(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "req_of_the_upstream")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w,
			`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,`+
				`"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":10,"completion_tokens":5,`+
				`"prompt_tokens_details":{"cached_tokens":4},`+
				`"completion_tokens_details":{"reasoning_tokens":2}}}`)
	}))
	defer upstream.Close()
	s := startServer(t, "--demo", "--var", "UPSTREAM_URL="+upstream.URL)
	answer, _ := request(t, "POST", s.url+"/v1/messages", "demo",
		`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`)
	assert.Equal(t, "req_of_the_upstream", answer.Header.Get("X-Request-Id"))
	got := s.entries(t)
	require.Len(t, got, 1)
	assert.Equal(t, "req_of_the_upstream", got[0]["id"])
	assert.Equal(t, map[string]any{"input": 10.0, "output": 5.0, "cached": 4.0, "reasoning": 2.0},
		got[0]["tokens"])
}

// TestLogOfAPersonalEndpoint: the log has the endpoint's name and no key, not even a key in the
// path.
func TestLogOfAPersonalEndpoint(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`)
	}))
	defer upstream.Close()
	s := startServer(t, "--demo", "--secret", "ADMIN_KEY=a-key-of-the-operator", "--secret",
		"SEAL_KEY="+strings.Repeat("A", 43), "--var", "ALLOW_HTTP_UPSTREAM=true")
	_, made := request(t, "POST", s.url+"/admin/api/endpoints", "a-key-of-the-operator",
		`{"name":"anna","upstreams":[{"name":"a","protocol":"chat","url":"`+upstream.URL+
			`","key":"a-key-of-the-upstream"}]}`)
	var created struct{ Key string }
	require.NoError(t, json.Unmarshal([]byte(made), &created))
	require.NotEmpty(t, created.Key, made)
	const body = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}`
	for path, key := range map[string]string{"/u/anna/v1/messages": created.Key,
		"/k/" + created.Key + "/v1/messages": ""} {
		answer, text := request(t, "POST", s.url+path, key, body)
		require.Equal(t, 200, answer.StatusCode, text)
	}
	request(t, "POST", s.url+"/u/anna/v1/messages", "another-key", body)
	var got []any
	for _, e := range s.entries(t) {
		got = append(got, []any{e["path"], e["endpoint"], e["status"], e["pair"]})
	}
	assert.ElementsMatch(t, []any{
		[]any{"/admin/api/endpoints", "", 201.0, nil},
		[]any{"/u/anna/v1/messages", "anna", 200.0, "anthropic/chat"},
		[]any{"/k/KEY/v1/messages", "anna", 200.0, "anthropic/chat"},
		[]any{"/u/anna/v1/messages", "", 401.0, nil},
	}, got)
	assert.NotContains(t, s.stdout.String(), "el_anna_")
	assert.NotContains(t, s.stdout.String(), "-key")
}

// TestLogOfAClientThatLeaves: one client leaves before the answer, another in the middle of a
// stream.
func TestLogOfAClientThatLeaves(t *testing.T) {
	for _, passes := range []bool{false, true} {
		for _, began := range []bool{false, true} {
			came, over := make(chan struct{}), make(chan struct{})
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(over)
				io.Copy(io.Discard, r.Body)
				if began {
					w.Header().Set("Content-Type", "text/event-stream")
					http.NewResponseController(w).Flush()
				}
				close(came)
				<-r.Context().Done()
			}))
			s := startServer(t, "--demo", "--var", "UPSTREAM_URL="+upstream.URL)
			path := "/v1/messages"
			if passes {
				path = "/v1/chat/completions"
			}
			r, err := http.NewRequest("POST", s.url+path, strings.NewReader(toolCall))
			require.NoError(t, err)
			r.Header.Set("Authorization", "Bearer demo")
			left := leaveOnce(t, r, came, began)
			<-over
			<-left
			got := s.entries(t)
			require.Len(t, got, 1)
			assert.Equal(t, true, got[0]["aborted"])
			assert.Nil(t, got[0]["error"])
			assert.Equal(t, "demo", got[0]["model"])
			status := 499.0
			if began {
				status = 200
			}
			assert.Equal(t, status, got[0]["status"], "passes %v, began %v", passes, began)
			upstream.Close()
		}
	}
}

// leaveOnce sends a request and breaks the connection once came reports that the upstream has the
// request; if head is true, not before the client has the answer's headers.
func leaveOnce(t *testing.T, r *http.Request, came <-chan struct{}, head bool) (left <-chan struct{}) {
	t.Helper()
	transport := &http.Transport{}
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer, err := transport.RoundTrip(r.WithContext(ctx))
		if err == nil {
			<-came
			answer.Body.Close()
		}
		cancel()
	}()
	if !head {
		<-came
		cancel()
	}
	return done
}

func TestLogOfARefusal(t *testing.T) {
	release := make(chan struct{})
	came := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(came)
		<-release
	}))
	defer upstream.Close()
	s := startServer(t, "--demo", "--max-concurrent", "1", "--var", "UPSTREAM_URL="+upstream.URL)
	first := make(chan struct{})
	go func() {
		defer close(first)
		post(t, s.url+"/v1/messages", "demo", toolCall)
	}()
	<-came
	answer, _ := request(t, "POST", s.url+"/v1/chat/completions", "demo", "{}")
	assert.Equal(t, 503, answer.StatusCode)
	_, health := request(t, "GET", s.url+"/healthz", "", "")
	assert.Contains(t, health, `"open_requests":1`)
	close(release)
	<-first
	got := s.entries(t)
	require.Len(t, got, 2)
	assert.Equal(t, answer.Header.Get("X-Request-Id"), got[0]["id"])
	assert.Equal(t, 503.0, got[0]["status"])
	assert.Equal(t, "overloaded", got[0]["error"])
	assert.Equal(t, "unavailable", got[1]["error"])
}

func TestHealth(t *testing.T) {
	h := &health{http.NotFoundHandler(), func() int { return 3 }, func() bool { return true }}
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/healthz", 503, `{"ok":false,`},
		{"HEAD", "/healthz", 503, ""},
		{"POST", "/healthz", 405, "/healthz takes GET and HEAD."},
		{"GET", "/healthz/", 404, "404"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
		assert.Equal(t, test.status, w.Code)
		assert.Contains(t, w.Body.String(), test.body)
	}
}
