package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ownerAPI: a key of an endpoint shows the endpoint without the values of headers, and can be
// replaced.
func ownerAPI(t *testing.T, d *description) {
	a := administer(t, d, nil)
	header := "sk-secret-of-header"
	made := a.create("owner", object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": a.secret("owner"), "headers": object{"x-title": header}})},
		"key": object{"label": "mine", "expires": 4000000000}})
	key := made.get("key").Str
	a.secrets[header] = true // the answers of the Admin API may show headers, those of the owner API may not
	before := a.stored("owner")
	a.expect(401, "GET", "/u/owner/api", nil, none)
	own := a.expect(200, "GET", "/u/owner/api", nil, none, "X-Api-Key: "+key)
	require.JSONEq(t, encoded(list{upstreamObject("chat", "up.test", object{"headers": list{"x-title"}})}),
		own.get("upstreams").Raw)
	require.JSONEq(t, encoded(object{"id": idOf(made, 0), "label": "mine", "created": made.get("keys.0.created").Int(),
		"expires": 4000000000}), own.get("own_key").Raw)
	for _, wrong := range []string{adminKey, "el_owner_" + strings.Repeat("x", 43)} {
		a.expect(401, "GET", "/u/owner/api", nil, bearer(wrong))
	}
	require.JSONEq(t, a.expect(401, "GET", "/u/owner/api", nil, bearer("x")).text(),
		a.expect(401, "GET", "/u/nobody/api", nil, bearer(key)).text())
	for _, body := range []object{{"label": "x"}, {"grace": -1}, {"expires": nil}, {"grace": 1e9}} {
		a.expect(400, "POST", "/u/owner/api/rotate", body, bearer(key))
	}
	a.expect(405, "PATCH", "/u/owner/api", object{"disabled": true}, bearer(key))
	a.expect(405, "DELETE", "/u/owner/api", nil, bearer(key))
	a.expect(405, "GET", "/u/owner/api/rotate", nil, bearer(key))
	require.Equal(t, 404, a.ask("GET", "/k/"+key+"/api", "", none).Code)
	require.Equal(t, before, a.stored("owner"))

	rotated := a.expect(200, "POST", "/u/owner/api/rotate", nil, bearer(key))
	fresh := rotated.get("key").Str
	require.Equal(t, "mine", rotated.get("own_key.label").Str)
	require.EqualValues(t, 4000000000, rotated.get("own_key.expires").Int(),
		"a new key does not live longer than the old one")
	require.Equal(t, 401, a.converse("owner", key).Code)
	require.Equal(t, 200, a.converse("owner", fresh).Code)
	a.expect(401, "POST", "/u/owner/api/rotate", nil, bearer(key))

	// not by call, since the answer shows the header
	shown := a.admin("POST", "/endpoints/owner/keys", `{"label":"second"}`)
	require.Contains(t, shown.text(), header)
	require.Equal(t, 200, a.admin("PATCH", "/endpoints/owner", `{"disabled":true}`).Code)
	a.expect(403, "GET", "/u/owner/api", nil, bearer(fresh))
	a.expect(403, "POST", "/u/owner/api/rotate", nil, bearer(fresh))
	a.plant("owner", "{")
	a.expect(401, "GET", "/u/owner/api", nil, bearer(fresh))
}

// rotationsOfAnOwner: an owner replaces the own key only, while there are fewer than 16 keys, and
// not all the time.
func rotationsOfAnOwner(t *testing.T, d *description) {
	a := administer(t, d, nil)
	first := a.create("owner", nil).get("key").Str
	other := a.expect(201, "POST", endpoints+"/owner/keys", object{"label": "other"}).get("key").Str
	a.expect(200, "POST", "/u/owner/api/rotate", object{"grace": 3600}, bearer(other))
	for _, good := range []string{first, other} {
		require.Equal(t, 200, a.converse("owner", good).Code)
	}
	for range 13 {
		a.expect(201, "POST", endpoints+"/owner/keys", nil)
	}
	a.expect(409, "POST", "/u/owner/api/rotate", object{"grace": 3600}, bearer(other))
	last := other
	for range 3 {
		last = a.expect(200, "POST", "/u/owner/api/rotate", nil, bearer(last)).get("key").Str
	}
	before := a.stored("owner")
	a.expect(429, "POST", "/u/owner/api/rotate", nil, bearer(last))
	for _, got := range atOnce(20, func(int) *answer {
		return a.ask("POST", "/u/owner/api/rotate", "",
			bearer(last))
	}) {
		require.Equal(t, 429, got.Code, got.text())
		require.Regexp(t, "^([4-9]|[1-9][0-9])[0-9]{3}$", got.Header().Get("Retry-After"),
			"more than an hour")
		require.Contains(t, got.get("error.message").Str, "operator")
	}
	require.Equal(t, before, a.stored("owner"))
	require.Equal(t, 200, a.converse("owner", last).Code)
	a.expect(200, "POST", endpoints+"/owner/rotate", object{}) // the operator may, at any time
	require.Equal(t, 401, a.converse("owner", last).Code)
}
