package host

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call is a fetch of a test module, and the module's handling of the response.
type call struct {
	url               string
	headWait, silence float64
	keepAlive         string
	every             float64
	window            float64
	passes            bool              // the stream passes: it has no trap
	before            func(c *testCode) // runs before the fetch
	onHead            func(c *testCode) // runs instead of the stream
	onRead            func(c *testCode) // runs after a read that onHead began
}

// relay makes a handler that fetches and answers with the stream. If the fetch fails, the answer is
// 502 with the reason.
func (m *testModule) relay(f call) {
	steps := []func(c *testCode){func(c *testCode) {
		c.answersWhere(failedCode, 502)
		if f.onHead != nil {
			f.onHead(c)
			return
		}
		trap := "[trap]\n"
		if f.passes {
			trap = ""
		}
		body := c.method(c.host(), "stream", c.string(f.keepAlive), c.number(f.every), c.string(trap),
			c.string(""), c.number(f.window))
		c.answers(c.respond(body, 200))
	}}
	if f.onRead != nil {
		steps = append(steps, f.onRead)
	}
	m.later(func(c *testCode) {
		if f.before != nil {
			f.before(c)
		}
		head := c.string("x-one: 1\naccept-encoding: gzip\n")
		body := c.method(c.host(), "bytes", c.number(inputAt), c.number(3))
		c.method(c.host(), "fetch", c.string(f.url), c.string("POST"), head, body, c.number(f.headWait),
			c.number(f.silence), falseSlot)
	}, steps...)
}

// serveUpstream serves handler until the test ends.
func serveUpstream(t *testing.T, handler http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

func flush(w http.ResponseWriter) { http.NewResponseController(w).Flush() }

// cutOff breaks the body of an upstream's response off.
func cutOff(w http.ResponseWriter) {
	flush(w)
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
}

func TestFetchSendsWhatTheProgramSays(t *testing.T) {
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		assert.Equal(t, "POST", r.Method)
		assert.Equal(t, "/a?b=c", r.RequestURI)
		assert.Equal(t, []byte{0, 0, 0}, body)
		assert.Equal(t, http.Header{"X-One": {"1"}, "Accept-Encoding": {"gzip"}, "Content-Length": {"3"}},
			r.Header)
		w.Header().Set("Location", "/elsewhere")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Add("X-Many", "1")
		w.Header().Add("X-Many", "2")
		w.Header()["Date"] = nil
		w.WriteHeader(302)
		w.Write([]byte("not gzip at all"))
	})
	m := newTestModule()
	m.relay(call{url: upstream + "/a?b=c", onHead: func(c *testCode) {
		c.localGet(0).i32(302).op(0x47, 0x04, 0x40).trap().op(0x0B) // i32.ne, if, end
		c.answers(c.respond(c.data(), 200))
	}})
	url, l := serve(t, m)
	_, body := get(t, "POST", url, "")
	assert.Equal(t, "content-encoding: gzip\ncontent-length: 15\nlocation: /elsewhere\nx-many: 1, 2\n", body)
	assert.Empty(t, l.String())
}

func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		upstream http.HandlerFunc
		silence  float64
		status   int
		want     string
	}{
		"whole": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("12345")) }, 0, 200,
			"12345"},
		"too large": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("123456")) }, 0, 413, ""},
		"cut": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("123")); cutOff(w) }, 0,
			502, "unexpected EOF"},
		"silent": {func(w http.ResponseWriter, r *http.Request) {
			flush(w)
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, 5, 502, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestModule()
			m.relay(call{url: serveUpstream(t, test.upstream), silence: test.silence,
				onHead: func(c *testCode) { c.method(c.host(), "read", c.number(5), c.number(0)) },
				onRead: func(c *testCode) {
					c.answersWhere(0, 200)
					c.answersWhere(tooLargeCode, 413)
					c.answers(c.respond(c.data(), 502))
				}})
			url, l := serve(t, m)
			response, body := get(t, "POST", url, "")
			assert.Equal(t, test.status, response.StatusCode)
			assert.Equal(t, test.want, body)
			assert.Empty(t, l.String())
		})
	}
}

func TestFetchSaysWhyItFails(t *testing.T) {
	silentUpstream := serveUpstream(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	gone := httptest.NewServer(nil)
	gone.Close()
	for want, f := range map[string]call{
		"timeout":                         {url: silentUpstream, silence: 5},
		"connection refused":              {url: gone.URL},
		"the upstream's url is not valid": {url: "ftp://x"},
	} {
		m := newTestModule()
		m.relay(f)
		url, l := serve(t, m)
		response, body := get(t, "POST", url, "")
		assert.Equal(t, 502, response.StatusCode)
		assert.Contains(t, body, want)
		assert.Empty(t, l.String())
	}
}

func TestStreamEchoesChunkByChunk(t *testing.T) {
	chunks := make(chan string, 1)
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := range chunks {
			io.WriteString(w, chunk)
			flush(w)
		}
	})
	m := newTestModule()
	m.relay(call{url: upstream})
	url, l := serve(t, m)
	chunks <- "first\n" // sends the upstream's head too
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := newLineReader(response.Body)
	assert.Equal(t, "first", lines.next(t))
	for _, chunk := range []string{"second", "third"} {
		chunks <- chunk + "\n"
		assert.Equal(t, chunk, lines.next(t))
	}
	close(chunks)
	assert.Equal(t, "[end 0]", lines.next(t))
	lines.end(t)
	assert.Empty(t, l.String())
}

