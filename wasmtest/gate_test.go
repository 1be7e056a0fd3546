package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusals are the answers that clients of each path get while the gate is full, and once it is shut.
var refusals = []struct {
	path, header         string
	status               int // while the gate is full
	full, shut, dialects string
}{
	{"/v1/messages", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`, `{"type":"error","error":{"type":`},
	{"/v1/messages/count_tokens", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`, `{"type":"error","error":{"type":`},
	{"/v1/models", "x-api-key", 529, `"type":"overloaded_error"`, `"type":"api_error"`, `{"type":"error","error":{"type":`},
	{"/v1/models", "anthropic-version", 529, `"type":"overloaded_error"`, `"type":"api_error"`, `{"type":"error","error":{"type":`},
	{"/v1/models", "authorization", 503, `"code":"server_is_overloaded"`, `"code":null`, `{"error":{"message":`},
	{"/v1/chat/completions", "x-api-key", 503, `"code":"server_is_overloaded"`, `"code":null`, `{"error":{"message":`},
	{"/u/anna/v1/messages", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`, `{"type":"error","error":{"type":`},
	{"/k/el_anna_x/v1/messages", "", 529, `"type":"overloaded_error"`, `"type":"api_error"`, `{"type":"error","error":{"type":`},
	{"/u/anna/v1/responses", "x-api-key", 503, `"code":"server_is_overloaded"`, `"code":null`, `{"error":{"message":`},
	{"/v1/responses", "x-api-key", 503, `"code":"server_is_overloaded"`, `"code":null`, `{"error":{"message":`},
}

func TestGate(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	g := newGate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-leave
	}), 2)
	s := httptest.NewServer(g)
	defer s.Close()
	send := func(path, header string) (*http.Response, string) {
		r, err := http.NewRequest("POST", s.URL+path, strings.NewReader(strings.Repeat("x", 8<<20)))
		require.NoError(t, err)
		if header != "" {
			r.Header.Set(header, "x")
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response, string(body)
	}
	admitted := make(chan int)
	enter := func() {
		go func() {
			response, _ := send("/v1/messages", "")
			admitted <- response.StatusCode
		}()
		<-entered
	}
	enter()
	enter()
	for _, test := range refusals {
		response, body := send(test.path, test.header)
		assert.Equal(t, test.status, response.StatusCode, test.path)
		assert.Equal(t, "5", response.Header.Get("Retry-After"))
		assert.Equal(t, "application/json", response.Header.Get("Content-Type"))
		assert.False(t, response.Close)
		assert.True(t, strings.HasPrefix(body, test.dialects), body)
		assert.Contains(t, body, test.full)
	}
	leave <- struct{}{}
	assert.Equal(t, 200, <-admitted)
	enter()
	empty := g.shut()
	for _, test := range refusals {
		response, body := send(test.path, test.header)
		assert.Equal(t, 503, response.StatusCode, test.path)
		assert.Equal(t, "5", response.Header.Get("Retry-After"))
		assert.True(t, response.Close)
		assert.True(t, strings.HasPrefix(body, test.dialects), body)
		assert.Contains(t, body, test.shut)
		assert.NotContains(t, body, "overloaded")
	}
	leave <- struct{}{}
	<-admitted
	select {
	case <-empty:
		t.Error("the gate is empty while one is inside")
	default:
	}
	leave <- struct{}{}
	<-admitted
	<-empty
	<-newGate(g, 1).shut()
}

func TestCapacity(t *testing.T) {
	assert.Equal(t, 16, concurrentIn(0))
	assert.Equal(t, 32, concurrentIn(512<<20))
	assert.Equal(t, 1024, concurrentIn(1<<40))
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, test := range []struct {
		meminfo, limit string
		want           int
	}{
		{"MemTotal:        2048 kB\nMemFree: 1 kB\n", "max\n", 2 << 20},
		{"MemTotal:        2048 kB\n", "1048576\n", 1 << 20},
		{"MemTotal:        2048 kB\n", "4194304\n", 2 << 20},
		{"", "", 4 << 30},
		{"MemTotal: many", "1000", 1000},
	} {
		assert.Equal(t, test.want, memory(file(test.meminfo), file(test.limit)))
	}
	assert.Equal(t, 4<<30, memory("no file", "no file"))
	assert.Positive(t, defaultConcurrent())
}
