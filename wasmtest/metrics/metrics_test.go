package metrics

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"edgelingua/wasmtest/access"
)

func shown(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	m := New(func() int { return 3 })
	first, cost, input := access.Millis(30), 0.25, int64(7)
	e := &access.Entry{Endpoint: "anna", Upstream: "openai", Status: 200, FirstByte: &first, Total: 1500, Cost: &cost, Model: "a-model", ID: "req_1",
		Tokens: &access.Tokens{Input: &input}}
	m.Observe(e)
	m.Observe(e)
	m.Observe(&access.Entry{Status: 401, Path: "/v1/messages"})
	text := shown(m)
	for _, line := range []string{
		`edgelingua_requests_total{endpoint="anna",status="200",upstream="openai"} 2`,
		`edgelingua_requests_total{endpoint="",status="401",upstream=""} 1`,
		`edgelingua_tokens_total{endpoint="anna",kind="input",upstream="openai"} 14`,
		`edgelingua_cost_usd_total{endpoint="anna",upstream="openai"} 0.5`,
		`edgelingua_first_byte_seconds_bucket{endpoint="anna",upstream="openai",le="0.05"} 2`,
		`edgelingua_duration_seconds_bucket{endpoint="anna",upstream="openai",le="1"} 0`,
		`edgelingua_duration_seconds_bucket{endpoint="anna",upstream="openai",le="2.5"} 2`,
		`edgelingua_open_requests 3`,
		"go_memstats_heap_alloc_bytes ",
	} {
		assert.Contains(t, text, line)
	}
	assert.NotContains(t, text, "a-model")
	assert.NotContains(t, text, "req_1")
}

func TestFiguresAreBounded(t *testing.T) {
	m := New(func() int { return 0 })
	for i := range 2 * mostPairs {
		m.Observe(&access.Entry{Endpoint: fmt.Sprint("e", i), Status: 200})
	}
	text := shown(m)
	assert.Equal(t, mostPairs+1, strings.Count(text, "edgelingua_requests_total{"))
	assert.Contains(t, text, `edgelingua_requests_total{endpoint="other",status="200",upstream="other"} 500`)
}
