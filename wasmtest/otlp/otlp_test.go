package otlp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/access"
	"edgelingua/worker/endpoint"
)

// collector is a transport that acts as the collector in a bubble of synctest.
type collector struct {
	answer func(*http.Request) (*http.Response, error)

	mu      sync.Mutex
	batches []int // the number of spans of each batch
	last    *http.Request
}

func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	c.last, c.batches = r, append(c.batches, strings.Count(string(body), `"spanId"`))
	c.mu.Unlock()
	if c.answer != nil {
		return c.answer(r)
	}
	return status200(r)
}

// sizes returns the number of spans of each batch so far.
func (c *collector) sizes() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.batches)
}

func status200(*http.Request) (*http.Response, error) { return answered(200), nil }

func answered(status int) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(unreadable{})}
}

// unreadable is a body that must not be read.
type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { panic("the answer's body is read") }

func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

var (
	entry = &access.Entry{Time: "2026-01-02T03:04:05.678Z", Path: "/v1/messages", Pair: "anthropic/chat",
		Model: "m", Status: 200, Total: 20}
	asked = httptest.NewRequest("POST", "/v1/messages", nil)
)

// exporting runs test in a bubble with an exporter to c, and returns the log. test closes the
// exporter.
func exporting(t *testing.T, c *collector, test func(x *Exporter)) string {
	var logged bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		test(Start("http://collector:4318", []endpoint.Header{{Name: "x-key", Value: "private"}}, c,
			log.New(&logged, "", 0)))
	})
	assert.NotContains(t, logged.String(), "private")
	return logged.String()
}

func (x *Exporter) times(n int) {
	for range n {
		x.Over(entry, asked)
	}
	synctest.Wait()
}

func TestBatches(t *testing.T) {
	c := &collector{}
	logged := exporting(t, c, func(x *Exporter) {
		x.times(3)
		assert.Empty(t, c.sizes())
		time.Sleep(every)
		synctest.Wait()
		assert.Equal(t, []int{3}, c.sizes(), "5 s after the first span")
		x.times(full + 1)
		assert.Equal(t, []int{3, full}, c.sizes(), "at once when it is full")
		time.Sleep(10 * every)
		synctest.Wait()
		assert.Equal(t, []int{3, full, 1}, c.sizes())
		x.times(2)
		x.Close(context.Background())
		assert.Equal(t, []int{3, full, 1, 2}, c.sizes(), "the rest at the end")
	})
	assert.Empty(t, logged)
	assert.Equal(t, "http://collector:4318/v1/traces", c.last.URL.String())
	assert.Equal(t, http.Header{"Content-Type": {"application/json"}, "X-Key": {"private"}}, c.last.Header)
}

func TestACollectorThatFailsCostsOneLine(t *testing.T) {
	redirect := answered(307)
	redirect.Header.Set("Location", "http://elsewhere/v1/traces")
	for _, test := range []struct {
		answer func(*http.Request) (*http.Response, error)
		want   string
	}{
		{func(*http.Request) (*http.Response, error) { return answered(500), nil }, "it answers 500"},
		{func(*http.Request) (*http.Response, error) { return redirect, nil },
			"it redirects (307), which is not followed: OTLP_URL is to be where it leads"},
		{hang, "it does not answer"},
		{func(*http.Request) (*http.Response, error) { return nil, errors.New("private") },
			"it can't be reached"},
		{func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("refused")}
		}, "it can't be reached (dial tcp: refused)"},
	} {
		c := &collector{answer: test.answer}
		logged := exporting(t, c, func(x *Exporter) {
			x.times(1)
			time.Sleep(every + patience)
			synctest.Wait()
			x.Close(context.Background())
		})
		assert.Equal(t, "the collector at OTLP_URL has not taken a span: "+test.want+"\n", logged)
		assert.Equal(t, []int{1}, c.sizes(), "one try")
	}
}

// TestAHungCollectorDropsSpans makes more spans than can wait for a collector that hangs: no
// request waits, and the dropped spans are counted.
func TestAHungCollectorDropsSpans(t *testing.T) {
	c := &collector{answer: hang}
	logged := exporting(t, c, func(x *Exporter) {
		x.times(full)
		x.times(room + 7)
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		x.Close(ctx)
		assert.Equal(t, time.Second, time.Since(start), "the end takes what is left of --grace")
	})
	assert.Contains(t, logged,
		"the collector at OTLP_URL has not taken 512 spans: it does not answer\nthe collector at OTLP_URL "+
			"is too slow: 7 spans were dropped\n")
	assert.Equal(t, 1, strings.Count(logged, "dropped"))
}

