package host

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
)

// TestLoadLeavesNoGoroutine runs 500 concurrent streams. Upstreams break off, end too early or go
// silent, and clients leave. The test waits until all goroutines of the streams have ended.
// e2e/ops/load.test.mjs checks the clients' answers.
func TestLoadLeavesNoGoroutine(t *testing.T) {
	const streams = 500
	wasm := builttest.Module(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	ways := []string{"whole", "cut", "end", "hang", "leave"}
	draw := func(i int) (way string, chunks int) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		return ways[r.IntN(len(ways))], r.IntN(50)
	}
	const chunk = `data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,` +
		`"delta":{"content":"text"}}]}` + "\n\n"
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, rest, _ := strings.Cut(string(body), `"model":"m`)
		var i int
		fmt.Sscanf(rest, "%d", &i)
		way, chunks := draw(i)
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w)
		for range chunks {
			io.WriteString(w, chunk)
			flush(w)
		}
		switch way {
		case "cut":
			cutOff(w)
		case "hang", "leave":
			<-r.Context().Done()
		case "whole":
			io.WriteString(w, "data: [DONE]\n\n")
		}
	}))
	var over atomic.Int64
	h, err := New(context.Background(), wasm, Config{
		Env: map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream.URL,
			"CLIENT_KEY": "key", "UPSTREAM_TIMEOUT": "1"},
		Done: func(*http.Request, Outcome) { over.Add(1) },
	})
	require.NoError(t, err)
	s := httptest.NewServer(h)
	transport := &http.Transport{DisableKeepAlives: true}
	goroutines := runtime.NumGoroutine()

	var clients sync.WaitGroup
	for i := range streams {
		clients.Go(func() {
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			path := []string{"/v1/messages", "/v1/responses"}[i%2]
			r, _ := http.NewRequestWithContext(ctx, "POST", s.URL+path, strings.NewReader(
				fmt.Sprintf(`{"model":"m%d","max_tokens":9,"stream":true,"messages":[{"role":"user",`+
					`"content":"Hi"}],"input":"Hi"}`, i)))
			r.Header.Set("X-Api-Key", "key")
			response, err := transport.RoundTrip(r)
			if !assert.NoError(t, err) {
				return
			}
			defer response.Body.Close()
			// an upstream that is not scheduled within a second counts as silent
			assert.Contains(t, []int{200, 504}, response.StatusCode)
			if way, _ := draw(i); way == "leave" {
				response.Body.Read(make([]byte, 100))
				leave()
			}
			io.Copy(io.Discard, response.Body)
		})
	}
	clients.Wait()
	for over.Load() < streams {
		runtime.Gosched()
	}
	h.connections.CloseIdleConnections()
	// waits for the end of the last goroutines; if a goroutine never ends, the test hangs
	for runtime.NumGoroutine() > goroutines {
		runtime.Gosched()
	}
	s.Close()
	upstream.Close()
	require.NoError(t, h.Close(context.Background()))
}
