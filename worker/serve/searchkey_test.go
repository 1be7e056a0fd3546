package serve_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// providerKey is the key of a search provider. No answer may contain the key.
const providerKey = "key-of-the-provider-0123456789"

// call asks the Admin API, and checks the status.
func (d *deployment) call(t *testing.T, status int, method, path, body string) *answer {
	t.Helper()
	a := d.admin(method, path, body)
	require.Equal(t, status, a.Code, a.text())
	assert.NotContains(t, a.text(), providerKey)
	return a
}

// searcher returns the record of an endpoint with an option web_search.
func searcher(name string, search object) string {
	return encoded(object{"name": name, "upstreams": list{object{"name": "a", "protocol": "chat",
		"url": "https://up.test/v1"}}, "options": object{"web_search": search}})
}

// TestSearchKeySealed seals the key of a provider, and never shows the key.
func TestSearchKeySealed(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	made := d.call(t, 201, "POST", "/endpoints",
		searcher("anna", object{"provider": "brave", "key": providerKey, "max_uses": 3}))
	assert.JSONEq(t, `["web_search"]`, made.get("sealed_keys").Raw)
	assert.JSONEq(t, `{"web_search":{"provider":"brave","max_uses":3}}`, made.get("options").Raw)
	sealed := func() string {
		record, _, found, err := d.store.Get("endpoint:anna")
		require.NoError(t, err)
		require.True(t, found)
		assert.NotContains(t, string(record), providerKey)
		return gjson.GetBytes(record, "options.web_search.key").Str
	}
	assert.Regexp(t, `^v1\.`, sealed())
	d.call(t, 200, "PATCH", "/endpoints/anna", `{"options":{"loop_guard":"off"}}`)
	assert.Regexp(t, `^v1\.`, sealed())
	wrong := d.call(t, 400, "PATCH", "/endpoints/anna", `{"options":{"web_search":{"provider":"exa"}}}`)
	assert.Equal(t, "options.web_search.key", wrong.get("error.path").Str, "the key of another provider")
	gone := d.call(t, 200, "PATCH", "/endpoints/anna", `{"options":{"web_search":null}}`)
	assert.JSONEq(t, `[]`, gone.get("sealed_keys").Raw)
	assert.JSONEq(t, `{"loop_guard":"off"}`, gone.get("options").Raw)
}

// TestSearchKeyTested tests each provider with its key, and reports the problem.
func TestSearchKeyTested(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		provider, host, path, header, ok string
		status                           int
		wrong, problem                   string
	}{
		{"brave", "api.search.brave.com", "/res/v1/web/search", "X-Subscription-Token",
			`{"web":{"results":[]}}`, 422,
			`{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"` + providerKey + `"}}`,
			"brave answered 422: it does not take the key"},
		{"tavily", "api.tavily.com", "/search", "Authorization", `{"results":[]}`, 432,
			`{"detail":{"error":"` + providerKey + `"}}`, "tavily answered 432: the plan's quota is used up"},
		{"exa", "api.exa.ai", "/search", "X-Api-Key", `{"results":[]}`, 429,
			`{"error":"` + providerKey + `"}`, "exa answered 429: too many requests"},
	} {
		t.Run(test.provider, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			d.call(t, 201, "POST", "/endpoints",
				searcher(test.provider, object{"provider": test.provider, "key": providerKey}))
			ask := func() *answer {
				return d.call(t, 200, "POST", "/endpoints/"+test.provider+"/test",
					`{"upstream":"web_search"}`)
			}
			d.upstreams[test.host] = says(200, test.ok)
			good := ask()
			assert.Equal(t, list{"web_search", true, 200.0},
				list{good.get("upstream").Value(), good.get("ok").Value(), good.get("status").Value()})
			asked := d.last()
			assert.Equal(t, test.path, asked.URL.Path)
			if test.header == "Authorization" {
				assert.Equal(t, "Bearer "+providerKey, asked.Header.Get("Authorization"))
			} else {
				assert.Equal(t, providerKey, asked.Header.Get(test.header))
			}
			for _, name := range []string{"Cookie", "X-Request-Id", "Authorization", "X-Api-Key"} {
				if name != test.header {
					assert.NotContains(t, asked.Header, name)
				}
			}
			d.upstreams[test.host] = says(test.status, test.wrong)
			bad := ask()
			assert.Equal(t, list{false, float64(test.status)},
				list{bad.get("ok").Value(), bad.get("status").Value()})
			assert.Contains(t, bad.get("problem").Str, test.problem)
		})
	}
}

// TestSearXNG asks a SearXNG on a private address, without a key.
func TestSearXNG(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"ALLOW_HTTP_UPSTREAM": "true"})
	d.call(t, 201, "POST", "/endpoints", searcher("searx",
		object{"provider": "searxng", "url": "http://127.0.0.1:8080/searx/"}))
	for _, test := range []struct {
		up      upstream
		ok      bool
		status  float64
		problem string
	}{
		{says(200, `{"results":[{"url":"https://a.example/","title":"a"}]}`), true, 200, ""},
		{says(403, "<html>"), false, 403, "Add json to search.formats"},
		{func(*sent) *reply {
			return &reply{status: 302, header: map[string]string{"Location": "http://127.0.0.1:1/"},
				chunks: []string{""}}
		}, false, 302, "a redirect, which is not followed"},
		{says(200, strings.Repeat("x", 3<<20)), false, 200, "too large"},
		{func(*sent) *reply { return &reply{err: syscall.ECONNRESET} }, false, 0, "searxng can't be reached"},
	} {
		d.upstreams["127.0.0.1:8080"] = test.up
		a := d.call(t, 200, "POST", "/endpoints/searx/test", `{"upstream":"web_search"}`)
		assert.Equal(t, list{test.ok, test.status}, list{a.get("ok").Value(), a.get("status").Value()},
			a.text())
		assert.Contains(t, a.get("problem").Str, test.problem)
		assert.Equal(t, "/searx/search?format=json&q=edgelingua", d.last().URL.RequestURI())
		assert.NotContains(t, d.last().Header, "Authorization")
	}
	assert.Len(t, d.requests(), 5, "a redirect is not followed")
	assert.Equal(t, "upstream", d.call(t, 400, "POST", "/endpoints/searx/models",
		`{"upstream":"web_search"}`).get("error.path").Str)
	d.call(t, 201, "POST", "/endpoints",
		`{"name":"none","upstreams":[{"name":"a","protocol":"chat","url":"https://up.test/v1"}]}`)
	assert.Contains(t, d.call(t, 400, "POST", "/endpoints/none/test",
		`{"upstream":"web_search"}`).get("error.message").Str, "no option web_search")
}
