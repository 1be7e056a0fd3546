package cli

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusalsWhileAStreamIsOpen sends a signal in the middle of a stream. New requests, on a kept
// connection and on a new one, are refused. The stream finishes, and then the server stops
// listening.
func TestRefusalsWhileAStreamIsOpen(t *testing.T) {
	release := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		http.NewResponseController(w).Flush()
		<-release
		io.WriteString(w,
			`data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,`+
				`"delta":{"role":"assistant","content":"late"},"finish_reason":"stop"}]}`+
				"\n\ndata: [DONE]\n\n")
	}))
	defer upstream.Close()
	s := startServer(t, "--demo", "--var", "UPSTREAM_URL="+upstream.URL)
	address := strings.TrimPrefix(s.url, "http://")
	dial := func() (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		return conn, bufio.NewReader(conn)
	}
	send := func(conn net.Conn, answers *bufio.Reader) *http.Response {
		_, err := io.WriteString(conn, "GET /v1/models HTTP/1.1\r\nHost: test\r\nX-Api-Key: wrong\r\n\r\n")
		require.NoError(t, err)
		response, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		return response
	}
	kept, keptAnswers := dial()
	defer kept.Close()
	first := send(kept, keptAnswers)
	assert.Equal(t, 401, first.StatusCode)
	io.Copy(io.Discard, first.Body)

	r, err := http.NewRequest("POST", s.url+"/v1/messages", strings.NewReader(toolCall))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", "demo")
	stream, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer stream.Body.Close()
	s.signals <- os.Interrupt
	for !strings.HasPrefix(<-s.lines, "shutting down") {
	}
	fresh, freshAnswers := dial()
	defer fresh.Close()
	for conn, answers := range map[net.Conn]*bufio.Reader{kept: keptAnswers, fresh: freshAnswers} {
		response := send(conn, answers)
		assert.Equal(t, 503, response.StatusCode)
		assert.Equal(t, "5", response.Header.Get("Retry-After"))
		assert.True(t, response.Close)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Contains(t, string(body), `{"type":"error","error":{"type":"api_error"`)
		_, err = answers.ReadByte()
		assert.Equal(t, io.EOF, err, "the connection ends")
	}
	close(release)
	body, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	assert.Contains(t, string(body), "late")
	assert.Contains(t, string(body), "event: message_stop")
	assert.Equal(t, 0, <-s.code)
	_, err = net.Dial("tcp", address)
	assert.Error(t, err)
}

// TestGrace has an open stream that outlasts the grace.
func TestGrace(t *testing.T) {
	aborted := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(aborted)
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer upstream.Close()
	s := startServer(t, "--demo", "--grace", "1ms", "--var", "UPSTREAM_URL="+upstream.URL)
	r, err := http.NewRequest("POST", s.url+"/v1/messages", strings.NewReader(toolCall))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", "demo")
	stream, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer stream.Body.Close()
	s.signals <- os.Interrupt
	_, err = io.ReadAll(stream.Body)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "no good end")
	assert.Equal(t, 0, <-s.code)
	<-aborted
}

func TestMaxConcurrent(t *testing.T) {
	s := startServer(t, "--demo", "--max-concurrent", "1")
	status, _ := post(t, s.url+"/v1/messages", "wrong", toolCall)
	assert.Equal(t, 401, status)
	status, _ = post(t, s.url+"/v1/messages", "wrong", toolCall)
	assert.Equal(t, 401, status, "the one before has left")
	s.stop(t)
}

// TestDeadlines checks the deadlines of net/http. Package host tests those of bodies.
func TestDeadlines(t *testing.T) {
	server := newServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}), nil)
	assert.Positive(t, server.ReadHeaderTimeout)
	assert.Positive(t, server.WriteTimeout)
	assert.Positive(t, server.IdleTimeout)
	assert.Positive(t, server.MaxHeaderBytes)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go server.Serve(listener)
	defer server.Close()
	conn, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\n{")
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusTeapot, answer.StatusCode,
		"not net/http's own answer, which waits for the body")
}
