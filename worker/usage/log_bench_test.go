package usage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/testobject"
	"edgelingua/worker/bridge"
)

// BenchmarkFind searches a log of 100,000 requests on the local host's store: each filter with matches
// and without, filters that only together match nothing, and the page that is hardest to find.
// e2e/bench/MEASUREMENTS.md has the figures.
func BenchmarkFind(b *testing.B) {
	o := testobject.New(b)
	o.Run(Prepare(true, MaxLogRows))
	fill := new(bridge.Statements)
	fill.SQL("WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ?1) " +
		"INSERT INTO usage_log SELECT n, " + fmt.Sprint(start) + " + n, 'req_' || n, 'key-' || (n % 8), " +
		"'model-' || (n % 40), 'upstream-model', 'up-' || (n % 4), 'client-' || (n % 5), " +
		"'session-' || (n / 50), '', " +
		"CASE n % 20 WHEN 0 THEN 500 + n % 3 ELSE 0 END, 'internal', 'It is down.', 'end_turn', 300, 4000, " +
		"9000, 700, 7000, 0, 20000000, 'top_k,tools[0].strict', " +
		`'[{"upstream":"up","status":200,"ms":310}]' FROM i`).Number(MaxLogRows)
	o.Run(fill)
	end := int64(start + MaxLogRows)
	for name, f := range map[string]Find{
		"all":                 {},
		"last page":           {Cursor: Cursor{start + 30, 30}},
		"a model":             {Model: "model-7"},
		"a key":               {Key: "key-7"},
		"an upstream":         {Upstream: "up-3"},
		"a client":            {Client: "client-4"},
		"a session":           {Session: "session-9"},
		"errors":              {Status: "error"},
		"a status":            {Status: "501"},
		"an hour":             {From: start + 3600, Until: start + 7200},
		"no such model":       {Model: "x"},
		"no such client":      {Client: "x"},
		"no such status":      {Status: "404"},
		"nothing together":    {Model: "model-7", Client: "client-4"},
		"nothing in all time": {Status: "ok", Model: "model-0", Client: "client-1"},
		"an owner's":          {Own: "key-3"},
	} {
		b.Run(name, func(b *testing.B) {
			f.Clock, f.LogTime, f.Limit = Clock(end), MaxLogTime, 50
			found := string(f.Append(nil, o.Run(f.Statements())))
			none := strings.HasPrefix(name, "no ") || strings.HasPrefix(name, "nothing ")
			require.Equal(b, none, !strings.Contains(found, `"requests":[{`), found[:min(len(found), 200)])
			for b.Loop() {
				f.Append(nil, o.Run(f.Statements()))
			}
		})
	}
}

// BenchmarkClose counts a request: without a log, with a small one, and with a full large one.
func BenchmarkClose(b *testing.B) {
	for name, rows := range map[string]int64{"no log": 0, "log": LogRows, "large log": 1000} {
		b.Run(name, func(b *testing.B) {
			o := testobject.New(b)
			o.Run(Prepare(true, rows))
			r, outcome := logged(1)
			r.LogRows, r.Session = rows, "s"
			if rows == 0 {
				r.LogTime = 0
			}
			outcome.Attempts = []Attempt{{UpstreamKey: UpstreamKey{"up-1", "k"}, Status: 200}}
			for range rows {
				o.Run(r.Close(&outcome))
			}
			for b.Loop() {
				o.Run(r.Close(&outcome))
			}
		})
	}
}

func BenchmarkBegin(b *testing.B) {
	o := testobject.New(b)
	o.Run(Prepare(true, 0))
	for b.Loop() {
		o.Run(begin(start))
	}
}

func BenchmarkEmpty(b *testing.B) {
	o := testobject.New(b)
	o.Run(Prepare(true, 0))
	for b.Loop() {
		o.Run(new(bridge.Statements).SQL("SELECT 1"))
	}
}
