package serve_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
	"edgelingua/worker/totals"
)

// TestOverviewKeepsSums: all days of an endpoint that is deleted, or no longer counts usage, stay in the
// overview, and a note says so if they can't.
func TestOverviewKeepsSums(t *testing.T) {
	t.Parallel()
	for method, body := range map[string]string{"DELETE": "", "PATCH": `{"usage":false}`} {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(oneUpstream("chat"))
		for range 20 {
			require.Equal(t, 200, e.ask("chat", asking{}).Code)
			d.later(24 * time.Hour)
		}
		for object, sql := range map[string]string{"endpoint:" + e.name: "UPDATE usage_sent SET day = 0, first = 0",
			totals.Object: "DROP TABLE total_part; DROP TABLE total_endpoint; DROP TABLE total_stale"} {
			_, err := d.store.Batch(object, []store.Statement{{SQL: sql}}) // as after an upgrade
			require.NoError(t, err)
		}
		changed := d.admin(method, "/endpoints/"+e.name, body)
		require.Less(t, changed.Code, 300, changed.text())
		require.NotContains(t, changed.Header().Get("x-edgelingua-note"), "overview")
		seen := d.admin("GET", "/overview", "")
		for n := 0; seen.get("more").Bool(); n++ {
			require.Less(t, n, 50)
			seen = d.admin("GET", "/overview", "")
		}
		require.EqualValues(t, 20, seen.get("endpoints.0.requests").Int(), seen.text())

		f := d.endpoint(oneUpstream("chat"))
		require.Equal(t, 200, f.ask("chat", asking{}).Code)
		d.batch = func(object string, _ []store.Statement) error {
			if object == totals.Object {
				return errUnreachable
			}
			return nil
		}
		changed = d.admin(method, "/endpoints/"+f.name, body)
		require.Equal(t, "the overview lacks the endpoint's last requests; other locations see this within a minute",
			changed.Header().Get("x-edgelingua-note"))
	}
}

// TestOverviewWithBrokenObject: an endpoint whose object fails is behind, and hides no other endpoint.
func TestOverviewWithBrokenObject(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	endpoints := []*ownEndpoint{}
	for range totals.MostPending + 1 {
		endpoints = append(endpoints, d.endpoint(oneUpstream("chat")))
		require.Equal(t, 200, endpoints[len(endpoints)-1].ask("chat", asking{}).Code)
	}
	last := endpoints[totals.MostPending].name
	d.batch = func(object string, _ []store.Statement) error {
		if object == totals.Object || object == "endpoint:"+last || object == "sessions" {
			return nil
		}
		return errUnreachable
	}
	seen := d.admin("GET", "/overview", "")
	for n := 0; seen.get("behind").Int() > totals.MostPending; n++ {
		require.Equal(t, 200, seen.Code, seen.text())
		require.Less(t, n, 5)
		d.later(time.Second)
		seen = d.admin("GET", "/overview", "")
	}
	require.EqualValues(t, totals.MostPending, seen.get("behind").Int(), seen.text())
	d.batch = nil
	for n := 0; seen.get("behind").Int() > 0; n++ {
		require.Less(t, n, 5)
		seen = d.admin("GET", "/overview", "")
	}
	require.EqualValues(t, totals.MostPending+1, seen.get("today.requests").Int())
}

// TestNoTotalsWithAlerts: without ADMIN_KEY there is no overview, and the time of the next alert is no
// text of sums.
func TestNoTotalsWithAlerts(t *testing.T) {
	alerting(t, map[string]string{"ALERT_URL": "https://hooks.test/all", "USAGE": "true", "ADMIN_KEY": ""},
		func(t *testing.T, a *alerted) {
			a.ask("POST", "/v1/messages", messagesBody, bearer(clientKey))
			synctest.Wait()
			require.NotContains(t, a.state.objects, totals.Object)
		})
}

// TestOverviewOfCrash: a request whose instance dies is in the overview, also right after another overview.
func TestOverviewOfCrash(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(oneUpstream("chat"))
	require.Equal(t, 200, e.ask("chat", asking{}).Code)
	require.EqualValues(t, 1, d.admin("GET", "/overview", "").get("today.requests").Int())
	d.upstreams["up.test"] = crashes
	require.Equal(t, 500, e.ask("anthropic", asking{}).Code)
	require.EqualValues(t, 2, d.admin("GET", "/overview", "").get("today.requests").Int())
}

// TestOverviewForgetsFailures: the failures of an upstream that is gone, or whose endpoint is deleted, are
// forgotten; those of the other upstreams stay.
func TestOverviewForgetsFailures(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = says(503, `{"error":{"message":"down"}}`)
	e := d.endpoint(upstreamList(upstreamAt("a", "chat", "up.test"), upstreamAt("b", "chat", "up.test")))
	e.ask("chat", asking{})
	failing := func() string { return d.admin("GET", "/overview", "").get("failing.#.upstream").Raw }
	require.Equal(t, `["a","b"]`, failing())
	changed := d.admin("PATCH", "/endpoints/"+e.name, `{`+upstreamList(upstreamAt("b", "chat", "up.test"))+`}`)
	require.Equal(t, 200, changed.Code, changed.text())
	require.Equal(t, `["b"]`, failing())
	require.Equal(t, []any{"b"}, d.rows("endpoint:"+e.name, "SELECT upstream FROM usage_health"))
	require.Equal(t, 204, d.admin("DELETE", "/endpoints/"+e.name, "").Code)
	require.Equal(t, `[]`, failing())
	require.Equal(t, []any{"[]"}, d.rows(totals.Object, "SELECT health FROM total_endpoint"))
}