func TestSpans(t *testing.T) {
	of := func(e access.Entry) map[string]any {
		e.Time, e.Total = entry.Time, 1500.5
		text, err := json.Marshal(spanOf(&e, ""))
		require.NoError(t, err)
		var got struct {
			Start, End string
			Attributes []struct {
				Key   string
				Value map[string]any
			}
		}
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Contains(t, string(text),
			`"startTimeUnixNano":"1767323045678000000","endTimeUnixNano":"1767323047178500000"`)
		attributes := map[string]any{}
		for _, a := range got.Attributes {
			for _, v := range a.Value {
				attributes[a.Key] = v
			}
		}
		return attributes
	}
	n := func(n int64) *int64 { return &n }
	cost, first := 0.0, access.Millis(3)
	assert.Equal(t, map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "m",
		"gen_ai.response.model":     "n",
		"gen_ai.usage.input_tokens": "5", "gen_ai.usage.output_tokens": "0",
		"gen_ai.usage.cache_read.input_tokens": "4",
		"gen_ai.usage.reasoning.output_tokens": "1", "http.response.status_code": "200",
		"edgelingua.request.id": "req_1",
		"edgelingua.endpoint":   "anna", "edgelingua.upstream": "fast", "edgelingua.pair": "chat/anthropic",
		"edgelingua.cost_usd":      0.0,
		"edgelingua.first_byte_ms": 3.0, "edgelingua.lost": "a,b",
	}, of(access.Entry{ID: "req_1", Path: "/u/anna/v1/chat/completions", Endpoint: "anna", Upstream: "fast",
		Pair: "chat/anthropic", Model: "m", UpstreamModel: "n",
		Status: 200, Cost: &cost, FirstByte: &first, Lost: []string{"a", "b"},
		Tokens: &access.Tokens{Input: n(5), Output: n(0), Cached: n(4), Reasoning: n(1)}}))
	failed := access.Entry{Path: "/v1/responses/input_tokens", Pair: "responses/responses", Model: "m",
		Status: 429, Error: "rate_limit"}
	assert.Equal(t, map[string]any{
		"gen_ai.operation.name": "count_tokens", "gen_ai.provider.name": "openai",
		"gen_ai.request.model": "m", "http.response.status_code": "429",
		"error.type": "rate_limit", "edgelingua.pair": "responses/responses",
	}, of(failed))
	assert.Equal(t, 2, spanOf(&failed, "").Status.Code)
	assert.Equal(t, "count_tokens m", spanOf(&failed, "").Name)
	for _, path := range []string{"/u/anna/v1/embeddings", "/v1beta/models/m:embedContent",
		"/v1beta/models/m:batchEmbedContents"} {
		assert.Equal(t, "embeddings m", spanOf(&access.Entry{Path: path, Pair: "chat/gemini", Model: "m"}, "").Name)
	}
	assert.Equal(t, "chat", spanOf(&access.Entry{Error: "internal"}, "").Name)
	assert.Nil(t, spanOf(&access.Entry{Status: 401, Error: "authentication"}, ""), "a stranger's")
}

func TestParents(t *testing.T) {
	const trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, good := range []string{"00-" + trace + "-" + parent + "-01", "00-" + trace + "-" + parent + "-00",
		"cc-" + trace + "-" + parent + "-01-more"} {
		s := spanOf(entry, good)
		assert.Equal(t, [2]string{trace, parent}, [2]string{s.TraceID, s.Parent}, good)
		assert.Regexp(t, `^[0-9a-f]{16}$`, s.SpanID)
	}
	for _, bad := range []string{
		"", "private", "00-" + trace + "-" + parent + "-01-more", "00-" + trace + "-" + parent + "-1",
		"ff-" + trace + "-" + parent + "-01",
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01", "00-" + trace + "-" + strings.Repeat("0",
			16) + "-01",
		"00-" + strings.ToUpper(trace) + "-" + parent + "-01", "00-" + trace + "-" + parent + "-01\n",
	} {
		s := spanOf(entry, bad)
		assert.Regexp(t, `^[0-9a-f]{32}$`, s.TraceID)
		assert.NotEqual(t, trace, s.TraceID, bad)
		assert.Empty(t, s.Parent, bad)
	}
}
