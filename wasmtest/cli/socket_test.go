package cli

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// dialSocket opens a WebSocket of Responses with the demo's key. An upgrade keeps its slot for a
// moment after the 101: with a single slot the next upgrade may have to retry.
func (s *server) dialSocket(t *testing.T) *websocket.Conn {
	t.Helper()
	options := &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer demo"}},
		HTTPClient: &http.Client{Transport: &http.Transport{}}}
	c, answer, err := websocket.Dial(context.Background(), s.url+"/v1/responses", options)
	for err != nil && answer != nil && answer.StatusCode == http.StatusServiceUnavailable {
		c, answer, err = websocket.Dial(context.Background(), s.url+"/v1/responses", options)
	}
	require.NoError(t, err)
	require.NotEmpty(t, answer.Header.Get("X-Request-Id"))
	assert.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
	c.SetReadLimit(-1)
	t.Cleanup(func() { c.CloseNow() })
	return c
}

// hear returns the next important frame, without deltas and the like: the first or last event of an
// answer.
func hear(t *testing.T, c *websocket.Conn) gjson.Result {
	t.Helper()
	for {
		_, text, err := c.Read(context.Background())
		require.NoError(t, err)
		switch frame := gjson.ParseBytes(text); frame.Get("type").String() {
		case "response.created", "response.completed", "response.failed", "error":
			return frame
		}
	}
}

// turn sends a frame and returns the last event of its answer.
func turn(t *testing.T, c *websocket.Conn, members string) gjson.Result {
	t.Helper()
	require.NoError(t, c.Write(context.Background(), websocket.MessageText,
		[]byte(`{"type":"response.create","model":"demo","store":false,`+members+`}`)))
	frame := hear(t, c)
	if frame.Get("type").String() == "response.created" {
		frame = hear(t, c)
	}
	return frame
}

// TestSocketsInTheLog has idle connections hold no place, and their turns be requests of the log.
func TestSocketsInTheLog(t *testing.T) {
	s := startServer(t, "--demo", "--max-concurrent", "1")
	for range 3 {
		s.dialSocket(t)
	}
	c := s.dialSocket(t)
	first := turn(t, c, `"input":"private"`)
	require.Equal(t, "response.completed", first.Get("type").String(), first.Raw)
	second := turn(t, c, `"input":"private","previous_response_id":"`+first.Get("response.id").String()+`"`)
	require.Equal(t, "response.completed", second.Get("type").String(), second.Raw)
	unknown := turn(t, c, `"input":"private","previous_response_id":"resp_unknown"`)
	assert.Equal(t, "previous_response_not_found", unknown.Get("error.code").String(), unknown.Raw)
	require.NoError(t, c.Close(websocket.StatusNormalClosure, ""))
	entries := slices.DeleteFunc(s.entries(t), func(e map[string]any) bool { return e["status"] == 503.0 })
	require.Len(t, entries, 7)
	for i, e := range entries {
		if i < 4 {
			assert.Equal(t, []any{"GET", "/v1/responses", 101.0, nil}, []any{e["method"], e["path"],
				e["status"], e["socket"]})
			continue
		}
		assert.Equal(t, []any{"POST", "/v1/responses", true}, []any{e["method"], e["path"], e["socket"]})
		assert.Positive(t, e["bytes_in"])
		assert.Positive(t, e["bytes_out"])
		assert.NotEqual(t, entries[i-1]["id"], e["id"])
	}
	assert.Equal(t, "responses/chat", entries[4]["pair"])
	assert.NotNil(t, entries[5]["tokens"])
	assert.Equal(t, 400.0, entries[6]["status"])
	assert.NotContains(t, s.stdout.String(), "private")
}

// TestShutdownWithSockets sends a signal while one connection is idle and another one answers, and
// in one case a second signal.
func TestShutdownWithSockets(t *testing.T) {
	for _, second := range []bool{false, true} {
		came, release := make(chan struct{}), make(chan struct{})
		upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			http.NewResponseController(w).Flush()
			close(came)
			select {
			case <-release:
				io.WriteString(w,
					`data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,`+
						`"delta":{"role":"assistant","content":"late"},"finish_reason":"stop"}]}`+
						"\n\ndata: [DONE]\n\n")
			case <-r.Context().Done():
			}
		}))
		s := startServer(t, "--demo", "--max-concurrent", "1", "--var", "UPSTREAM_URL="+upstream.URL)
		idle, busy := s.dialSocket(t), s.dialSocket(t)
		require.NoError(t, busy.Write(context.Background(), websocket.MessageText,
			[]byte(`{"type":"response.create","model":"m","input":"Hi"}`)))
		<-came
		refused := turn(t, idle, `"input":"Hi"`)
		assert.EqualValues(t, 503, refused.Get("status").Int(), refused.Raw)
		assert.Equal(t, "server_is_overloaded", refused.Get("error.code").String(), refused.Raw)
		s.signals <- os.Interrupt
		for !strings.HasPrefix(<-s.lines, "shutting down") {
		}
		hearEnd(t, idle)
		if second {
			s.signals <- os.Interrupt
			assert.Equal(t, 0, <-s.code)
			upstream.Close() // hangs unless the upstream's request was aborted
			continue
		}
		close(release)
		last := hear(t, busy)
		if last.Get("type").String() == "response.created" {
			last = hear(t, busy)
		}
		assert.Equal(t, "late", last.Get("response.output.0.content.0.text").String(), last.Raw)
		hearEnd(t, busy)
		assert.Equal(t, 0, <-s.code)
		upstream.Close()
	}
}

// hearEnd expects a server that shuts down to end a connection.
func hearEnd(t *testing.T, c *websocket.Conn) {
	t.Helper()
	assert.Equal(t, "websocket_connection_limit_reached", hear(t, c).Get("error.code").String())
	_, _, err := c.Read(context.Background())
	assert.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err))
}
