package host

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pass makes a handler that fetches and answers with the upstream's body, unchanged.
func (m *testModule) pass(url string, silence float64) {
	m.relay(call{url: url, silence: silence, onHead: func(c *testCode) {
		c.answers(c.respond(c.method(c.host(), "pass"), 201))
	}})
}

func TestPassChunkByChunk(t *testing.T) {
	chunks := make(chan string, 1)
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := range chunks {
			io.WriteString(w, chunk)
			flush(w)
		}
	})
	m := newTestModule()
	m.pass(upstream, 60_000)
	m.replace("stream_push", m.code().trap()) // the program takes no part in the stream
	url, l := serve(t, m)
	chunks <- "first\n"
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, 201, response.StatusCode)
	lines := newLineReader(response.Body)
	assert.Equal(t, "first", lines.next(t))
	for _, chunk := range []string{"second", "third"} {
		chunks <- chunk + "\n"
		assert.Equal(t, chunk, lines.next(t))
	}
	close(chunks)
	lines.end(t)
	assert.Empty(t, l.String())
}

func TestPassWithoutABody(t *testing.T) {
	m := newTestModule()
	m.pass(serveUpstream(t, func(http.ResponseWriter, *http.Request) {}), 0)
	url, l := serve(t, m)
	_, body := get(t, "POST", url, "")
	assert.Empty(t, body)
	assert.Empty(t, l.String())
}

func TestPassBreaksWithTheUpstream(t *testing.T) {
	for name, head := range map[string]func(http.Header){
		"in chunks":   func(http.Header) {},
		"of a length": func(h http.Header) { h.Set("Content-Length", "5") },
	} {
		t.Run(name, func(t *testing.T) {
			upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
				head(w.Header())
				io.WriteString(w, "a\n")
				cutOff(w)
			})
			assertBroken(t, upstream, "a\n")
		})
	}
}

// TestPassBreaksAtOnce has an upstream whose body breaks off before its first byte: the client still
// gets the head.
func TestPassBreaksAtOnce(t *testing.T) {
	assertBroken(t, serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		flush(w)
		cutOff(w)
	}), "")
}

// assertBroken asserts that a client gets the head and body of a passed answer, and then a broken
// connection.
func assertBroken(t *testing.T, upstream, body string) {
	t.Helper()
	m := newTestModule()
	m.pass(upstream, 0)
	url, l := serve(t, m)
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, 201, response.StatusCode)
	got, err := io.ReadAll(response.Body)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Equal(t, body, string(got))
	assert.Empty(t, l.String())
}

func TestPassIsAbortedWithTheClient(t *testing.T) {
	aborted := make(chan struct{})
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "a\n")
		flush(w)
		<-r.Context().Done()
		close(aborted)
	})
	m := newTestModule()
	m.pass(upstream, 0)
	url, l := serve(t, m)
	ctx, leave := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "POST", url, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, "a", newLineReader(response.Body).next(t))
	leave()
	<-aborted
	assert.Empty(t, l.String())
}

func TestPassBreaksWithTheProgram(t *testing.T) {
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		flush(w)
		<-r.Context().Done()
	})
	m := newTestModule()
	m.trapsInTimer()
	m.relay(call{url: upstream, onHead: func(c *testCode) {
		body := c.method(c.host(), "pass")
		c.i64(1e6).call("gojs runtime.sleepTicks")
		c.answers(c.respond(body, 200))
	}})
	url, l := serve(t, m)
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.Contains(t, l.String(), "go_scheduler trapped")
}