func TestStreamEnds(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "a\n")
		flush(w)
		<-r.Context().Done()
	}
	for name, test := range map[string]struct {
		upstream http.HandlerFunc
		push     func(c *testCode)
		want     string
	}{
		"at its end": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n") }, nil,
			"a\n[end 0]\n"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n"); cutOff(w) },
			nil, "a\n[end 1]\n"},
		"cut in the length": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, "a\n")
			cutOff(w)
		}, nil, "a\n[end 1]\n"},
		"by the program": {hang, func(c *testCode) { c.i32(inputAt).outIs().localGet(0).words(flagLast) },
			"a\n"},
		"without output": {hang, func(c *testCode) { c.i32(0).words(flagLast) }, ""},
		"nothing pushed": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n") },
			func(c *testCode) { c.i32(0).words(0) }, "[end 0]\n"},
		"trap in a push": {hang, func(c *testCode) { c.trap() }, "[trap]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			aborted := make(chan struct{})
			upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
				defer close(aborted)
				test.upstream(w, r)
			})
			m := newTestModule()
			if test.push != nil {
				push := m.code()
				test.push(push)
				m.replace("stream_push", push)
			}
			m.relay(call{url: upstream})
			url, _ := serve(t, m)
			response, body := get(t, "POST", url, "")
			assert.Equal(t, 200, response.StatusCode)
			assert.Equal(t, test.want, body)
			<-aborted
		})
	}
}

func TestTrapInTheCloseOfAStream(t *testing.T) {
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n") })
	m := newTestModule()
	m.replace("stream_close", m.code().trap())
	m.relay(call{url: upstream})
	url, l := serve(t, m)
	_, body := get(t, "POST", url, "")
	assert.Equal(t, "a\n[trap]\n", body)
	assert.Contains(t, l.String(), "stream_close trapped")
}

func TestTrapInATimerEndsAnOpenStream(t *testing.T) {
	upstream := serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		flush(w)
		<-r.Context().Done()
	})
	m := newTestModule()
	m.trapsInTimer()
	m.relay(call{url: upstream, onHead: func(c *testCode) {
		body := c.method(c.host(), "stream", c.string(""), c.number(0), c.string("[trap]\n"), c.string(""),
			c.number(0))
		c.i64(1e6).call("gojs runtime.sleepTicks")
		c.answers(c.respond(body, 200))
	}})
	url, l := serve(t, m)
	_, body := get(t, "POST", url, "")
	assert.Equal(t, "[trap]\n", body)
	assert.Contains(t, l.String(), "go_scheduler trapped")
}

func TestLateHead(t *testing.T) {
	release := make(chan struct{})
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.WriteHeader(207)
		io.WriteString(w, "late\n")
	})
	m := newTestModule()
	// i32.ne, if, end
	m.replace("stream_head", m.code().localGet(0).i32(207).op(0x47, 0x04, 0x40).trap().op(0x0B).i32(0))
	m.relay(call{url: upstream, headWait: 1, keepAlive: "[ping]\n", every: 1})
	url, l := serve(t, m)
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := newLineReader(response.Body)
	assert.Equal(t, "[ping]", lines.next(t))
	close(release)
	lines.skip("[ping]")
	assert.Equal(t, "late", lines.next(t))
	lines.skip("[ping]")
	assert.Equal(t, "[end 0]", lines.next(t))
	assert.Empty(t, l.String())
}

func TestLateHeadThatNeverComes(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	silentUpstream := serveUpstream(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	cutUpstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		release <- struct{}{}
		conn, _, err := http.NewResponseController(w).Hijack()
		if assert.NoError(t, err) {
			conn.Close()
		}
	})
	m := newTestModule()
	m.relay(call{url: silentUpstream, headWait: 1, silence: 20})
	url, _ := serve(t, m)
	_, body := get(t, "POST", url, "")
	assert.Equal(t, "timeout", body)

	m = newTestModule()
	m.relay(call{url: cutUpstream, headWait: 1})
	url, _ = serve(t, m)
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	<-release // the client has the head; now the upstream breaks off
	whole, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, "EOF", string(whole))
}

func TestKeepAlive(t *testing.T) {
	release := make(chan struct{})
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		flush(w)
		<-release
		io.WriteString(w, "a\n")
	})
	m := newTestModule()
	m.relay(call{url: upstream, keepAlive: "[ping]\n", every: 1})
	url, _ := serve(t, m)
	response, err := http.Post(url, "", nil)
	require.NoError(t, err)
	defer response.Body.Close()
	lines := newLineReader(response.Body)
	for range 3 {
		assert.Equal(t, "[ping]", lines.next(t))
	}
	close(release)
	lines.skip("[ping]")
	assert.Equal(t, "a", lines.next(t))
}

