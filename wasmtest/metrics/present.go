package metrics

import "github.com/prometheus/client_golang/prometheus"

// present collects the current state of the host. An endpoint has its own label only if a finished
// request of that endpoint was counted, which proves a valid key. Anyone can request a path with
// any name.
type present struct {
	m   *Metrics
	now func() Now
}

var (
	openRequests = prometheus.NewDesc("edgelingua_open_requests", "Requests that are not over.",
		[]string{"endpoint"}, nil)
	openStreams = prometheus.NewDesc("edgelingua_open_streams", "Streams that are not over.", nil, nil)
	instances   = prometheus.NewDesc("edgelingua_instances", "Instances of the module.", nil, nil)
	memory      = prometheus.NewDesc("edgelingua_instances_memory_bytes",
		"Memory of all instances of the module together.", nil, nil)
)

// Describe implements prometheus.Collector.
func (p *present) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{openRequests, openStreams, instances, memory} {
		to <- desc
	}
}

// Collect implements prometheus.Collector.
func (p *present) Collect(to chan<- prometheus.Metric) {
	now := p.now()
	gauge := func(desc *prometheus.Desc, n int, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), labels...)
	}
	gauge(openStreams, now.Streams)
	gauge(instances, now.Instances)
	gauge(memory, now.Memory)
	open := map[string]int{"": 0}
	p.m.mu.Lock()
	for endpoint, n := range now.Open {
		if !p.m.endpoints[endpoint] {
			endpoint = Other
		}
		open[endpoint] += n
	}
	p.m.mu.Unlock()
	for endpoint, n := range open {
		gauge(openRequests, n, endpoint)
	}
}
