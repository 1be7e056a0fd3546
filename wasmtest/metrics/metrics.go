package metrics

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"edgelingua/wasmtest/access"
)

// most bounds the number of pairs of an endpoint and an upstream with labels of their own.
const most = 1000

// Other replaces endpoints and upstreams beyond the bound in labels. No name begins with "_".
const Other = "_other"

// Metrics has the metrics of one host. It is safe for concurrent use.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	tokens    *prometheus.CounterVec
	cost      *prometheus.CounterVec
	unpriced  *prometheus.CounterVec
	uncounted *prometheus.CounterVec
	firstByte *prometheus.HistogramVec
	total     *prometheus.HistogramVec

	mu        sync.Mutex
	upstreams map[[2]string]bool // the pairs of an endpoint and an upstream with labels of their own
	endpoints map[string]bool    // their endpoints
}

// Now is the current state of the host.
type Now struct {
	// open requests by the endpoint in their paths; "" for the deployment's own
	Open      map[string]int
	Streams   int // open streams
	Instances int // instances of the module
	Memory    int // bytes of memory of all instances together
}

// buckets are bounds of the histograms in seconds. They range from the first byte of a small model
// to the default of UPSTREAM_TIMEOUT.
var buckets = []float64{0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 600}

// New returns empty metrics. now is called each time the metrics are read.
func New(now func() Now) *Metrics {
	whose := []string{"endpoint", "upstream"}
	counter := func(name, help string, more ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "edgelingua_" + name, Help: help},
			append(whose[:2:2], more...))
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "edgelingua_" + name, Help: help,
			Buckets: buckets}, whose)
	}
	m := &Metrics{
		registry: prometheus.NewPedanticRegistry(),
		requests: counter("requests_total",
			"Requests that are over, by what came of them: ok, aborted by the client, or the kind of error.",
			"outcome"),
		tokens: counter("tokens_total",
			"Tokens that upstreams have counted: input with what came from a cache, output with reasoning.",
			"kind"),
		cost: counter("cost_usd_total", "US dollars that requests have cost whose cost is known."),
		unpriced: counter("unpriced_requests_total",
			"Requests that an upstream has answered and whose cost is unknown: cost_usd_total lacks them."),
		uncounted: counter("uncounted_requests_total",
			"Requests that an upstream has answered and whose tokens nobody has counted: "+
				"tokens_total lacks them."),
		firstByte: histogram("first_byte_seconds", "Time from a request to the first byte of its answer."),
		total:     histogram("request_seconds", "Time from a request to the end of its answer."),
		upstreams: map[[2]string]bool{{}: true},
		endpoints: map[string]bool{"": true},
	}
	m.registry.MustRegister(m.requests, m.tokens, m.cost, m.unpriced, m.uncounted, m.firstByte, m.total,
		&present{m, now},
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Over counts a finished request. It is for access.Log's Over.
func (m *Metrics) Over(e *access.Entry, _ *http.Request) {
	endpoint, upstream := m.labels(e.Endpoint, e.Upstream)
	m.requests.WithLabelValues(endpoint, upstream, outcome(e)).Inc()
	if t := e.Tokens; t != nil {
		for _, count := range [...]struct {
			kind string
			n    *int64
		}{{"input", t.Input}, {"cached", t.Cached}, {"output", t.Output}, {"reasoning", t.Reasoning}} {
			if count.n != nil && *count.n > 0 {
				m.tokens.WithLabelValues(endpoint, upstream, count.kind).Add(float64(*count.n))
			}
		}
	}
	if e.Cost != nil && *e.Cost > 0 {
		m.cost.WithLabelValues(endpoint, upstream).Add(*e.Cost)
	}
	if e.Cost == nil && answered(e) {
		m.unpriced.WithLabelValues(endpoint, upstream).Inc()
	}
	if e.Tokens == nil && answered(e) {
		m.uncounted.WithLabelValues(endpoint, upstream).Inc()
	}
	if e.FirstByte != nil {
		m.firstByte.WithLabelValues(endpoint, upstream).Observe(float64(*e.FirstByte) / 1000)
	}
	m.total.WithLabelValues(endpoint, upstream).Observe(float64(e.Total) / 1000)
}

// answered reports whether an upstream has started to answer a request to a model, and may bill the
// answer, even if the answer broke off or the client left.
func answered(e *access.Entry) bool {
	return e.Pair != "" && e.Model != "" && !e.Counts() && (e.Status < 400 || e.Aborted || e.Tokens != nil)
}

func outcome(e *access.Entry) string {
	switch {
	case e.Aborted:
		return "aborted"
	case e.Error != "":
		return e.Error
	}
	return "ok"
}

// labels returns the labels for an endpoint and an upstream: beyond the bound both are Other.
func (m *Metrics) labels(endpoint, upstream string) (string, string) {
	pair := [2]string{endpoint, upstream}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.upstreams[pair] {
		if len(m.upstreams) >= most {
			return Other, Other
		}
		m.upstreams[pair], m.endpoints[endpoint] = true, true
	}
	return endpoint, upstream
}

// ServeHTTP writes the metrics in Prometheus' text form.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	families, err := m.registry.Gather()
	if err != nil {
		// can't happen: nothing is registered twice
		http.Error(w, "The metrics can't be gathered.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	h.Set("Cache-Control", "no-store")
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(w, family); err != nil {
			return // the client is gone
		}
	}
}