// TestClientGone has the client leave at each stage: the upstream must see an aborted request.
func TestClientGone(t *testing.T) {
	for name, f := range map[string]call{
		"before the head":         {},
		"while the head is late":  {headWait: 1},
		"with keep-alives":        {headWait: 1, every: 1, keepAlive: "[ping]\n"},
		"in the middle of a body": {},
	} {
		t.Run(name, func(t *testing.T) {
			came, aborted := make(chan struct{}), make(chan struct{})
			f.url = serveUpstream(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if name == "in the middle of a body" {
					io.WriteString(w, "a\n")
					flush(w)
				}
				close(came)
				<-r.Context().Done()
				close(aborted)
			})
			m := newTestModule()
			m.relay(f)
			url, l := serve(t, m)
			ctx, leave := context.WithCancel(context.Background())
			r, err := http.NewRequestWithContext(ctx, "POST", url, nil)
			require.NoError(t, err)
			if name == "before the head" {
				go func() {
					<-came
					leave()
				}()
				_, err = http.DefaultClient.Do(r)
				assert.ErrorIs(t, err, context.Canceled)
			} else {
				response, err := http.DefaultClient.Do(r)
				require.NoError(t, err)
				defer response.Body.Close()
				<-came
				leave()
			}
			<-aborted
			assert.Empty(t, l.String())
		})
	}
}

// blockingWriter is a client that accepts a write only when the test allows one.
type blockingWriter struct {
	header http.Header
	writes chan []byte
	take   chan struct{}
}

func (w *blockingWriter) Header() http.Header { return w.header }
func (w *blockingWriter) WriteHeader(int)     {}
func (w *blockingWriter) Flush()              {}

func (w *blockingWriter) Write(p []byte) (int, error) {
	w.writes <- p
	<-w.take
	return len(p), nil
}

// countedBody is a response body that always has more to read, up to an end, and counts the reads.
type countedBody struct {
	reads atomic.Int64
	end   int64
}

func (b *countedBody) Close() error { return nil }

func (b *countedBody) Read(p []byte) (int, error) {
	if b.reads.Add(1) > b.end {
		return 0, io.EOF
	}
	return copy(p, "chunk\n"), nil
}

type fixedTransport struct{ body io.ReadCloser }

func (f fixedTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: f.body}, nil
}

func TestSlowClientHoldsBackOnlyItsOwnUpstream(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(m *testModule)
		end     string
	}{
		"stream": {func(m *testModule) {
			m.relay(call{url: "http://upstream.test", keepAlive: "[ping]\n", every: 1})
		}, "[end 0]\n"},
		"pass": {func(m *testModule) { m.pass("http://upstream.test", 0) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestModule()
			test.prepare(m)
			h, l := newTestHost(t, m)
			body := &countedBody{end: 5}
			w := &blockingWriter{header: http.Header{}, writes: make(chan []byte), take: make(chan struct{})}
			served := make(chan struct{})
			go func() {
				h.serve(newExchange(w, httptest.NewRequest("POST", "/", nil), fixedTransport{body}, nil))
				close(served)
			}()
			for i := range body.end {
				assert.Equal(t, "chunk\n", string(<-w.writes))
				// Meanwhile another client gets a whole response, and no keep-alive waits for the
				// blocked write.
				other := httptest.NewRecorder()
				h.serve(newExchange(other, httptest.NewRequest("POST", "/", nil),
					fixedTransport{&countedBody{end: 100}}, nil))
				// on a busy machine keep-alives come in between
				assert.Equal(t, strings.Repeat("chunk\n", 100)+test.end,
					strings.ReplaceAll(other.Body.String(), "[ping]\n", ""))
				assert.Equal(t, i+1, body.reads.Load())
				w.take <- struct{}{}
			}
			if test.end != "" {
				assert.Equal(t, test.end, string(<-w.writes))
				w.take <- struct{}{}
			}
			<-served
			assert.Empty(t, l.String())
		})
	}
}

func TestManyStreamsAtOnce(t *testing.T) {
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 512)
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 20 {
			w.Write(chunk)
			flush(w)
		}
	})
	m := newTestModule()
	m.relay(call{url: upstream, keepAlive: "", every: 1000, silence: 60000})
	url, l := serve(t, m)
	results := make(chan string)
	for range 20 {
		go func() {
			response, err := http.Post(url, "", nil)
			if err != nil {
				results <- err.Error()
				return
			}
			defer response.Body.Close()
			whole, _ := io.ReadAll(response.Body)
			results <- string(whole)
		}()
	}
	want := strings.Repeat(string(chunk), 20) + "[end 0]\n"
	for range 20 {
		assert.True(t, <-results == want)
	}
	assert.Empty(t, l.String())
}
