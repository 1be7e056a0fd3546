package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
	"edgelingua/worker/totals"
)

// TestOverview adds up real requests at two endpoints and at the deployment's own, before and after
// one of the endpoints is deleted.
func TestOverview(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"USAGE": "true"})
	d.upstreams["up.test"] = counted("chat")
	d.setTime(midnight)
	const prices = `"prices":{"m":{"input":1,"output":2}},`
	a := d.endpoint(prices + upstreamList(upstreamAt("up", "chat", "up.test")))
	b := d.endpoint(upstreamList(upstreamAt("up", "chat", "up.test")))
	for range 3 {
		require.Equal(t, 200, a.ask("chat", asking{}).Code)
		require.Equal(t, 200, b.ask("chat", asking{model: "n"}).Code)
	}
	require.Equal(t, 200, d.ask("POST", "/v1/chat/completions", `{"model":"m","messages":[]}`).Code)

	seen := d.admin("GET", "/overview?days=7", "")
	require.Equal(t, 200, seen.Code, seen.text())
	const cost = 3 * (countedInput*1 + countedOutput*2) / 1e6
	today := seen.get("today")
	require.Equal(t, "2026-11-21 7 861 4", strings.Join([]string{today.Get("day").Str, today.Get("requests").Raw,
		today.Get("input").Raw, today.Get("unpriced").Raw}, " "), seen.text())
	require.InDelta(t, cost, today.Get("usd").Num, 1e-9)
	require.Equal(t, `["e1","e2",""]`, seen.get("endpoints.#.endpoint").Raw, seen.text())
	require.Equal(t, `["m","n"]`, seen.get("models.#.model").Raw)
	require.Equal(t, `["e1","e2"]`, seen.get("keys.#.endpoint").Raw)
	require.Equal(t, "0 false", seen.get("behind").Raw+" "+seen.get("more").Raw)

	require.Equal(t, 200, a.ask("chat", asking{}).Code) // not sent yet
	require.Equal(t, 200, a.ask("chat", asking{}).Code)
	require.Equal(t, 204, d.admin("DELETE", "/endpoints/e1", "").Code)
	require.Equal(t, 200, d.admin("PATCH", "/endpoints/e2", `{"disabled":true}`).Code)
	seen = d.admin("GET", "/overview", "")
	require.Equal(t, int64(9), seen.get("today.requests").Int(), seen.text())
	require.Equal(t, "e1 true", seen.get("endpoints.0.endpoint").Str+" "+seen.get("endpoints.0.deleted").Raw)
	require.Equal(t, "e2 true", seen.get("endpoints.1.endpoint").Str+" "+seen.get("endpoints.1.disabled").Raw)

	// a new endpoint of the same name adds to the sums
	d.later(1e9)
	a.key = d.make(`{"name":"e1",` + prices + upstreamList(upstreamAt("up", "chat", "up.test")) + `}`)
	require.Equal(t, 200, a.ask("chat", asking{}).Code)
	seen = d.admin("GET", "/overview", "")
	require.Equal(t, int64(10), seen.get("today.requests").Int(), seen.text())
	require.False(t, seen.get("endpoints.0.deleted").Exists())
}

// TestOverviewIsTheOperators: the key of an endpoint, and the deployment's key, open no overview.
func TestOverviewIsTheOperators(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	e := d.endpoint(upstreamList(upstreamAt("up", "chat", "up.test")))
	for _, key := range []string{e.key, clientKey, "wrong"} {
		refused := d.ask("GET", "/admin/api/overview", "", bearer(key))
		require.Equal(t, 401, refused.Code)
		require.NotContains(t, refused.text(), "today")
	}
	require.Equal(t, 404, d.ask("GET", "/u/e1/api/overview", "", bearer(e.key)).Code)
}

// TestOverviewWithoutOperator: without ADMIN_KEY nobody reads the sums, so none are sent.
func TestOverviewWithoutOperator(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"USAGE": "true", "ADMIN_KEY": ""})
	d.upstreams["up.test"] = counted("chat")
	require.Equal(t, 200, d.ask("POST", "/v1/chat/completions", `{"model":"m","messages":[]}`).Code)
	require.NotContains(t, d.state.objects, totals.Object)
}

// TestOverviewSendsRarely: a counted request calls the object of the sums at most every five minutes.
func TestOverviewSendsRarely(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(upstreamList(upstreamAt("up", "chat", "up.test")))
	batches := map[string]int{}
	d.batch = func(object string, _ []store.Statement) error {
		batches[object]++
		return nil
	}
	for range 30 {
		require.Equal(t, 200, e.ask("chat", asking{}).Code)
		d.later(20e9)
	}
	require.Equal(t, map[string]int{"endpoint:e1": 60, totals.Object: 2}, batches)
}

// TestOverviewOfThousandEndpoints: an overview makes fewer than 50 calls of storage, the subrequests of
// Workers' free plan, also while it collects. It says what is missing, until nothing is.
func TestOverviewOfThousandEndpoints(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	n := size{endpoints: 1000, days: 3, perDay: 5}
	fill(t, d.store, d.now(), n)
	ask := func() *answer {
		d.state.operations = nil
		seen := d.admin("GET", "/overview?days=30", "")
		require.Equal(t, 200, seen.Code, seen.text())
		require.Less(t, len(d.state.operations), 50)
		return seen
	}
	require.Equal(t, "35", ask().get("behind").Raw)
	require.Greater(t, len(d.state.operations), 20)
	require.Equal(t, "20", ask().get("behind").Raw)
	require.Equal(t, "5", ask().get("behind").Raw)
	seen := ask()
	require.Equal(t, "0 true", seen.get("behind").Raw+" "+seen.get("more").Raw, "older usage is searched")
	_, err := d.store.Batch(totals.Object, []store.Statement{{SQL: "UPDATE total_search SET done = 1"}})
	require.NoError(t, err)
	seen = ask()
	require.Equal(t, "false", seen.get("more").Raw)
	require.LessOrEqual(t, len(d.state.operations), 2+20)
	require.Equal(t, n.perDay*int64(n.endpoints), seen.get("today.requests").Int())
	require.Len(t, seen.get("days").Array(), n.days)
	require.Equal(t, `"e0999"`, seen.get("endpoints.0.endpoint").Raw)
	require.Len(t, seen.get("endpoints").Array(), 10)
}

// TestOverviewAfterUpgrade: the usage of an earlier version is in the overview.
func TestOverviewAfterUpgrade(t *testing.T) {
	t.Parallel()
	d, _ := upgraded(t)
	seen := d.admin("GET", "/overview", "")
	for range 5 {
		seen = d.admin("GET", "/overview", "")
	}
	require.Equal(t, "false", seen.get("more").Raw, seen.text())
	require.Contains(t, seen.get("endpoints.#.endpoint").Raw, "anna", seen.text())
	usage := d.admin("GET", "/endpoints/anna/usage", "")
	require.Equal(t, usage.get("days.0.requests").Int(), seen.get(`endpoints.#(endpoint="anna").requests`).Int())
}
