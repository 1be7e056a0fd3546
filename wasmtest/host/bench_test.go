package host

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/demo"
	"edgelingua/wasmtest/host/js"
)

// deployed returns the deployed module.
func deployed(b *testing.B) []byte {
	b.Helper()
	wasm := builttest.Module(b)
	return wasm
}

func BenchmarkCompile(b *testing.B) {
	wasm, cache := deployed(b), b.TempDir()
	compile := func(b *testing.B, dir string) {
		h, err := New(context.Background(), wasm, Config{CacheDir: dir})
		require.NoError(b, err)
		require.NoError(b, h.Close(context.Background()))
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			compile(b, b.TempDir())
		}
	})
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			compile(b, cache)
		}
	})
}

// BenchmarkStart starts the program, up to the point where it can serve a request.
func BenchmarkStart(b *testing.B) {
	h, err := New(context.Background(), deployed(b), Config{})
	require.NoError(b, err)
	for b.Loop() {
		in, err := newInstance(h, js.NewLoop())
		require.NoError(b, err)
		in.start(map[string]js.Value{"env": js.NewObject()})
		in.close()
	}
}

// BenchmarkRequest answers a request through the demo upstream, over a real connection to the demo
// but none to the client.
func BenchmarkRequest(b *testing.B) {
	upstream := httptest.NewServer(demo.New("key"))
	defer upstream.Close()
	h, err := New(context.Background(), deployed(b), Config{Env: map[string]string{
		"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream.URL, "UPSTREAM_KEY": "key", "CLIENT_KEY": "key",
	}})
	require.NoError(b, err)
	for name, stream := range map[string]string{"plain": "false", "streamed": "true"} {
		body := `{"model":"m","max_tokens":9,"stream":` + stream +
			`,"messages":[{"role":"user","content":"Hello"}]}`
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest("POST", "/v1/messages", strings.NewReader(body))
				r.Header.Set("X-Api-Key", "key")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				require.Equal(b, 200, w.Code, w.Body.String())
			}
		})
	}
}
