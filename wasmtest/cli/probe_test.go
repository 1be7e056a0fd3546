package cli

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

// probed probes an upstream of these vars, connecting to address.
func probed(t *testing.T, vars map[string]string, model, address string) (note string, err error) {
	t.Helper()
	vars["CLIENT_KEY"] = goodKey
	e, wrong := endpoint.Load(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	require.Nil(t, wrong)
	o := &launchOptions{client: claudeCode, model: model, serve: serveOptions{connect: address}}
	return o.prober(e).probe(context.Background())
}

func varsOf(t *testing.T, upstream string) map[string]string {
	t.Helper()
	p, err := presetOf(upstream)
	require.NoError(t, err)
	vars := map[string]string{}
	require.NoError(t, p.replace(vars))
	if !p.Keyless {
		vars["UPSTREAM_KEY"] = "upstream-key"
	}
	return vars
}

// closedAddress returns an address without a server.
func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// ollama starts a server with the models of names, and returns its address.
func ollama(t *testing.T, names ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "GET /v1/models", r.Method+" "+r.URL.Path)
		io.WriteString(w, `{"data":[{"id":"`+strings.Join(names, `"},{"id":"`)+`"}]}`)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestProbeFindsNothing(t *testing.T) {
	address := closedAddress(t)
	for upstream, want := range map[string]string{
		"ollama": "nothing answers at http://127.0.0.1:11434/v1: is Ollama running? (`ollama serve`)",
		"vllm":   "nothing answers at http://127.0.0.1:8000/v1: is vLLM running? (`vllm serve MODEL`)",
		"lmstudio": "nothing answers at http://127.0.0.1:1234/v1: is LM Studio's server running? " +
			"(`lms server start`)",
	} {
		_, err := probed(t, varsOf(t, upstream), "m", address)
		assert.EqualError(t, err, want)
	}
	_, err := probed(t, varsOf(t, "groq"), "m", address)
	assert.ErrorContains(
		t,
		err,
		"nothing answers at https://api.groq.com/openai/v1 (connect: connection refused)",
	)
	_, err = probed(
		t,
		map[string]string{"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "http://localhost:11434/v1"},
		"m",
		address,
	)
	assert.ErrorContains(t, err, "is Ollama running?")
	_, err = probed(t, map[string]string{"UPSTREAM_PROTOCOL": "chat",
		"UPSTREAM_URL": "http://nowhere.invalid/v1"}, "m", "nowhere.invalid:80")
	assert.ErrorContains(t, err, "nothing answers at http://nowhere.invalid/v1 (")
}

// TestProbe: results for models inside and outside of an upstream's list.
func TestProbe(t *testing.T) {
	const two = `{"object":"list","data":[{"id":"qwen3:8b","object":"model"},` +
		`{"id":"gpt-oss:latest","object":"model"}]}`
	var many strings.Builder
	for i := range 12 {
		many.WriteString(`,{"id":"other-` + string(rune('a'+i)) + `"}`)
	}
	for _, test := range []struct {
		upstream, model, list string
		status                int
		note, err             string
	}{
		{upstream: "ollama", model: "qwen3:8b", list: two},
		{upstream: "ollama", model: "gpt-oss", list: two},
		{upstream: "ollama", model: "Qwen3:8B", list: two},
		{upstream: "ollama", model: "gpt-os", list: two,
			err: "Ollama has no model gpt-os: `ollama pull gpt-os`; it has: qwen3:8b, gpt-oss:latest"},
		{upstream: "ollama", model: "qwen3:14b", list: two,
			err: "Ollama has no model qwen3:14b: `ollama pull qwen3:14b`; it has: qwen3:8b, gpt-oss:latest"},
		{upstream: "ollama", model: "a", list: `{"object":"list","data":null}`,
			err: "Ollama has no model a: `ollama pull a`; it has none"},
		{upstream: "vllm", model: "a", list: two, err: "vLLM has no model a: it has: qwen3:8b, " +
			"gpt-oss:latest"},
		{upstream: "lmstudio", model: "a", list: two,
			note: "LM Studio does not list the model a, and may refuse it; it has: qwen3:8b, gpt-oss:latest"},
		{upstream: "groq", model: "other-z",
			list: `{"data":[{"id":"far-away-from-it"}` + many.String() + `]}`,
			note: "Groq does not list the model other-z, and may refuse it; it has: other-a, other-b, " +
				"other-c, other-d, other-e, other-f, other-g, other-h, other-i, other-j and 3 more"},
		{upstream: "anthropic", model: "claude-x", list: `{"data":[{"type":"model","id":"claude-x"}]}`},
		{upstream: "google", model: "gemini-x", list: `{"models":[{"name":"models/gemini-x"}]}`},
		{upstream: "groq", model: "a", status: 401,
			note: "Groq refuses a request for its models with status 401: is UPSTREAM_KEY right?"},
		// no list
		{upstream: "ollama", model: "a", status: 404, list: `{"error":"not found"}`},
		{upstream: "ollama", model: "a", list: "<html>"},
		{upstream: "groq", model: "a", status: 403},
		{upstream: "ollama", model: "a", status: 307},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Contains(t, r.URL.Path, "/models")
			if test.status != 0 {
				w.WriteHeader(test.status)
			}
			io.WriteString(w, test.list)
		}))
		note, err := probed(
			t,
			varsOf(t, test.upstream),
			test.model,
			strings.TrimPrefix(server.URL, "http://"),
		)
		server.Close()
		assert.Equal(t, test.note, note)
		if test.err == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, test.err)
	}
}

// TestProbeSendsTheKey: in the header of the upstream's protocol.
func TestProbeSendsTheKey(t *testing.T) {
	for upstream, header := range map[string]string{"anthropic": "X-Api-Key", "groq": "Authorization"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			assert.Contains(t, r.Header.Get(header), "upstream-key")
		}))
		_, err := probed(t, varsOf(t, upstream), "a", strings.TrimPrefix(server.URL, "http://"))
		assert.NoError(t, err)
		server.Close()
	}
}

// TestProbeOfASlowServer: a slow list of models does not stop the client.
func TestProbeOfASlowServer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	defer server.Close()
	begun := time.Now()
	note, err := probed(t, varsOf(t, "ollama"), "a", strings.TrimPrefix(server.URL, "http://"))
	assert.NoError(t, err)
	assert.Empty(t, note)
	assert.GreaterOrEqual(t, time.Since(begun), probeTime)
}

// TestProbeLeavesOut: upstreams on Cloudflare, at Vertex AI and at a gateway are not probed.
func TestProbeLeavesOut(t *testing.T) {
	vars := varsOf(t, "cloudflare")
	vars["CLOUDFLARE_ACCOUNT_ID"], vars["CLOUDFLARE_API_TOKEN"] = strings.Repeat("a", 32), "token"
	note, err := probed(t, vars, "a", closedAddress(t))
	assert.NoError(t, err)
	assert.Empty(t, note)
}
