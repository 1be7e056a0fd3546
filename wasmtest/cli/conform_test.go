package cli

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/conform"
	"edgelingua/wasmtest/host"
	edge "edgelingua/worker/serve"
)

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
			program := host.NewNative(edge.Program{}, host.Config{Env: map[string]string{
				"UPSTREAM_PROTOCOL": protocol, "UPSTREAM_URL": upstream.Base(vendor.URL),
				"UPSTREAM_KEY": conform.UpstreamKey, "CLIENT_KEY": liveKey,
			}})
			defer program.Close(context.Background())
			server := httptest.NewServer(program)
			defer server.Close()
			target := conform.Target{URL: server.URL, Key: liveKey, Model: upstream.Model()}
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
