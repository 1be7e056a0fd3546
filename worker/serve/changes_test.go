package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// auditOfChanges has who changed which settings, and no value. The list is bounded, and outlives the
// endpoint.
func auditOfChanges(t *testing.T, d *description) {
	a := administer(t, d, nil)
	made := a.create("audited", object{"key": object{"label": "laptop"}})
	one := endpoints + "/audited"
	last := func(want string) {
		t.Helper()
		list := a.expect(200, "GET", one+"/changes", nil).get("changes")
		require.LessOrEqual(t, list.Get("#").Int(), int64(50))
		entry := list.Get("0")
		require.Equal(t, a.now().Unix(), entry.Get("time").Int())
		var settings []string
		for _, name := range entry.Get("settings").Array() {
			settings = append(settings, name.Str)
		}
		require.Equal(t, want, strings.Join([]string{entry.Get("who").Str, entry.Get("action").Str,
			strings.Join(settings, ",")}, " "))
	}
	last("operator create upstreams,usage")
	change := func(body object) { a.expect(200, "PATCH", one, body) }
	change(object{"limits": object{"usd_per_day": 5, "requests_per_minute": 9},
		"prices": object{"secret-model": object{
			"input": 1, "output": 2}}})
	last("operator change limits.requests_per_minute,limits.usd_per_day,prices")
	change(object{"limits": object{"usd_per_day": nil, "requests_per_minute": 9},
		"options": object{"strict": "off"}})
	last("operator change limits.usd_per_day,options.strict")
	a.later(60e9)
	change(object{"upstreams": list{upstreamObject("chat", "up.test", object{"key": a.secret("audit")})}})
	last("operator change upstreams")
	change(object{"upstreams": list{upstreamObject("chat", "up.test", object{"key": a.secret("audit2")})}})
	last("operator change upstreams")
	a.upstreams["hooks.test"] = says(200, "{}")
	secret := a.expect(200, "PATCH", one, object{"alerts": object{"url": hookURL}}).get("alert_secret").Str
	a.secrets[secret], a.secrets["s3cret"] = true, true
	last("operator change alerts.host,alerts.url")
	change(object{})
	last("operator change ")
	a.expect(400, "PATCH", one, object{"limits": object{"nothing": 1}})
	last("operator change ")
	view := a.expect(201, "POST", one+"/keys", object{"label": "phone"})
	last("operator add_key ")
	key := one + "/keys/" + idOf(view, 1)
	a.expect(200, "PATCH", key, object{"limits": object{"usd_per_day": 1}})
	last("operator change_key ")
	a.expect(200, "DELETE", key, nil)
	last("operator revoke_key ")
	entry := a.expect(200, "GET", one+"/changes", nil).get("changes.0")
	require.Equal(t, idOf(view, 1), entry.Get("subject").Str)
	a.expect(200, "POST", "/u/audited/api/rotate", nil, bearer(made.get("key").Str))
	last("owner rotate ")
	entry = a.expect(200, "GET", one+"/changes", nil).get("changes.0")
	require.Equal(t, idOf(made, 0)+" laptop", entry.Get("key").Str+" "+entry.Get("label").Str)
	a.expect(200, "POST", one+"/rotate", nil)
	last("operator rotate ")
	for range 60 {
		change(object{"head_wait": 5})
		change(object{"head_wait": nil})
	}
	last("operator change head_wait")
	require.Equal(t, int64(50), a.expect(200, "GET", one+"/changes", nil).get("changes.#").Int())
	a.expect(204, "DELETE", one, nil)
	a.expect(404, "GET", one+"/changes", nil)
	a.create("audited", nil)
	var actions []string
	for _, entry := range a.expect(200, "GET", one+"/changes", nil).get("changes").Array()[:3] {
		actions = append(actions, entry.Get("action").Str)
	}
	require.Equal(t, []string{"create", "delete", "change"}, actions)
}
