package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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

// TestConformance runs the conformance suite at edgelingua itself: all clients with each upstream.
func TestConformance(t *testing.T) {
	for _, name := range conform.Upstreams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream, err := conform.NewUpstream(name)
			require.NoError(t, err)
			vendor := httptest.NewServer(upstream)
			defer vendor.Close()
			protocol := strings.Replace(name, "messages", "anthropic", 1)
			program := host.NewNative(edge.Program{}, host.Config{Transport: instead(vendor.URL),
				Env: map[string]string{
					"UPSTREAM_PROTOCOL": protocol, "UPSTREAM_URL": upstream.Base(vendorURLs[name]),
					"UPSTREAM_KEY": conform.UpstreamKey, "CLIENT_KEY": liveKey,
				}})
			defer program.Close(context.Background())
			server := httptest.NewServer(program)
			defer server.Close()
			target := conform.Target{URL: server.URL, Key: liveKey}
			served, err := conform.Find(t.Context(), target)
			require.NoError(t, err)
			report := conform.CheckGateway(t.Context(), target, upstream, served, conform.Options{})
			var out strings.Builder
			conform.Reports{report}.Write(&out, conform.Look{UTF8: true})
			require.True(t, report.OK, out.String())
			require.Zero(t, report.Counts[conform.Failed])
			t.Log(out.String())
		})
	}
}
