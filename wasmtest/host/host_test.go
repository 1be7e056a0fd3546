package host

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"edgelingua/wasmtest/host/js"
)

// testLog is a log that a test may read while requests write.
type testLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *testLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newTestHost(t *testing.T, m *testModule) (*Host, *testLog) {
	t.Helper()
	l := &testLog{}
	h, err := New(context.Background(), m.bytes(), Config{
		Env: map[string]string{"NAME": "value", "SEAL_KEY": "a", "SEAL_KEY_PREVIOUS": "b"}, Log: log.New(l,
			"", 0), CacheDir: t.TempDir(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close(context.Background())) })
	return h, l
}

// serve serves a module until the test ends. It returns the URL and the log.
func serve(t *testing.T, m *testModule) (url string, l *testLog) {
	t.Helper()
	h, l := newTestHost(t, m)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, l
}

// get sends a request and returns the response and the body.
func get(t *testing.T, method, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	response, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(whole)
}

func TestAnswersWithBytes(t *testing.T) {
	m := newTestModule()
	m.handler(func(c *testCode) { c.returns(c.respond(c.get(arg0, "url"), 201)) })
	url, l := serve(t, m)
	response, body := get(t, "POST", url+"/a%20b?q=1%202&r", "x")
	assert.Equal(t, 201, response.StatusCode)
	assert.Equal(t, url+"/a%20b?q=1%202&r", body)
	assert.Equal(t, []string{"yes"}, response.Header["X-Test"])
	assert.EqualValues(t, len(body), response.ContentLength)
	assert.NotContains(t, response.Header, "Content-Type")
	assert.Empty(t, l.String())
}

func TestAnswersWithoutBody(t *testing.T) {
	for _, status := range []float64{204, 304, 200} {
		m := newTestModule()
		m.handler(func(c *testCode) { c.returns(c.respond(nullSlot, status)) })
		url, l := serve(t, m)
		response, body := get(t, "GET", url, "")
		assert.EqualValues(t, status, response.StatusCode)
		assert.Empty(t, body)
		assert.Empty(t, l.String())
	}
}

func TestSettings(t *testing.T) {
	m := newTestModule()
	m.handler(func(c *testCode) {
		c.returns(c.respond(c.get(c.get(c.get(globalSlot, "context"), "host"), "settings"), 200))
	})
	url, _ := serve(t, m)
	_, body := get(t, "GET", url, "")
	assert.Equal(t, "NAME\x00value\x00", body)
}

func TestTimerAnswers(t *testing.T) {
	m := newTestModule()
	resolve := m.slot()
	executor := m.callback(func(c *testCode) { c.globalGet(arg0).globalSet(resolve) })
	m.handler(func(c *testCode) {
		p := c.construct("Promise", c.function(executor))
		c.i64(1).call("gojs runtime.sleepTicks")
		c.returns(p)
	})
	wake := m.code()
	wake.invoke(resolve, wake.respond(wake.string("awake"), 200))
	m.replace("go_scheduler", wake)
	url, l := serve(t, m)
	_, body := get(t, "GET", url, "")
	assert.Equal(t, "awake", body)
	assert.Empty(t, l.String())
}

func TestBody(t *testing.T) {
	m := newTestModule()
	m.later(func(c *testCode) { c.method(c.host(), "body", c.number(5)) }, func(c *testCode) {
		c.answersWhere(0, 200)
		c.answersWhere(tooLargeCode, 413)
	})
	url, l := serve(t, m)
	for _, body := range []string{"", "a", "abcde"} {
		_, got := get(t, "POST", url, body)
		assert.Equal(t, body, got)
	}
	response, _ := get(t, "POST", url, "abcdef")
	assert.Equal(t, 413, response.StatusCode)
	r, err := http.NewRequest("POST", url, io.MultiReader(strings.NewReader("abc"), strings.NewReader("def")))
	require.NoError(t, err)
	response, err = http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, 413, response.StatusCode, "a body that does not say its length")
	assert.Empty(t, l.String())
}

func TestClientGoneInTheMiddleOfItsBody(t *testing.T) {
	m := newTestModule()
	m.later(func(c *testCode) { c.method(c.host(), "body", c.number(5)) }, func(c *testCode) {
		c.method(c.get(globalSlot, "console"), "log", c.data())
		c.answersWhere(failedCode, 200)
	})
	h, l := newTestHost(t, m)
	served := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		close(served)
	}))
	defer s.Close()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nab")
	conn.Close()
	<-served
	assert.Equal(t, "program: aborted\n", l.String())
}

