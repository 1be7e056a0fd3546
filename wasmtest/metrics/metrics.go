// Package metrics counts what the local host has served, for Prometheus. It learns of a request when that is over, from the request's line in
// the log, so that it costs nothing on the way.
package metrics

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"edgelingua/wasmtest/access"
)

// mostPairs bounds how many pairs of endpoint and upstream have figures of their own; further ones are counted together as "other".
const mostPairs = 500

// Metrics are the figures of a server. No label holds a key, a model or anything else that a client can make up: endpoints and upstreams
// have the names that their operator has given them.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec // by endpoint, upstream and status
	tokens   *prometheus.CounterVec // by endpoint, upstream and kind
	cost     *prometheus.CounterVec // by endpoint and upstream, as the two below
	first    *prometheus.HistogramVec
	total    *prometheus.HistogramVec

	mu    sync.Mutex
	pairs map[[2]string]bool // those that have figures of their own
}

// seconds are the upper bounds of times, from 10 ms to 10 minutes.
var seconds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 25, 60, 120, 300, 600}

// New returns the metrics of a server. open returns how many requests are open.
func New(open func() int) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), pairs: map[[2]string]bool{}}
	counter := func(name, help string, more ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "edgelingua", Name: name, Help: help}, append([]string{"endpoint", "upstream"}, more...))
		m.registry.MustRegister(c)
		return c
	}
	times := func(name, help string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "edgelingua", Name: name, Help: help, Buckets: seconds}, []string{"endpoint", "upstream"})
		m.registry.MustRegister(h)
		return h
	}
	m.requests = counter("requests_total", "Requests that are over, by the status of their answers.", "status")
	m.tokens = counter("tokens_total", "Tokens that upstreams have counted. Cached ones are part of input, reasoning of output.", "kind")
	m.cost = counter("cost_usd_total", "US dollars, of requests whose price is known.")
	m.first = times("first_byte_seconds", "Time to the first byte of an answer.")
	m.total = times("duration_seconds", "Time to the end of an answer.")
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "edgelingua", Name: "open_requests", Help: "Requests that are not over, each with an instance of the module."},
			func() float64 { return float64(open()) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Observe counts a request that is over.
func (m *Metrics) Observe(e *access.Entry) {
	endpoint, upstream := m.pair(e.Endpoint, e.Upstream)
	m.requests.WithLabelValues(endpoint, upstream, status(e.Status)).Inc()
	m.total.WithLabelValues(endpoint, upstream).Observe(float64(e.Total) / 1000)
	if e.FirstByte != nil {
		m.first.WithLabelValues(endpoint, upstream).Observe(float64(*e.FirstByte) / 1000)
	}
	if e.Cost != nil {
		m.cost.WithLabelValues(endpoint, upstream).Add(max(*e.Cost, 0))
	}
	if t := e.Tokens; t != nil {
		for kind, n := range map[string]*int64{"input": t.Input, "output": t.Output, "cached": t.Cached, "reasoning": t.Reasoning} {
			if n != nil {
				m.tokens.WithLabelValues(endpoint, upstream, kind).Add(float64(max(*n, 0)))
			}
		}
	}
}

// status returns a status as a label: one that HTTP does not know, which an upstream may have made up, by its class.
func status(code int) string {
	if http.StatusText(code) == "" && code != access.StatusGone {
		return strconv.Itoa(code/100) + "xx"
	}
	return strconv.Itoa(code)
}

// pair returns the labels of an endpoint and an upstream.
func (m *Metrics) pair(endpoint, upstream string) (string, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := [2]string{endpoint, upstream}
	if !m.pairs[of] {
		if len(m.pairs) == mostPairs {
			return "other", "other"
		}
		m.pairs[of] = true
	}
	return endpoint, upstream
}

// Handler answers with the figures in Prometheus' text form.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
