package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/access"
)

func number[T any](n T) *T { return &n }

// shown returns the lines of edgelingua's own metrics, without buckets.
func shown(m *Metrics) string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", Path, nil))
	var own strings.Builder
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "edgelingua_") && !strings.Contains(line, "_bucket{") {
			own.WriteString(line)
		}
	}
	return own.String()
}

func TestWhatIsCounted(t *testing.T) {
	m := New(func() Now {
		return Now{Open: map[string]int{"": 2, "anna": 1, "made-up": 3, "/admin": 1}, Streams: 2,
			Instances: 3, Memory: 4096}
	})
	anna := access.Entry{Endpoint: "anna", Upstream: "fast", Model: "private", Path: "/private",
		ID: "private", Status: 200, Total: 1500}
	first := anna
	first.FirstByte, first.Cost = number(access.Millis(250)), number(0.5)
	first.Tokens = &access.Tokens{Input: number(int64(100)), Cached: number(int64(40)),
		Output: number(int64(7)), Reasoning: number(int64(0))}
	second := first
	second.Cost = number(0.25)
	failed, left := anna, anna
	failed.Error, left.Aborted, left.Error = "rate_limit", true, ""
	for _, e := range []access.Entry{first, second, failed, left, {Status: 401, Error: "authentication"}} {
		m.Over(&e, nil)
	}
	assert.Equal(t, `edgelingua_cost_usd_total{endpoint="anna",upstream="fast"} 0.75
edgelingua_first_byte_seconds_sum{endpoint="anna",upstream="fast"} 0.5
edgelingua_first_byte_seconds_count{endpoint="anna",upstream="fast"} 2
edgelingua_instances 3
edgelingua_instances_memory_bytes 4096
edgelingua_open_requests{endpoint=""} 2
edgelingua_open_requests{endpoint="_other"} 4
edgelingua_open_requests{endpoint="anna"} 1
edgelingua_open_streams 2
edgelingua_request_seconds_sum{endpoint="",upstream=""} 0
edgelingua_request_seconds_count{endpoint="",upstream=""} 1
edgelingua_request_seconds_sum{endpoint="anna",upstream="fast"} 6
edgelingua_request_seconds_count{endpoint="anna",upstream="fast"} 4
edgelingua_requests_total{endpoint="",outcome="authentication",upstream=""} 1
edgelingua_requests_total{endpoint="anna",outcome="aborted",upstream="fast"} 1
edgelingua_requests_total{endpoint="anna",outcome="ok",upstream="fast"} 2
edgelingua_requests_total{endpoint="anna",outcome="rate_limit",upstream="fast"} 1
edgelingua_tokens_total{endpoint="anna",kind="cached",upstream="fast"} 80
edgelingua_tokens_total{endpoint="anna",kind="input",upstream="fast"} 200
edgelingua_tokens_total{endpoint="anna",kind="output",upstream="fast"} 14
`, shown(m))
}

// TestWhatIsNotKnown: totals of cost and tokens are never too low without a hint. An unknown cost
// and unknown tokens are counted separately, under the right upstream.
func TestWhatIsNotKnown(t *testing.T) {
	tokens := &access.Tokens{Input: number(int64(100))}
	cases := []struct {
		name                string
		entry               access.Entry
		unpriced, uncounted bool
	}{
		{"known", access.Entry{Status: 200, Cost: number(0.5), Tokens: tokens}, false, false},
		{"free", access.Entry{Status: 200, Cost: number(0.0), Tokens: tokens}, false, false},
		{"no-price", access.Entry{Status: 200, Tokens: tokens}, true, false},
		{"passes", access.Entry{Status: 200}, true, true},
		{"breaks-off", access.Entry{Status: 200, Error: "unavailable"}, true, true},
		{"unreadable", access.Entry{Status: 502, Error: "unavailable", Tokens: tokens}, true, false},
		{"left", access.Entry{Status: 499, Aborted: true}, true, true},
		{"fails", access.Entry{Status: 503, Error: "unavailable"}, false, false},
		{"a-count", access.Entry{Status: 200, Path: "/u/anna/v1/messages/count_tokens"}, false, false},
		{"another-count", access.Entry{Status: 200, Path: "/v1/responses/input_tokens"}, false, false},
		{"a-third-count", access.Entry{Status: 200, Path: "/v1beta/models/m:countTokens"}, false, false},
	}
	m := New(func() Now { return Now{} })
	for _, c := range cases {
		c.entry.Upstream, c.entry.Model, c.entry.Pair = c.name, "m", "anthropic/chat"
		m.Over(&c.entry, nil)
	}
	// no upstream was called
	m.Over(&access.Entry{Endpoint: "limit", Status: 429, Error: "rate_limit", Model: "m"}, nil)
	m.Over(&access.Entry{Endpoint: "list", Status: 200, Pair: "chat/chat"}, nil)
	text := shown(m)
	for _, c := range cases {
		for name, wanted := range map[string]bool{"unpriced": c.unpriced, "uncounted": c.uncounted} {
			assert.Equal(t, wanted, strings.Contains(text,
				`edgelingua_`+name+`_requests_total{endpoint="",upstream="`+c.name+`"} 1`), c.name+" "+name)
		}
	}
	assert.Equal(t, 8, strings.Count(text, "edgelingua_un"), text)
}