// TestTrapDoesNotWaitForTheBody has the program trap before the client has sent the whole body.
func TestTrapDoesNotWaitForTheBody(t *testing.T) {
	m := newTestModule()
	m.replace("go_scheduler", m.code().trap())
	idle := m.callback(func(*testCode) {})
	m.handler(func(c *testCode) {
		c.method(c.host(), "body", c.number(5))
		c.i64(1).call("gojs runtime.sleepTicks")
		c.returns(c.construct("Promise", c.function(idle)))
	})
	url, _ := serve(t, m)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nab")
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Contains(t, string(answer), "HTTP/1.1 500 ")
	assert.Contains(t, string(answer), internalErrorMessage)
}

// traps are modules that end before there is a response, each with the expected log.
var traps = map[string]struct {
	build func(m *testModule)
	log   string
}{
	"in start": {func(m *testModule) {
		m.export("_start", nil, nil, m.code().trap())
	}, "_start trapped: wasm error: unreachable"},
	"in the handler": {func(m *testModule) {
		m.handler(func(c *testCode) { c.trap() })
	}, "resume trapped: wasm error: unreachable"},
	"in a call from a call": {func(m *testModule) {
		executor := m.callback(func(c *testCode) { c.trap() })
		m.handler(func(c *testCode) { c.returns(c.construct("Promise", c.function(executor))) })
	}, "resume trapped: wasm error: unreachable"},
	"after the first await": {func(m *testModule) {
		m.later(func(c *testCode) { c.method(c.host(), "body", c.number(5)) }, func(c *testCode) { c.trap() })
	}, "settle trapped: wasm error: unreachable"},
	"in a timer": {func(m *testModule) {
		m.replace("go_scheduler", m.code().trap())
		idle := m.callback(func(*testCode) {})
		m.handler(func(c *testCode) {
			c.i64(1).call("gojs runtime.sleepTicks")
			c.returns(c.construct("Promise", c.function(idle)))
		})
	}, "go_scheduler trapped: wasm error: unreachable"},
	"a promise that nobody settles": {func(m *testModule) {
		idle := m.callback(func(*testCode) {})
		m.handler(func(c *testCode) { c.returns(c.construct("Promise", c.function(idle))) })
	}, js.ErrHang.Error()},
	"no handler": {func(m *testModule) {
		m.export("_start", nil, nil, m.code())
	}, "the program has not set handleRequest"},
	"no response": {func(m *testModule) {
		m.handler(func(c *testCode) { c.returns(c.string("")) })
	}, "handleRequest returned a string, not a Response"},
	"an exit": {func(m *testModule) {
		m.handler(func(c *testCode) { c.i32(3).call("wasi_snapshot_preview1 proc_exit") })
	}, "the program is over: module closed with exit_code(3)"},
	"a rejection": {func(m *testModule) {
		executor := m.callback(func(c *testCode) { c.invoke(arg1, c.construct("Error", c.string("no"))) })
		m.handler(func(c *testCode) { c.returns(c.construct("Promise", c.function(executor))) })
	}, "handleRequest failed: Error: no"},
	"an unknown property": {func(m *testModule) {
		m.handler(func(c *testCode) { c.get(arg0, "signal") })
	}, `Request has no property "signal" in this host`},
	"a property of an unknown global": {func(m *testModule) {
		m.handler(func(c *testCode) { c.get(c.get(globalSlot, "process"), "env") })
	}, `undefined has no property "env"`},
	"an unknown method": {func(m *testModule) {
		m.handler(func(c *testCode) { c.method(c.construct("Object"), "freeze") })
	}, `Object has no method "freeze"`},
	"a class that is not for use": {func(m *testModule) {
		m.handler(func(c *testCode) { c.construct("ReadableStream") })
	}, "this host has no constructor for class ReadableStream"},
	"an argument of another type": {func(m *testModule) {
		m.handler(func(c *testCode) { c.method(c.host(), "body", nullSlot) })
	}, "host.body takes a number as argument 0, not null"},
	"a ref that stands for nothing": {func(m *testModule) {
		m.handler(func(c *testCode) {
			c.i64((nanHead|1)<<32 |
				1000000).call("gojs syscall/js.valueLength").op(0x1A)
		})
	}, "the program uses the ref 1000000, which stands for no value"},
	"memory outside": {func(m *testModule) {
		m.handler(func(c *testCode) { c.i32(1 << 30).i32(1).call("gojs syscall/js.stringVal").store() })
	}, "outside of its memory"},
}

