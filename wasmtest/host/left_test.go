package host

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// scripted is an upstream without a network. It counts the unclosed bodies.
type scripted struct {
	chunk  string // "": "chunk\n"
	chunks int
	then   func(ctx context.Context) error // runs after the chunks; nil is the end of the body
	head   func(ctx context.Context) error // runs before the head
	open   atomic.Int64
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.head != nil {
		if err := s.head(r.Context()); err != nil {
			return nil, err
		}
	}
	s.open.Add(1)
	return &http.Response{StatusCode: 200, Body: &scriptedBody{script: s, ctx: r.Context(), left: s.chunks}},
		nil
}

type scriptedBody struct {
	script *scripted
	ctx    context.Context
	left   int
	closed atomic.Bool
}

func (b *scriptedBody) Read(p []byte) (int, error) {
	if b.left > 0 {
		b.left--
		return copy(p, cmp.Or(b.script.chunk, "chunk\n")), nil
	}
	if b.script.then == nil {
		return 0, io.EOF
	}
	return 0, b.script.then(b.ctx)
}

func (b *scriptedBody) Close() error {
	if !b.closed.Swap(true) {
		b.script.open.Add(-1)
	}
	return nil
}

func untilAborted(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func cutBody(context.Context) error { return io.ErrUnexpectedEOF }

// leavingWriter is a client that leaves at its first write.
type leavingWriter struct {
	httptest.ResponseRecorder
	leave func()
}

func (w *leavingWriter) Write(p []byte) (int, error) {
	w.leave()
	return 0, io.ErrClosedPipe
}

// ends are all ways in which a request ends. leave makes the client leave.
func ends() map[string]func(m *testModule, leave func()) (up *scripted, w http.ResponseWriter,
	body io.Reader) {
	streamed := func(up *scripted) func(*testModule, func()) (*scripted, http.ResponseWriter, io.Reader) {
		return func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.relay(call{url: "http://upstream.test", headWait: 1000, keepAlive: "[ping]\n", every: 1000,
				silence: 60_000})
			return up, httptest.NewRecorder(), nil
		}
	}
	passed := func(up *scripted) func(*testModule, func()) (*scripted, http.ResponseWriter, io.Reader) {
		return func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.pass("http://upstream.test", 60_000)
			return up, httptest.NewRecorder(), nil
		}
	}
	gone := func(then func(m *testModule)) func(*testModule, func()) (*scripted, http.ResponseWriter,
		io.Reader) {
		return func(m *testModule, leave func()) (*scripted, http.ResponseWriter, io.Reader) {
			then(m)
			return &scripted{chunks: 1, then: untilAborted}, &leavingWriter{*httptest.NewRecorder(), leave},
				nil
		}
	}
	all := map[string]func(*testModule, func()) (*scripted, http.ResponseWriter, io.Reader){
		"stream":                streamed(&scripted{chunks: 100}),
		"stream of nothing":     streamed(&scripted{}),
		"stream that is cut":    streamed(&scripted{chunks: 3, then: cutBody}),
		"upstream out of reach": streamed(&scripted{head: func(context.Context) error { return errors.New("refused") }}),
		"upstream that panics":  streamed(&scripted{head: func(context.Context) error { panic("a fault of the host") }}),
		"body that panics":      streamed(&scripted{then: func(context.Context) error { panic("a fault of the host") }}),
		"pass":                  passed(&scripted{chunks: 100}),
		"account": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.relay(call{url: "http://upstream.test", silence: 60_000, before: m.account(1)})
			return &scripted{chunks: 100}, httptest.NewRecorder(), nil
		},
		"account of a trap": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.replace("stream_push", m.code().trap())
			m.relay(call{url: "http://upstream.test", silence: 60_000, before: m.account(60_000)})
			return &scripted{chunks: 3, then: untilAborted}, httptest.NewRecorder(), nil
		},
		"pass that is cut": passed(&scripted{chunks: 3, then: cutBody}),
		"client gone in a stream": gone(func(m *testModule) {
			m.relay(call{url: "http://upstream.test",
				silence: 60_000})
		}),
		"client gone in a pass": gone(func(m *testModule) { m.pass("http://upstream.test", 60_000) }),
		"client gone with the ping": gone(func(m *testModule) {
			m.relay(call{url: "http://upstream.test", headWait: 1, every: 1, keepAlive: "[ping]\n"})
		}),
		"client gone before the head": func(m *testModule, leave func()) (*scripted, http.ResponseWriter,
			io.Reader) {
			m.relay(call{url: "http://upstream.test", silence: 60_000})
			return &scripted{head: func(ctx context.Context) error { leave(); return untilAborted(ctx) }},
				httptest.NewRecorder(), nil
		},
		"client gone while its upstream's head comes": func(m *testModule, leave func()) (*scripted,
			http.ResponseWriter, io.Reader) {
			m.relay(call{url: "http://upstream.test", silence: 60_000})
			return &scripted{chunks: 1, head: func(context.Context) error { leave(); return nil }},
				httptest.NewRecorder(), nil
		},
		"client gone in its body": func(m *testModule, leave func()) (*scripted, http.ResponseWriter,
			io.Reader) {
			m.later(func(c *testCode) { c.method(c.host(), "body", c.number(5)) },
				func(c *testCode) { c.answersWhere(failedCode, 400) })
			return &scripted{}, httptest.NewRecorder(), readerFunc(func([]byte) (int,
				error) {
				leave()
				return 0, io.ErrUnexpectedEOF
			})
		},
		"silence": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.relay(call{url: "http://upstream.test", silence: 5})
			return &scripted{chunks: 1, then: untilAborted}, httptest.NewRecorder(), nil
		},
		"plain": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.relay(call{url: "http://upstream.test",
				onHead: func(c *testCode) { c.method(c.host(), "read", c.number(500), c.number(0)) },
				onRead: func(c *testCode) { c.answersWhere(0, 200) }})
			return &scripted{chunks: 3}, httptest.NewRecorder(), nil
		},
		"plain that is too large": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.relay(call{url: "http://upstream.test",
				onHead: func(c *testCode) { c.method(c.host(), "read", c.number(5), c.number(0)) },
				onRead: func(c *testCode) { c.answersWhere(tooLargeCode, 413) }})
			return &scripted{chunks: 3, then: untilAborted}, httptest.NewRecorder(), nil
		},
		"two fetches": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			fetch := func(c *testCode) {
				c.method(c.host(), "fetch", c.string("http://upstream.test"), c.string("GET"), c.string(""),
					nullSlot, c.number(0), c.number(60_000), falseSlot)
			}
			m.later(fetch, fetch, func(c *testCode) { c.answersWhere(200, 200) })
			return &scripted{chunks: 3, then: untilAborted}, httptest.NewRecorder(), nil
		},
		"trap in a push": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.replace("stream_push", m.code().trap())
			m.relay(call{url: "http://upstream.test", silence: 60_000})
			return &scripted{chunks: 3, then: untilAborted}, httptest.NewRecorder(), nil
		},
		"trap in the close": func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			m.replace("stream_close", m.code().trap())
			m.relay(call{url: "http://upstream.test", silence: 60_000})
			return &scripted{chunks: 3}, httptest.NewRecorder(), nil
		},
		"head that comes after a trap": func(m *testModule, _ func()) (*scripted, http.ResponseWriter,
			io.Reader) {
			m.replace("go_scheduler", m.code().trap())
			m.later(func(c *testCode) {
				c.method(c.host(), "fetch", c.string("http://upstream.test"), c.string("GET"), c.string(""),
					nullSlot, c.number(0), c.number(60_000), falseSlot)
				c.i64(1).call("gojs runtime.sleepTicks")
			})
			return &scripted{head: func(ctx context.Context) error { <-ctx.Done(); return nil }},
				httptest.NewRecorder(), nil
		},
	}
	for name, trap := range traps {
		all[name] = func(m *testModule, _ func()) (*scripted, http.ResponseWriter, io.Reader) {
			trap.build(m)
			return &scripted{}, httptest.NewRecorder(), strings.NewReader("body")
		}
	}
	return all
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestNothingIsLeft ends requests in all ways and looks for leaks: values in the table, memory of
// the instance, bodies of the upstream, goroutines.
func TestNothingIsLeft(t *testing.T) {
	for name, prepare := range ends() {
		t.Run(name, func(t *testing.T) {
			m := newTestModule()
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			up, w, body := prepare(m, leave)
			h, _ := newTestHost(t, m)
			goroutines := runtime.NumGoroutine()
			x := newExchange(w, httptest.NewRequest("POST", "/", body).WithContext(ctx), up, nil)
			func() {
				// a body that breaks off makes ServeHTTP panic, which breaks the connection
				defer func() { recover() }()
				h.serve(x)
			}()
			assert.Zero(t, up.open.Load(), "bodies of the upstream")
			table := x.program.(*module).table
			assert.True(t, table.Empty())
			if runtime.GOOS == "linux" {
				assert.Equal(t, 1, h.memories.Spare(), "the memory of the instance")
			}
			// waits for the end of the last goroutines; if a goroutine never ends, the test hangs
			for runtime.NumGoroutine() > goroutines {
				runtime.Gosched()
			}
		})
	}
}

