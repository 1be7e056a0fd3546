package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/testdns"
)

// TestPageOnThisMachine: a webpage whose host name resolves to this machine is not fetched, even if
// ALLOW_HTTP_UPSTREAM allows an upstream here.
func TestPageOnThisMachine(t *testing.T) {
	builttest.Path(t)
	wasm, err := os.ReadFile(module)
	require.NoError(t, err)
	usual := net.DefaultResolver
	net.DefaultResolver = testdns.Loopback()
	defer func() { net.DefaultResolver = usual }()

	rounds := []string{`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"web_fetch",` +
		`"arguments":"{\"url\":\"https://pages.rebinding.example/\"}"}}]`, `"content":"Done."`}
	asked := 0
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "application/json")
		io.WriteString(w,
			`{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,`+
				`"finish_reason":"stop","message":{"role":"assistant",`+rounds[asked]+`}}]}`)
		asked++
	}))
	defer upstream.Close()

	var refused atomic.Value
	h, err := host.New(context.Background(), wasm, host.Config{CacheDir: t.TempDir(),
		Env: map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream.URL,
			"UPSTREAM_KEY": "key-of-the-upstream", "CLIENT_KEY": "client-key",
			"ALLOW_HTTP_UPSTREAM": "true", "OPTIONS": `{"web_fetch":{}}`},
		Watch: func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				response, err := next.RoundTrip(r)
				if err != nil {
					refused.Store(err.Error())
				}
				return response, err
			})
		}})
	require.NoError(t, err)
	defer h.Close(context.Background())
	server := httptest.NewServer(h)
	defer server.Close()
	r, err := http.NewRequest("POST", server.URL+"/v1/messages",
		strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Read https://pages.rebinding.example/"}],
		"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]}`))
	require.NoError(t, err)
	r.Header.Set("x-api-key", "client-key")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, 200, response.StatusCode, string(body))
	require.Contains(t, string(body), `"error_code":"url_not_accessible"`)
	require.Contains(t, refused.Load(), "not on the public internet")
	require.Equal(t, 2, asked)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
