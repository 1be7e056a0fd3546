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
