package serve_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplacedKeyInCopies: a location whose copy of the record is older than the replacement of a key
// does not renew the key's spent budget.
func TestReplacedKeyInCopies(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(withLog + ownPrices + `,` + oneUpstream("chat"))
	one := e.addKey(`{"usd_per_day":0.3}`)
	for range 2 {
		require.Equal(t, 200, one.ask("chat", asking{}).Code)
	}
	restore := d.copies(e.name)
	a := d.ask("POST", "/u/"+one.name+"/api/rotate", `{"grace":3600}`, bearer(one.key))
	require.Equal(t, 200, a.Code)
	current := d.copies(e.name)
	restore()
	require.Equal(t, 429, one.ask("chat", asking{}).Code)

	current()
	seen := d.ask("GET", "/u/"+one.name+"/api/usage?by=hour", "", bearer(a.get("key").Str))
	id := hashOf(a.get("key").Str)[:8]
	require.JSONEq(t, `["`+id+`"]`, seen.get("hours.#.key").Raw, seen.text())
	require.JSONEq(t, `["`+id+`"]`, seen.get("refused.#.key").Raw, seen.text())
	require.Len(t, d.ask("GET", "/u/"+one.name+"/api/requests", "", bearer(a.get("key").Str)).
		get("requests").Array(), 2)
}

// TestReplacedKeyOfOperator: the operator sees which key has replaced another one, finds the requests by
// either id, and sets the limits of both at once.
func TestReplacedKeyOfOperator(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(withLog + oneUpstream("chat"))
	one := e.addKey(`{"requests_per_minute":9}`)
	require.Equal(t, 200, one.ask("chat", asking{}).Code)
	a := d.ask("POST", "/u/"+one.name+"/api/rotate", `{"grace":3600}`, bearer(one.key))
	require.Equal(t, 200, a.Code)
	next := &ownEndpoint{d, e.name, a.get("key").Str}
	require.Equal(t, next.account(), a.get("own_key.id").Str)
	own := d.ask("GET", "/u/"+one.name+"/api", "", bearer(one.key))
	require.Equal(t, next.account(), own.get("own_key.id").Str, "of the key that is counted")

	keys := d.admin("GET", "/endpoints/"+e.name, "").get("keys")
	require.Equal(t, next.account(), keys.Get("1.counted_as").Str, keys.Raw)
	require.False(t, keys.Get("2.counted_as").Exists())
	for _, id := range []string{one.account(), next.account()} {
		require.Len(t, d.admin("GET", "/endpoints/"+e.name+"/requests?key="+id, "").get("requests").Array(), 1)
	}
	for i, id := range []string{one.account(), next.account()} {
		limits := `{"requests_per_minute":` + string('1'+rune(i)) + `}`
		changed := d.admin("PATCH", "/endpoints/"+e.name+"/keys/"+id, `{"limits":`+limits+`}`)
		require.Equal(t, 200, changed.Code, changed.text())
		require.JSONEq(t, "["+limits+","+limits+"]", changed.get("keys.#.limits").Raw)
	}
}
