package host

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkFrame answers a frame that continues the connection's history, without a connection to
// the client or the upstream. ms/asked is the part of the time until the upstream's request: the
// history's items are copied to the program, joined, decoded and encoded for the upstream. The
// difference between two sizes is the history's cost.
func BenchmarkFrame(b *testing.B) {
	for name, size := range map[string]int{"2KB": 2 << 10, "1MB": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			h, err := New(context.Background(), deployed(b), Config{Env: map[string]string{
				"UPSTREAM_PROTOCOL": "chat", "UPSTREAM_URL": "http://upstream.test/v1",
				"UPSTREAM_KEY": "key", "CLIENT_KEY": "key",
			}})
			require.NoError(b, err)
			defer h.Close(context.Background())
			var began time.Time
			var asked time.Duration
			h.config.Transport = roundTripFunc(func(r *http.Request) (*http.Response, error) {
				asked += time.Since(began)
				io.Copy(io.Discard, r.Body)
				return streamed(strings.NewReader(`data: {"id":"c","object":"chat.completion.chunk",` +
					`"model":"m","choices":[{"index":0,"delta":{"content":"text"},` +
					`"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")), nil
			})
			s := newSocket(&upgrade{sockets: h.sockets}, h, httptest.NewRequest("GET", "/v1/responses", nil))
			answer := func(members string) {
				r := httptest.NewRequest("POST", "/v1/responses",
					strings.NewReader(`{"type":"response.create","model":"m","store":false,`+members+`}`))
				r.Header.Set("Authorization", "Bearer key")
				w := httptest.NewRecorder()
				began = time.Now()
				ctx := context.WithValue(r.Context(), frameKey{}, &socketFrame{socket: s})
				h.ServeHTTP(w, r.WithContext(ctx))
				require.Contains(b, w.Body.String(), "response.completed")
			}
			item := `{"type":"message","role":"user","content":"` +
				strings.Repeat(`Some words of a \"session\".\n`, 64) + `"}`
			answer(`"generate":false,"input":[` + strings.Repeat(item+",", size/len(item)) + item + `]`)
			require.Greater(b, len(s.memory[0].items), size-len(item))
			remembered := s.memory[0]
			remembered.items = slices.Clip(remembered.items)
			asked = 0
			n := 0
			for b.Loop() {
				n++
				s.memory = []laneHistory{remembered}
				answer(`"input":"Hi","previous_response_id":"` + remembered.id + `"`)
			}
			b.ReportMetric(float64(asked.Microseconds())/1000/float64(n), "ms/asked")
		})
	}
}
