package serve_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/store"
)

// TestRightKeyAmongWrongOnes: wrong keys are refused by their number, but a neighbour's wrong keys,
// from the same address or from all addresses, never keep the right ADMIN_KEY out.
func TestRightKeyAmongWrongOnes(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	try := func(key, address string) (status int, wait string) {
		a := d.ask("GET", endpoints, "", bearer(key), "Cf-Connecting-Ip: "+address)
		return a.Code, a.Header().Get("Retry-After")
	}
	for i := range 20 {
		status, wait := try("wrong-"+strconv.Itoa(i), "192.0.2.1")
		if i < 10 {
			require.Equal(t, 401, status)
		} else {
			require.Equal(t, list{429, "60"}, list{status, wait})
		}
	}
	for range 15 {
		status, _ := try(adminKey, "192.0.2.1")
		require.Equal(t, 200, status)
	}
	for i := range 100 {
		try("wrong", "198.51.100."+strconv.Itoa(i))
	}
	status, _ := try("wrong", "203.0.113.1")
	require.Equal(t, 429, status, "the limit of all addresses")
	for _, address := range []string{"203.0.113.1", "192.0.2.1", ""} {
		status, _ = try(adminKey, address)
		require.Equal(t, 200, status)
	}
	opened := d.admin("POST", "/session", "", "X-Edgelingua-Page: https://edge.test",
		"Origin: https://edge.test", "Cf-Connecting-Ip: 203.0.113.1")
	assert.Equal(t, 201, opened.Code)
	d.later(time.Minute)
	status, _ = try("wrong", "203.0.113.1")
	assert.Equal(t, 401, status)
}

// TestRightKeyAsksNothing: the right ADMIN_KEY is accepted without the object that counts wrong ones.
func TestRightKeyAsksNothing(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.batch = func(object string, _ []store.Statement) error {
		assert.NotEqual(t, "sessions", object)
		return nil
	}
	assert.Equal(t, 200, d.ask("GET", endpoints, "", bearer(adminKey)).Code)
}

// TestSessionsOfEarlierVersions: the table of an earlier version has a column of addresses.
func TestSessionsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	_, err := d.store.Batch("sessions", []store.Statement{{SQL: "CREATE TABLE session (" +
		"id TEXT PRIMARY KEY, holder TEXT, key TEXT, address TEXT, opened INTEGER, ended INTEGER) WITHOUT ROWID"}})
	require.NoError(t, err)
	page := []string{"X-Edgelingua-Page: https://edge.test", "Origin: https://edge.test"}
	a := d.admin("POST", "/session", "", page...)
	require.Equal(t, 201, a.Code, a.text())
	cookie, err := http.ParseSetCookie(a.Header().Get("Set-Cookie"))
	require.NoError(t, err)
	mine := append(page, "Authorization: ", "Cookie: "+cookie.Name+"="+cookie.Value)
	a = d.ask("GET", endpoints, "", mine...)
	assert.Equal(t, 200, a.Code, a.text())
}
