package usage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOverview(t *testing.T) {
	o := newObject(t)
	upstreams := []UpstreamKey{{"up", "k"}, {"other", ""}, {"third", "l"}}
	overview := func(at Clock) string { return string(AppendOverview(nil, o.Run(Overview(at)), upstreams)) }
	assert.Equal(t,
		`"days":[],"last_used":null,"upstreams":[{"name":"up","state":"ok"},{"name":"other","state":"ok"},`+
			`{"name":"third","state":"ok"}]`, overview(start))
	for range 3 {
		o.close(Request{Model: "m", Clock: start}, Outcome{Cost: 5e8, Attempts: []Attempt{broken}})
	}
	o.close(Request{Model: "n", Clock: start + 5}, Outcome{Cost: Unknown, Status: 500,
		Attempts: []Attempt{{UpstreamKey: UpstreamKey{"other", ""}, Failed: true, Status: 500},
			{UpstreamKey: UpstreamKey{"third", "before"}, Failed: true}}})
	assert.Equal(t,
		`"days":[{"day":"2026-11-21","requests":4,"errors":1,"usd":1.5,"unpriced":1}],`+
			`"last_used":1795219205,"upstreams":[`+
			`{"name":"up","until":1795219210,"failures":3,"failed_at":1795219200,"status":503,"state":"resting"},`+
			`{"name":"other","failures":1,"failed_at":1795219205,"status":500,"state":"failing"},`+
			`{"name":"third","state":"ok"}]`, overview(start+6))
	assert.Equal(t,
		`"days":[],"last_used":1795219205,"upstreams":[{"name":"up","state":"ok"},{"name":"other",`+
			`"state":"ok"},{"name":"third","state":"ok"}]`, overview(start+8*86400))
	assert.Equal(t, `"days":[],"last_used":null,"upstreams":[{"name":"up","state":"unknown"}]`,
		string(AppendOverview(nil, nil, upstreams[:1])))
}