// TestNothingIsLeftOfSockets ends WebSockets in all ways, and looks for the leaks of
// TestNothingIsLeft, and for slots and remembered bytes.
func TestNothingIsLeftOfSockets(t *testing.T) {
	const first = "data: first\n\n"
	trapping := func(export string) *testModule {
		m := newSocketModule()
		m.replace(export, m.code().trap())
		return m
	}
	duringFrame := func(end func(h *Host, c *wsClient)) func(*Host, *wsClient) {
		return func(h *Host, c *wsClient) {
			c.say(anyURL)
			assert.Equal(t, "first", c.hear())
			end(h, c)
		}
	}
	leave := func(_ *Host, c *wsClient) { c.CloseNow() }
	over := func(h *Host, c *wsClient) {
		h.ShutSockets()
		c.hearError()
		c.hearEnd()
	}
	for name, test := range map[string]struct {
		module *testModule
		up     *scripted
		run    func(h *Host, c *wsClient)
	}{
		"client closes": {newSocketModule(), &scripted{}, func(_ *Host,
			c *wsClient) {
			c.Close(websocket.StatusNormalClosure, "")
		}},
		"client leaves": {newSocketModule(), &scripted{}, leave},
		"client closes during a frame": {newSocketModule(), &scripted{chunk: first, chunks: 1,
			then: untilAborted}, duringFrame(func(_ *Host, c *wsClient) {
			c.Close(websocket.StatusNormalClosure,
				"")
		})},
		"client leaves during a frame": {newSocketModule(), &scripted{chunk: first, chunks: 1,
			then: untilAborted}, duringFrame(leave)},
		"client leaves after a frame": {newSocketModule(), &scripted{chunk: first, chunks: 1}, duringFrame(leave)},
		"upstream is cut": {newSocketModule(), &scripted{chunk: first, chunks: 1, then: cutBody},
			duringFrame(over)},
		"upstream panics": {newSocketModule(), &scripted{chunk: first, chunks: 1,
			then: func(context.Context) error { panic("a fault of the host") }},
			duringFrame(func(h *Host, c *wsClient) { c.hear(); over(h, c) })},
		"binary frame during a frame": {newSocketModule(), &scripted{chunk: first, chunks: 1, then: untilAborted},
			duringFrame(func(_ *Host, c *wsClient) {
				c.Write(t.Context(), websocket.MessageBinary, nil)
				c.hearError()
				c.hearEnd()
			})},
		"host stops": {newSocketModule(), &scripted{}, over},
		"host breaks off a frame": {newSocketModule(), &scripted{chunk: first, chunks: 1, then: untilAborted},
			duringFrame(func(h *Host, _ *wsClient) { h.CloseSockets() })},
		"trap in a push": {trapping("stream_push"), &scripted{chunk: first, chunks: 1,
			then: untilAborted}, func(h *Host, c *wsClient) { c.say(anyURL); c.hear(); over(h, c) }},
		"trap in the first step": {trapping("go_scheduler"), &scripted{}, func(h *Host,
			c *wsClient) {
			c.say(anyURL)
			c.hearError()
			over(h, c)
		}},
		"remembering": {newMemoryModule("r1\x00+{}", false), &scripted{}, func(h *Host,
			c *wsClient) {
			c.say("{}")
			c.hear()
			c.say("{}")
			c.hear()
			leave(h, c)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h, url, _ := socketHost(t, test.module, test.up.RoundTrip)
			c := connect(t, url, nil)
			c.t = t
			test.run(h, c)
			<-h.ShutSockets()
			assert.Zero(t, test.up.open.Load(), "bodies of the upstream")
			if runtime.GOOS == "linux" {
				assert.Equal(t, 1, h.memories.Spare(),
					"the memory of the instances, which ran one behind the other")
			}
		})
	}
}