func TestTrapAnswersInTheDialectOfThePath(t *testing.T) {
	for name, trap := range traps {
		t.Run(name, func(t *testing.T) {
			m := newTestModule()
			trap.build(m)
			url, l := serve(t, m)
			response, body := get(t, "POST", url+"/v1/messages/count_tokens?key=secret", "x")
			assert.Equal(t, 500, response.StatusCode)
			assert.Equal(t, "application/json", response.Header.Get("Content-Type"))
			assert.JSONEq(t, `{"type":"error","error":{"type":"api_error","message":"`+internalErrorMessage+
				`"}}`, body)
			_, body = get(t, "POST", url+"/u/anna/v1/messages", "x")
			assert.JSONEq(t, `{"type":"error","error":{"type":"api_error","message":"`+internalErrorMessage+
				`"}}`, body)
			_, body = get(t, "POST", url+"/v1/responses", "x")
			assert.JSONEq(t, `{"error":{"message":"`+internalErrorMessage+
				`","type":"server_error","param":null,"code":null}}`, body)
			assert.Contains(t, l.String(), "POST /v1/messages/count_tokens: ")
			assert.Contains(t, l.String(), trap.log)
			assert.NotContains(t, l.String(), "secret")
		})
	}
}

func TestNextRequestAfterATrap(t *testing.T) {
	m := newTestModule()
	m.later(func(c *testCode) { c.method(c.host(), "body", c.number(1)) }, func(c *testCode) {
		c.localGet(0).op(0x04, 0x40).trap().op(0x0B) // if, end
		c.answers(c.respond(c.string("fine"), 200))
	})
	url, _ := serve(t, m)
	for range 3 {
		response, _ := get(t, "POST", url, "too large")
		assert.Equal(t, 500, response.StatusCode)
		response, body := get(t, "POST", url, "x")
		assert.Equal(t, 200, response.StatusCode)
		assert.Equal(t, "fine", body)
	}
}

func TestPanicTextIsLogged(t *testing.T) {
	m := newTestModule()
	m.handler(func(c *testCode) {
		at, length := m.text("panic: out of luck\n")
		c.i32(argsAt).i32(at).op(0x36, 2, 0).i32(argsAt).i32(length).op(0x36, 2, 4) // the iovec
		c.i32(1).i32(argsAt).i32(1).i32(retAt).call("wasi_snapshot_preview1 fd_write").op(0x1A).trap()
	})
	url, l := serve(t, m)
	get(t, "GET", url+"/x", "")
	assert.Equal(t,
		"program: panic: out of luck\nGET /x: resume trapped: wasm error: unreachable: panic: out of luck\n",
		l.String())
}

func TestNewNamesWhatIsMissing(t *testing.T) {
	with := func(change func(m *testModule)) []byte {
		m := newTestModule()
		m.handler(func(*testCode) {})
		change(m)
		return m.bytes()
	}
	for want, wasm := range map[string][]byte{
		"invalid magic number": []byte("not wasm"),
		"it imports unready from workers, which the module of ./build.sh, " +
			"TinyGo's, does not": with(func(m *testModule) {
			m.imported[len(m.imported)-1] = "workers unready"
		}),
		"it has no export remember, which the module of ./build.sh has": with(func(m *testModule) {
			m.without = []string{"remember"}
		}),
		"its export account has 1 parameters, and that of the module of " +
			"./build.sh has 0": with(func(m *testModule) {
			m.export("account", []api.ValueType{api.ValueTypeI32}, i32Result, m.code().i32(0))
		}),
	} {
		_, err := New(context.Background(), wasm, Config{CacheDir: t.TempDir()})
		assert.EqualError(t, err, want)
	}
}

func TestUnknownGlobalIsUndefined(t *testing.T) {
	m := newTestModule()
	m.handler(func(c *testCode) {
		fetch := c.get(globalSlot, "fetch")
		c.globalGet(fetch).globalGet(undefinedSlot).op(0x51, 0x04, 0x40) // i64.eq, if
		c.returns(c.respond(nullSlot, 204))
		c.op(0x0F, 0x0B) // return, end
		c.returns(c.respond(nullSlot, 500))
	})
	url, l := serve(t, m)
	response, _ := get(t, "GET", url+"/x", "")
	assert.Equal(t, 204, response.StatusCode)
	assert.Empty(t, l.String())
}
