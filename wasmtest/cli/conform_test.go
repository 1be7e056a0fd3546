package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/conform"
	"edgelingua/wasmtest/host"
	edge "edgelingua/worker/serve"
)

// vendorURLs has the vendors' own addresses, by which edgelingua knows what they accept. The one of
// Chat Completions is a server that edgelingua does not know.
var vendorURLs = map[string]string{
	"messages": "https://api.anthropic.com", "chat": "https://chat.example",
	"responses": "https://api.openai.com", "gemini": "https://generativelanguage.googleapis.com",
	"interactions": "https://generativelanguage.googleapis.com",
}

// instead sends all requests to the server at an address.
type instead string

// RoundTrip implements http.RoundTripper.
func (at instead) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(string(at), "http://")
	r.Host = ""
	return http.DefaultTransport.RoundTrip(r)
}

// TestConformance runs the conformance suite at edgelingua itself: all clients with each upstream. The
// results are in docs/contributing/conformance.md.
func TestConformance(t *testing.T) {
	reports := make(conform.Reports, len(conform.Upstreams))
	t.Run("upstreams", func(t *testing.T) {
		for i, name := range conform.Upstreams {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				reports[i] = conformance(t, name)
			})
		}
	})
	if t.Failed() {
		return
	}
	var text strings.Builder
	conform.Numbers(&text)
	text.WriteString("\n")
	reports.Markdown(&text)
	const page, begin, end = "../../docs/contributing/conformance.md", "<!-- results -->\n",
		"<!-- end of results -->"
	whole, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(whole), begin)
	_, after, closed := strings.Cut(rest, end)
	require.True(t, found && closed, page)
	want := before + begin + strings.TrimSpace(text.String()) + "\n" + end + after
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(whole), "go test ./wasmtest/cli -run TestConformance -update")
}

// conformance runs the suite with one upstream.
func conformance(t *testing.T, name string) *conform.Report {
	upstream, err := conform.NewUpstream(name)
	require.NoError(t, err)
	vendor := httptest.NewServer(upstream)
	defer vendor.Close()
	program := host.NewNative(edge.Program{}, host.Config{Transport: instead(vendor.URL),
		Env: map[string]string{
			"UPSTREAM_PROTOCOL": strings.Replace(name, "messages", "anthropic", 1),
			"UPSTREAM_URL":      upstream.Base(vendorURLs[name]),
			"UPSTREAM_KEY":      conform.UpstreamKey, "CLIENT_KEY": liveKey,
		}})
	defer program.Close(context.Background())
	server := httptest.NewServer(program)
	defer server.Close()
	target := conform.Target{URL: server.URL, Key: liveKey, Patience: 10 * time.Minute}
	served, err := conform.Find(t.Context(), target)
	require.NoError(t, err)
	report := conform.CheckGateway(t.Context(), target, upstream, served, conform.Options{})
	var out strings.Builder
	conform.Reports{report}.Write(&out, conform.Look{UTF8: true})
	require.True(t, report.OK, out.String())
	return report
}
