//go:build unix

package host

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/host/outbound"
)

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkStream prints the CPU time of a stream's chunk through the host, translated and passed,
// and its ratio to the CPU time of httputil.ReverseProxy with immediate flushing. Upstream and
// clients are in another process, and each chunk is sent separately. The cost of the request itself
// is subtracted: the figure is the time of many chunks minus the time of one, divided by the
// difference in chunks.
func BenchmarkStream(b *testing.B) {
	const streams, chunks, rounds = 8, 1000, 5
	p := startPeer(b)
	ways := waysOf(b, p)
	for range b.N {
		per := make([][]time.Duration, len(ways))
		for range rounds {
			for i, way := range ways {
				start := cpuTime()
				p.run(b, way.url, streams, 1)
				begun := cpuTime()
				p.run(b, way.url, streams, chunks)
				per[i] = append(per[i], (cpuTime()-begun-(begun-start))/(streams*(chunks-1)))
			}
		}
		report(b, ways, "µs/chunk", per)
	}
}

// BenchmarkFirst prints the time from a streamed request to the first chunk of its answer, one
// request at a time, and the ratio to httputil.ReverseProxy. The figure is the median of many
// requests, in alternating blocks.
func BenchmarkFirst(b *testing.B) {
	const blocks, requests = 10, 50
	p := startPeer(b)
	ways := waysOf(b, p)
	for range b.N {
		first := make([][]time.Duration, len(ways))
		for range blocks {
			for i, way := range ways {
				for range requests {
					first[i] = append(first[i], p.run(b, way.url, 1, 1))
				}
			}
		}
		report(b, ways, "µs", first)
	}
}

// way is a URL for the upstream's stream.
type way struct{ name, url string }

// waysOf serves the upstream of p by a proxy, translated and passed. Events are not delayed.
func waysOf(b *testing.B, p *peer) []way {
	target, err := url.Parse(p.url)
	require.NoError(b, err)
	serve := func(handler http.Handler, path string) string {
		s := httptest.NewServer(handler)
		b.Cleanup(s.Close)
		return s.URL + path
	}
	translated := newBenchHost(b, p.url)
	return []way{
		{"proxy", serve(whole(&httputil.ReverseProxy{
			Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
			FlushInterval: -1,
			Transport:     outbound.Transport(&net.Dialer{}),
		}), "/v1/chat/completions")},
		{"translated", serve(translated, "/v1/messages")},
		{"passed", serve(translated, "/v1/chat/completions")},
	}
}

// report reports the median of each way's figures, and the ratio to the proxy's median.
func report(b *testing.B, ways []way, unit string, figures [][]time.Duration) {
	median := func(i int) float64 {
		slices.Sort(figures[i])
		return float64(figures[i][len(figures[i])/2].Nanoseconds()) / 1000
	}
	for i, way := range ways {
		b.ReportMetric(median(i), way.name+"-"+unit)
		if i > 0 {
			b.ReportMetric(median(i)/median(0), way.name+"/proxy")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// whole reads the body of each request before handler is called. A proxy sometimes breaks its
// connection if the upstream answers before the proxy has read the body.
func whole(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	})
}

// newBenchHost returns a host of the deployed module with a Chat upstream. Events are not delayed.
func newBenchHost(b *testing.B, upstream string) *Host {
	b.Helper()
	h, err := New(context.Background(), deployed(b), Config{Env: map[string]string{
		"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": upstream, "UPSTREAM_KEY": "key", "CLIENT_KEY": "key",
		"BATCH": "0",
	}})
	require.NoError(b, err)
	b.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// BenchmarkOpenStreams prints the memory of the process for each open stream, including the
// connections.
func BenchmarkOpenStreams(b *testing.B) {
	const streams = 200
	p := startPeer(b)
	s := httptest.NewServer(newBenchHost(b, p.url))
	defer s.Close()
	for range b.N {
		p.run(b, s.URL+"/v1/messages", 1, 1)
		before := residentBytes(b)
		p.open(b, s.URL+"/v1/messages", streams)
		open := residentBytes(b)
		p.close(b)
		after := residentBytes(b)
		b.ReportMetric(float64(open-before)/streams/1024, "KB/stream")
		b.ReportMetric(float64(after-before)/streams/1024, "KB/stream-after")
		b.ReportMetric(0, "ns/op")
	}
}

func residentBytes(b *testing.B) int {
	b.Helper()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("only Linux says how much memory a process holds: ", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	require.NoError(b, err)
	return pages * os.Getpagesize()
}