// TestTableDoesNotGrowWithAStream streams through the deployed module and counts the table's values
// at each write to the client.
func TestTableDoesNotGrowWithAStream(t *testing.T) {
	wasm := builttest.Module(t)
	env := map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "http://upstream.test",
		"CLIENT_KEY": "key"}
	h, err := New(context.Background(), wasm, Config{Env: env})
	require.NoError(t, err)
	defer h.Close(context.Background())
	const chunk = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
		`"delta":{"content":"text"}}]}` + "\n\n"
	chunks := 0
	transport := roundTripFunc(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: io.NopCloser(readerFunc(func(p []byte) (int, error) {
				if chunks++; chunks > 500 {
					return 0, io.EOF
				}
				return copy(p, chunk), nil
			}))}, nil
	})
	r := httptest.NewRequest("POST", "/v1/messages",
		strings.NewReader(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user",`+
			`"content":"Hi"}]}`))
	r.Header.Set("X-Api-Key", "key")
	var sizes []int
	w := &watchedWriter{ResponseRecorder: httptest.NewRecorder()}
	x := newExchange(w, r, transport, env)
	w.write = func() { sizes = append(sizes, x.program.(*module).table.Len()) }
	h.serve(x)
	require.Equal(t, 500, bytes.Count(w.Body.Bytes(), []byte("text_delta")))
	require.GreaterOrEqual(t, len(sizes), 500)
	assert.Positive(t, sizes[0])
	assert.Equal(t, sizes[0], sizes[len(sizes)-1])
}

type roundTripFunc func(r *http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watchedWriter is a client that runs a function at each write.
type watchedWriter struct {
	*httptest.ResponseRecorder
	write func()
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	w.write()
	return w.ResponseRecorder.Write(p)
}
