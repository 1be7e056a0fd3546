package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/built/builttest"
	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/host"
	edge "edgelingua/worker/serve"
)

// TestCorpus runs every case of the golden corpus through the module. Upstream and client must
// get the bytes of the translator's own test. An answer comes at once and, if streamed, also in small
// chunks.
func TestCorpus(t *testing.T) {
	builttest.Path(t)
	wasm, err := os.ReadFile(module)
	require.NoError(t, err)
	cache := t.TempDir()
	// Streams in small chunks are the native engine's test: build.sh test --full sets FULL.
	runCorpus(t, os.Getenv("FULL") != "", func(config host.Config) (*host.Host, error) {
		config.CacheDir = cache
		return host.New(context.Background(), wasm, config)
	})
}

// TestCorpusNatively does the same with the native engine.
func TestCorpusNatively(t *testing.T) {
	runCorpus(t, true, natively)
}

// starter returns a host of an engine.
type starter func(host.Config) (*host.Host, error)

func natively(config host.Config) (*host.Host, error) {
	return host.NewNative(edge.Program{}, config), nil
}

// runCorpus runs all cases of the corpus. chunked: streams run a second time, in chunks of 7 bytes.
func runCorpus(t *testing.T, chunked bool, start starter) {
	scenarios, err := corpus.Load("../../translator/testdata")
	require.NoError(t, err)
	workers := map[string]*worker{}
	cases, asked := 0, 0
	for _, s := range scenarios {
		list, err := s.Cases()
		require.NoError(t, err)
		t.Run(s.Name, func(t *testing.T) {
			for _, x := range list {
				settings := fmt.Sprint(x.Settings)
				if workers[settings] == nil {
					workers[settings] = newWorker(t, start, x.Settings)
				}
				workers[settings].run(t, x, 0)
				if x.Answer.SSE && chunked {
					workers[settings].run(t, x, 7)
				}
				cases++
				if x.Want.URL != "" {
					asked++
				}
			}
		})
	}
	for _, w := range workers {
		w.close(t)
	}
	require.Greater(t, asked, 2000)
	t.Logf("%d scenarios make %d cases, of which %d reach the upstream, with %d settings",
		len(scenarios), cases, asked, len(workers))
}

// worker is a server of the module with some settings. It is also the upstream for every URL in the
// settings.
type worker struct {
	host   *host.Host
	server *httptest.Server
	logged bytes.Buffer
	answer *http.Response
	asked  *http.Request // the last request to the upstream, read to its end
	body   []byte        // the body of asked
}

func newWorker(t *testing.T, start starter, settings map[string]string) *worker {
	w := &worker{}
	env := map[string]string{"CLIENT_KEY": "client-key", "UPSTREAM_KEY": "key-of-the-upstream", "BATCH": "0"}
	for name, value := range settings {
		env[name] = value
	}
	var err error
	w.host, err = start(host.Config{Env: env, Log: log.New(&w.logged, "", 0), Transport: w,
		Now: func() time.Time { return time.Unix(corpus.Received, 0) },
	})
	require.NoError(t, err)
	w.server = httptest.NewServer(w.host)
	return w
}

func (w *worker) close(t *testing.T) {
	w.server.Close()
	require.NoError(t, w.host.Close(context.Background()))
	require.Empty(t, w.logged.String())
}

// RoundTrip answers as the upstream.
func (w *worker) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	w.asked = r
	w.body, err = io.ReadAll(r.Body)
	return w.answer, err
}

// run runs one case. The upstream's answer comes in chunks of size bytes, or at once for 0.
func (w *worker) run(t *testing.T, x *corpus.Case, size int) {
	w.asked, w.body = nil, nil
	w.answer = &http.Response{
		StatusCode: x.Answer.Status,
		Header:     http.Header{"Content-Type": {x.Answer.ContentType()}},
		Body:       io.NopCloser(chunks{bytes.NewReader(x.Answer.Body), size}),
	}
	r, err := http.NewRequest("POST", w.server.URL+x.Path, bytes.NewReader(x.Request))
	require.NoError(t, err)
	r.Header.Set("X-Api-Key", "client-key")
	response, err := w.server.Client().Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	response.Body.Close()

	got := corpus.Want{Request: w.body, Status: response.StatusCode,
		Lost: response.Header.Get("X-Edgelingua-Lost"), Loop: response.Header.Get("X-Edgelingua-Loop"),
		Body: body}
	if w.asked != nil {
		got.URL = w.asked.URL.String()
	}
	require.Equal(t, readable(x.Want), readable(got), "%v, in chunks of %d, with %v; the client asked\n%s",
		x, size, x.Settings, x.Request)
}

// readable returns w with strings for its bytes, so that a failure shows text.
func readable(w corpus.Want) any {
	return struct {
		URL, Request string
		Status       int
		Lost, Loop   string
		Answer       string
	}{w.URL, string(w.Request), w.Status, w.Lost, w.Loop, string(w.Body)}
}

// chunks reads at most size bytes at a time; 0 is no limit.
type chunks struct {
	io.Reader
	size int
}

func (c chunks) Read(p []byte) (int, error) {
	if c.size > 0 && len(p) > c.size {
		p = p[:c.size]
	}
	return c.Reader.Read(p)
}
