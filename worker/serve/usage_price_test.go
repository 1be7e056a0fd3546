package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPriceOfCounting has the numbers of docs/limits.md: the requests to an endpoint's object, and
// the rows that they write there, for each request of a client. The first request of an endpoint
// makes tables and rows, so only the second is measured.
func TestPriceOfCounting(t *testing.T) {
	t.Parallel()
	two := upstreamList(upstreamAt("up", "chat", "up.test"), upstreamAt("other", "chat", "other.test"))
	for name, c := range map[string]struct {
		members               string
		fails                 bool
		requests, rows, reads int
	}{
		"not counted":   {`"usage":false,` + oneUpstream("chat"), false, 0, 0, 1},
		"counted":       {oneUpstream("chat"), false, 2, 3, 1},
		"two upstreams": {two, false, 2, 4, 1},
		"a limit":       {`"limits":{"requests_per_minute":9},` + oneUpstream("chat"), false, 2, 5, 1},
		"limits of a key": {`"key":{"limits":{"requests_per_minute":9,"tokens_per_day":900000,` +
			`"usd_per_day":9}},` + ownPrices + `,` + oneUpstream("chat"), false, 2, 5, 1},
		"alerts":               {`"alerts":{"url":"` + hookURL + `"},` + oneUpstream("chat"), false, 2, 4, 1},
		"a budget":             {`"limits":{"usd_per_day":9},` + ownPrices + `,` + oneUpstream("chat"), false, 2, 4, 1},
		"with a log":           {`"request_log":{"ttl":60},` + oneUpstream("chat"), false, 2, 4, 1},
		"a log, in a session":  {`"request_log":{"ttl":60},` + oneUpstream("chat"), false, 2, 5, 1},
		"counted, with errors": {oneUpstream("chat"), true, 2, 5, 1},
	} {
		d := deploy(t, nil)
		d.upstreams["up.test"] = says(200, plainOf["chat"])
		if c.fails {
			d.upstreams["up.test"] = says(503, `{"error":{"message":"Not now."}}`)
		}
		e := d.endpoint(c.members)
		object := "endpoint:" + e.name
		ask := func() {
			header := ""
			if strings.Contains(name, "session") {
				header = "s"
			}
			status := e.askAs("anthropic", asking{}, "Session-Id: "+header).Code
			require.Equal(t, c.fails, status != 200, name)
		}
		changes := func() int { return int(d.rows(object, "SELECT total_changes()")[0].(float64)) }
		ask()
		before, from := changes(), len(d.state.operations)
		ask()
		batches, reads := 0, 0
		for _, operation := range d.state.operations[from:] {
			switch {
			case operation == "batch "+object:
				batches++
			case strings.HasPrefix(operation, "get "):
				reads++
			default:
				assert.Fail(t, "another operation", "%s: %s", name, operation)
			}
		}
		assert.Equal(t, []int{c.requests, c.rows, c.reads}, []int{batches, changes() - before, reads}, name)
	}
}