// TestTheNumberOfLabelsIsBounded counts more endpoints than there are labels: the last endpoints
// share one label, and the deployment's own endpoint keeps its own.
func TestTheNumberOfLabelsIsBounded(t *testing.T) {
	m := New(func() Now { return Now{} })
	for i := range most + 10 {
		m.Over(&access.Entry{Endpoint: fmt.Sprint("e", i)}, nil)
	}
	m.Over(&access.Entry{}, nil)
	text := shown(m)
	assert.Equal(t, most+1, strings.Count(text, "edgelingua_requests_total{"))
	assert.Contains(t, text, `edgelingua_requests_total{endpoint="_other",outcome="ok",upstream="_other"} 11`)
	assert.Contains(t, text, `edgelingua_requests_total{endpoint="",outcome="ok",upstream=""} 1`)
}

func TestWhoIsShownThem(t *testing.T) {
	const key = "an-admin-key-of-the-tests"
	var asked []string
	program := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // as the Admin API answers
		asked = append(asked, r.Method+" "+r.URL.String())
		switch r.Header.Get("Authorization") {
		case "Bearer " + key:
			w.WriteHeader(200)
		case "Bearer once-too-often":
			w.WriteHeader(429)
			w.Write([]byte("later. "))
		default:
			w.WriteHeader(401)
		}
	})
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("shown")) })
	for _, test := range []struct {
		name          string
		handler       http.Handler
		method, host  string
		authorization string
		status        int
	}{
		{"the key", WithKey(program, next), "GET", "example.com", "Bearer " + key, 200},
		{"HEAD", WithKey(program, next), "HEAD", "example.com", "Bearer " + key, 200},
		{"POST", WithKey(program, next), "POST", "example.com", "Bearer " + key, 405},
		{"POST without a key", WithKey(program, next), "POST", "example.com", "", 401},
		{"no key", WithKey(program, next), "GET", "127.0.0.1", "", 401},
		{"a wrong key", WithKey(program, next), "GET", "example.com", "Bearer " + key + "x", 401},
		{"too many wrong keys", WithKey(program, next), "GET", "example.com", "Bearer once-too-often", 429},
		{"alone", Alone(next), "GET", "127.0.0.1:9464", "", 200},
		{"alone by name", Alone(next), "GET", "localhost:9464", "", 200},
		{"alone by IPv6", Alone(next), "GET", "[::1]:9464", "", 200},
		{"DNS rebinding", Alone(next), "GET", "evil.example:9464", "", 403},
		{"a name that looks like an address", Alone(next), "GET", "127.0.0.1.evil.example:9464", "", 403},
		{"alone, POST", Alone(next), "POST", "localhost:9464", "", 405},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w := httptest.NewRequest(test.method, Path, nil), httptest.NewRecorder()
			r.Host = test.host
			if test.authorization != "" {
				r.Header.Set("Authorization", test.authorization)
			}
			test.handler.ServeHTTP(w, r)
			assert.Equal(t, test.status, w.Code)
			assert.Equal(t, test.status == 200, w.Body.String() == "shown", w.Body)
			assert.NotContains(t, w.Body.String(), key)
		})
	}
	for _, each := range asked {
		assert.Equal(t, "GET /admin/api/endpoints?limit=1", each)
	}
	w := httptest.NewRecorder()
	Alone(next).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/other", nil))
	assert.Equal(t, 404, w.Code)
}

func BenchmarkOver(b *testing.B) {
	m := New(func() Now { return Now{} })
	e := &access.Entry{Endpoint: "anna", Upstream: "fast", FirstByte: number(access.Millis(1)),
		Cost:   number(0.1),
		Tokens: &access.Tokens{Input: number(int64(1)), Output: number(int64(1))}}
	b.ReportAllocs()
	for b.Loop() {
		m.Over(e, nil)
	}
}
