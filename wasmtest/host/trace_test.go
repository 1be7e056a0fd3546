package host

import (
	"context"
	goflag "flag"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/demo"
)

var update = goflag.Bool("update", false, "rewrite the golden trace")

// TestTrace compares the whole trace of a small stream.
func TestTrace(t *testing.T) {
	m := newTestModule()
	m.relay(call{url: "http://upstream.test", silence: 60_000})
	l := &testLog{}
	h, err := New(context.Background(), m.bytes(), Config{
		Trace: log.New(l, "", 0), CacheDir: t.TempDir(), Transport: fixedTransport{&countedBody{end: 1}},
	})
	require.NoError(t, err)
	defer h.Close(context.Background())
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/path?query=private", nil))
	if *update {
		require.NoError(t, os.WriteFile("testdata/trace.txt", []byte(l.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/trace.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), l.String())
}

func TestTraceShowsWhatEndedTheInstance(t *testing.T) {
	for want, write := range map[string]func(c *testCode){
		`gojs.syscall/js.valueGet(v=Request, key="signal") ended the ` +
			`instance`: func(c *testCode) { c.get(arg0, "signal") },
		`gojs.syscall/js.valueLength(v=undefined) ended the ` +
			`instance`: func(c *testCode) {
			c.i64((nanHead|1)<<32 |
				1000000).call("gojs syscall/js.valueLength").op(0x1A)
		},
		`gojs.syscall/js.valueGet(v=Request, key="") ended the ` +
			`instance`: func(c *testCode) {
			c.globalGet(arg0).i32(1 <<
				30).i32(4).call("gojs syscall/js.valueGet").store()
		},
		`gojs.syscall/js.valueInvoke(v=undefined, args=[]) ended the ` +
			`instance`: func(c *testCode) {
			c.i32(retAt).i64(0).i32(1 <<
				30).i32(0).i32(0).call("gojs syscall/js.valueInvoke")
		},
		`wasi_snapshot_preview1.proc_exit(code=3) ended the ` +
			`instance`: func(c *testCode) { c.i32(3).call("wasi_snapshot_preview1 proc_exit") },
		`gojs.syscall/js.valueNew(v=class Promise, args=[null]) = throw ` +
			`TypeError(39)`: func(c *testCode) { c.construct("Promise", nullSlot) },
	} {
		m := newTestModule()
		m.handler(write)
		l := &testLog{}
		h, err := New(context.Background(), m.bytes(), Config{Trace: log.New(l, "", 0),
			CacheDir: t.TempDir()})
		require.NoError(t, err)
		defer h.Close(context.Background())
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil))
		assert.Contains(t, l.String(), want)
		assert.Contains(t, l.String(), "> resume()")
	}
}

// TestTraceTellsNoSecrets traces the deployed module with requests full of secrets.
func TestTraceTellsNoSecrets(t *testing.T) {
	wasm := builttest.Module(t)
	upstream := httptest.NewServer(demo.New("upstream-secret"))
	defer upstream.Close()
	l := &testLog{}
	h, err := New(context.Background(), wasm, Config{Trace: log.New(l, "", 0), Env: map[string]string{
		"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream.URL, "UPSTREAM_KEY": "upstream-secret",
		"CLIENT_KEY": "client-secret",
	}})
	require.NoError(t, err)
	defer h.Close(context.Background())
	for _, key := range []string{"client-secret", "wrong-secret"} {
		for _, stream := range []string{"true", "false"} {
			r := httptest.NewRequest("POST", "/v1/messages?query=private", strings.NewReader(
				`{"model":"m","max_tokens":9,"stream":`+stream+
					`,"messages":[{"role":"user","content":"private words"}]}`))
			r.Header.Set("X-Api-Key", key)
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	assert.NotContains(t, l.String(), "private")
	assert.NotContains(t, l.String(), "secret")
	assert.NotContains(t, l.String(), upstream.URL)
	for line := range strings.Lines(l.String()) {
		assert.Regexp(t,
			`^trace [1-4]: (POST /v1/messages| *(> )?[a-zA-Z0-9_./]+\(.*\)( = (throw )?.+)?)\n$`, line)
	}
	assert.Contains(t, l.String(), `key="fetch", args=[url=string(`)
	assert.Contains(t, l.String(), "> stream_push(n=")
}
