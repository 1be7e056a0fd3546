package serve_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func usageOfAnEndpoint(t *testing.T, d *description) {
	a := administer(t, d, nil)
	key := a.create("usage", object{"usage": true}).get("key").Str
	own := "/u/usage/api/usage"
	kept := a.expect(200, "GET", own, nil, bearer(key)).text()
	require.JSONEq(t, `{"usage":true,"days":[],"errors":[],"requests":[],"lost":[],"refused":[],"limits":{}}`, kept)
	require.JSONEq(t, kept, a.expect(200, "GET", endpoints+"/usage/usage?days=90", nil).text())
	a.expect(400, "GET", own+"?days=91", nil, bearer(key))
	a.expect(400, "GET", endpoints+"/usage/usage?days=0", nil)
	a.expect(404, "GET", endpoints+"/nobody/usage", nil)
	a.expect(401, "GET", own, nil)
	a.expect(200, "PATCH", endpoints+"/usage", object{"disabled": true})
	a.expect(403, "GET", own, nil, bearer(key))
}

func healthOfEndpoints(t *testing.T, d *description) {
	a := administer(t, d, nil)
	health := "/admin/api/health"
	a.create("counts", nil)
	a.create("counts-not", object{"usage": false})
	some := a.expect(200, "GET", health+"?name=counts&name=counts-not&name=nobody", nil)
	require.JSONEq(t, `[{"name":"counts","days":[],"last_used":null,"upstreams":[{"name":"up","state":"ok"}]},
		{"name":"counts-not","days":[],"last_used":null,"upstreams":[{"name":"up","state":"unknown"}]},
		{"name":"nobody","days":[],"last_used":null,"upstreams":[]}]`, some.get("endpoints").Raw)
	for i := range 21 {
		a.create("e"+strconv.Itoa(i), nil)
	}
	var seen []string
	for cursor, more := "", true; more; {
		page := a.expect(200, "GET", health+"?cursor="+cursor, nil)
		require.LessOrEqual(t, len(page.get("endpoints").Array()), 20)
		for _, e := range page.get("endpoints").Array() {
			require.NotContains(t, seen, e.Get("name").Str)
			seen = append(seen, e.Get("name").Str)
		}
		cursor, more = page.get("cursor").Str, page.get("cursor").Exists()
	}
	require.Contains(t, seen, "counts")
	require.Len(t, seen, 23)
	a.expect(400, "GET", health+"?"+strings.Repeat("name=a&", 21), nil)
	a.expect(400, "GET", health+"?name=..%2F", nil)
	a.expect(401, "GET", health, nil, none)
}

func overviewOfAll(t *testing.T, d *description) {
	a := administer(t, d, nil)
	overview := "/admin/api/overview"
	key := a.create("counts", object{"upstreams": list{upstreamObject("chat", "up.test", nil)}}).get("key").Str
	a.upstreams["up.test"] = says(401, `{"error":{"message":"no"}}`)
	for range 3 {
		a.ask("POST", "/u/counts/v1/chat/completions", `{"model":"m","messages":[]}`, bearer(key))
	}
	seen := a.expect(200, "GET", overview, nil)
	require.EqualValues(t, 3, seen.get("today.requests").Int(), seen.text())
	day := seen.get("today.day").Str
	require.Len(t, a.expect(200, "GET", overview+"?from="+day+"&to="+day, nil).get("days").Array(), 1)
	require.Empty(t, a.expect(200, "GET", overview+"?from=2020-02-31&to=2020-03-01", nil).get("days").Array())
	for _, query := range []string{"days=0", "days=91", "from=" + day, "from=2026-1-01&to=" + day,
		"from=" + day + "&to=2026-11-2a", "from=" + day + "&to=2026-11-21T00:00"} {
		a.expect(400, "GET", overview+"?"+query, nil)
		a.expect(400, "GET", endpoints+"/counts/usage?"+query, nil)
	}
	a.expect(400, "GET", endpoints+"/counts/usage?by=minute", nil)
	hours := a.expect(200, "GET", endpoints+"/counts/usage?days=1&by=hour", nil)
	require.EqualValues(t, 3, hours.get("hours.0.requests").Int(), hours.text())
	require.NotZero(t, hours.get("days.0.last_used").Int())
	a.expect(401, "GET", overview, nil, none)
	a.expect(401, "GET", overview, nil, bearer(key))
}

func probeOfAnUpstream(t *testing.T, d *description) {
	a := administer(t, d, nil)
	one := endpoints + "/probe/test"
	key := a.secret("probe")
	a.create("probe", object{"upstreams": list{upstreamObject("chat", "up.test", object{"key": key}),
		object{"name": "b", "protocol": "anthropic", "url": "https://gone.test", "key": a.secret("gone")}}})
	up := object{"upstream": "up"}
	good := a.expect(200, "POST", one, up)
	require.True(t, good.get("ok").Bool())
	require.EqualValues(t, 200, good.get("status").Int())
	require.False(t, good.get("problem").Exists())
	asked := a.last()
	require.Equal(t, []string{"GET", "/v1/models", "Bearer " + key}, []string{asked.Method,
		asked.URL.RequestURI(), asked.Header.Get("Authorization")})
	a.expect(200, "POST", one, object{"upstream": "up", "model": "org/a?b"})
	require.Equal(t, "/v1/models/org%2Fa%3Fb", a.last().URL.RequestURI())
	for _, test := range []struct {
		status        int
		body, problem string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: ` + key + `."}}`,
			`Incorrect API key provided: \[key\]`},
		{302, "", "redirect"},
		{200, "<html>", "no JSON"},
		{503, "", "no more than its status"},
	} {
		a.upstreams["up.test"] = func(*sent) *reply {
			return &reply{status: test.status, header: map[string]string{"Location": "https://other.test/"},
				chunks: []string{test.body}}
		}
		bad := a.expect(200, "POST", one, up)
		require.False(t, bad.get("ok").Bool())
		require.EqualValues(t, test.status, bad.get("status").Int())
		require.Regexp(t, test.problem, bad.get("problem").Str)
	}
	silent := a.expect(200, "POST", one, object{"upstream": "b"})
	require.False(t, silent.get("ok").Bool())
	require.EqualValues(t, 0, silent.get("status").Int())
	require.Contains(t, silent.get("problem").Str, "can't be reached")
	a.refused(400, "upstream", "one of the endpoint's upstreams", "POST", one, nil)
	a.expect(404, "POST", endpoints+"/nobody/test", nil)
	a.expect(200, "PATCH", endpoints+"/probe", object{"upstreams": list{upstreamObject("chat", "up.test",
		object{"key": "shortkey"})}})
	a.upstreams["up.test"] = says(401, `{"error":{"message":"the key shortkey is wrong"}}`)
	require.NotContains(t, a.expect(200, "POST", one, nil).text(), "shortkey")
	require.NotContains(t, a.askedHosts(), "other.test", "no redirect is followed")
}

// askedHosts returns the hosts of the requests to upstreams.
func (d *deployment) askedHosts() (hosts []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, sent := range d.asked {
		hosts = append(hosts, sent.URL.Host)
	}
	return hosts
}

// offers is an upstream whose list of models has odd names, including a name over the limit.
func offers(r *sent) *reply {
	return says(200, encoded(object{"object": "list", "data": list{
		object{"id": "b-model", "object": "model"}, object{"id": "a\"\\\u2028", "object": "model"},
		object{"id": "\U0001f600", "object": "model"},
		object{"id": "echo " + r.Header.Get("Authorization")}, object{"id": strings.Repeat("x", 257)}}}))(r)
}

func draft(upstreams ...any) object { return object{"draft": object{"upstreams": upstreams}} }

func modelsOfAnUpstream(t *testing.T, d *description) {
	a := administer(t, d, nil)
	at := endpoints + "/offer"
	key := a.secret("offer")
	a.upstreams["up.test"], a.upstreams["other.test"] = offers, offers
	a.create("offer", object{"upstreams": list{upstreamObject("chat", "up.test", object{"key": key})}})
	before := a.stored("offer")
	models := a.expect(200, "POST", at+"/models", nil)
	require.Equal(t, list{"b-model", "a\"\\\u2028", "\U0001f600", "echo Bearer [key]"},
		models.get("models").Value())
	require.Len(t, a.asked, 1)
	require.Equal(t, "GET /v1/models", a.last().Method+" "+a.last().URL.RequestURI())
	require.Equal(t, "Bearer "+key, a.last().Header.Get("Authorization"))
	// A draft uses the stored key only for the same host.
	deeper := a.expect(200, "POST", at+"/models", draft(upstreamObject("chat", "up.test/v1/deeper",
		object{"url": "https://up.test/v1/deeper"})))
	require.Len(t, deeper.get("models").Array(), 4)
	require.Equal(t, "/v1/deeper/models", a.last().URL.RequestURI())
	require.Equal(t, "Bearer "+key, a.last().Header.Get("Authorization"))
	for _, what := range []string{"models", "test"} {
		a.refused(400, "upstreams[0].key", "leads to another host", "POST", at+"/"+what,
			draft(upstreamObject("chat", "other.test", nil)))
		a.refused(400, "auth", "must be", "POST", at+"/"+what, object{"draft": object{"auth": "none"}})
		a.refused(400, "rev", "no field", "POST", at+"/"+what, object{"draft": object{"rev": 1}})
		a.expect(404, "POST", endpoints+"/nobody/"+what, draft(upstreamObject("chat", "other.test", nil)))
	}
	require.NotContains(t, a.askedHosts(), "other.test")
	fresh := a.secret("fresh")
	second := upstreamObject("chat", "other.test", object{"name": "b", "key": fresh})
	for _, test := range []struct {
		path string
		body object
	}{
		{at + "/test", object{"upstream": "b", "draft": draft(upstreamObject("chat", "up.test", nil),
			second)["draft"]}},
		{"/admin/api/test", object{"upstream": "b", "draft": object{"name": "never",
			"key": object{"label": "x"}, "upstreams": list{upstreamObject("chat", "up.test", nil), second}}}},
		{"/admin/api/models", draft(second)},
	} {
		got := a.expect(200, "POST", test.path, test.body)
		require.True(t, got.get("ok").Bool())
		if strings.HasSuffix(test.path, "models") {
			require.Len(t, got.get("models").Array(), 4)
		} else {
			require.False(t, got.get("models").Exists())
		}
		require.Equal(t, "other.test Bearer "+fresh,
			a.last().URL.Host+" "+a.last().Header.Get("Authorization"))
	}
	a.expect(200, "POST", "/admin/api/models", draft(upstreamObject("chat", "other.test",
		object{"key": nil})))
	require.Empty(t, a.last().Header.Get("Authorization"))
	// clients bring their keys
	a.expect(200, "POST", at+"/models", object{"draft": object{"auth": "forward"}})
	require.Empty(t, a.last().Header.Get("Authorization"))
	require.Equal(t, "up.test", a.last().URL.Host)
	require.Equal(t, before, a.stored("offer"))
	require.Empty(t, a.stored("never"))
	require.Empty(t, a.stored("draft"))
}

// drafts are refused, or their upstreams fail.
func drafts(t *testing.T, d *description) {
	a := administer(t, d, nil)
	fresh := a.secret("fresh")
	with := func(more object) object { return draft(upstreamObject("chat", "other.test", more)) }
	for _, test := range []struct {
		status        int
		body, problem string
	}{{302, "", "redirect"}, {401, `{"error":{"message":"no ` + fresh + `"}}`, `no \[key\]`}, {200, "<html>",
		"no JSON"}, {200, `{"data":"m"}`, "no list of models"}} {
		a.upstreams["other.test"] = func(*sent) *reply {
			return &reply{status: test.status,
				header: map[string]string{"Location": "https://up.test/v1/models"},
				chunks: []string{test.body}}
		}
		bad := a.expect(200, "POST", "/admin/api/models", with(object{"key": fresh}))
		require.False(t, bad.get("ok").Bool())
		require.EqualValues(t, test.status, bad.get("status").Int())
		require.False(t, bad.get("models").Exists())
		require.Regexp(t, test.problem, bad.get("problem").Str)
	}
	require.NotContains(t, a.askedHosts(), "up.test", "no redirect is followed")
	a.create("offer", nil)
	for _, path := range draftPaths {
		a.refused(400, "draft", "missing", "POST", path, nil)
		a.refused(400, "draft", "must be an object", "POST", path, object{"draft": "x"})
		other := with(nil)
		other["upstream"] = "c"
		a.refused(400, "upstream", "one of the endpoint's upstreams", "POST", path, other)
		a.refused(400, "upstreams[0].headers", "authorization", "POST", path,
			with(object{"headers": object{"authorization": "x"}}))
		a.expect(401, "POST", path, with(nil), none)
		a.expect(413, "POST", path, object{"draft": object{"options": object{"guidance": strings.Repeat("x",
			256<<10)}}})
	}
	a.refused(400, "model", "no field", "POST", endpoints+"/offer/models", object{"model": "m"})
}

// deploymentsOwn: CLIENT_KEY shows the deployment's own endpoint.
func deploymentsOwn(t *testing.T, d *description) {
	upstreamKey := "sk-secret-of-deployment"
	a := administer(t, d, map[string]string{"UPSTREAM_KEY": upstreamKey, "USAGE": "false", "ADMIN_KEY": ""})
	a.secrets[upstreamKey] = true
	got := a.expect(200, "GET", "/api", nil, bearer(clientKey))
	require.JSONEq(t,
		`{"setup":"upstream: chat https://up.test/v1 (key set), clients need a key",`+
			`"upstreams":[{"protocol":"chat","url":"https://up.test/v1"}]}`, got.text())
	for _, wrong := range []string{"", "wrong", upstreamKey} {
		a.expect(401, "GET", "/api", nil, bearer(wrong))
	}
	foreign := a.expect(403, "GET", "/api", nil, bearer(clientKey), "Origin: https://evil.example")
	require.Contains(t, foreign.get("error.message").Str, "other sites")
	require.Equal(t, "GET", a.expect(405, "POST", "/api", nil, bearer(clientKey)).Header().Get("Allow"))

	forward := administer(t, d, map[string]string{"AUTH": "forward", "CLIENT_KEY": "", "UPSTREAM_KEY": ""})
	require.NotContains(t, forward.expect(403, "GET", "/api", nil, bearer(clientKey)).text(), "up.test")
	forward.expect(403, "GET", "/api/usage", nil, bearer(clientKey))
	placeholder := administer(t, d, map[string]string{"CLIENT_KEY": "choose-a-long-random-key"})
	placeholder.expect(500, "GET", "/api", nil, bearer(clientKey))
	placeholder.expect(500, "GET", "/api/usage", nil, bearer(clientKey))
}

func deploymentsUsage(t *testing.T, d *description) {
	upstreamKey := "sk-secret-of-deployment"
	a := administer(t, d, map[string]string{"UPSTREAM_KEY": upstreamKey, "USAGE": "true",
		"REQUEST_LOG": "3600"})
	a.secrets[upstreamKey] = true
	own := bearer(clientKey)
	require.True(t, a.expect(200, "GET", "/api", nil, own).get("usage").Bool())
	require.JSONEq(t, "[]", a.expect(200, "GET", "/api/usage", nil, own).get("days").Raw)
	a.upstreams["up.test"] = says(200,
		`{"id":"c","object":"chat.completion","created":1,"model":"gpt-5.5","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1010}}`)
	asked := a.ask("POST", "/v1/messages", strings.ReplaceAll(strings.Replace(messagesBody, `"m"`,
		`"gpt-5.5"`, 1), `"hi"`, `"a-text-of-the-prompt"`))
	require.Equal(t, 200, asked.Code, asked.text())
	require.NotEmpty(t, asked.Header().Get("x-edgelingua-cost"))
	kept := a.expect(200, "GET", "/api/usage?days=1", nil, own)
	require.Len(t, kept.get("days").Array(), 1)
	day := kept.get("days.0")
	require.Equal(t, list{"gpt-5.5", "", "", 1., 0., 1000., 10.}, list{day.Get("model").Value(),
		day.Get("key").Value(), day.Get("upstream").Value(),
		day.Get("requests").Value(), day.Get("errors").Value(), day.Get("input").Value(),
		day.Get("output").Value()})
	require.Len(t, kept.get("requests").Array(), 1)
	require.Equal(t, list{"gpt-5.5", 0.}, list{kept.get("requests.0.model").Value(),
		kept.get("requests.0.status").Value()})
	require.NotContains(t, kept.text(), "a-text-of-the-prompt")
	require.NotContains(t, kept.text(), clientKey)
	for _, wrong := range []string{"", "wrong", upstreamKey} {
		a.expect(401, "GET", "/api/usage", nil, bearer(wrong))
	}
	a.expect(403, "GET", "/api/usage", nil, own, "Origin: https://evil.example")
	a.expect(400, "GET", "/api/usage?days=0", nil, own)
	uncounted := administer(t, d, nil)
	require.JSONEq(t, `{"usage":false,"days":[],"errors":[],"requests":[],"lost":[],"refused":[],"limits":{}}`,
		uncounted.expect(200, "GET", "/api/usage", nil, own).text())
}

func noAdmin(t *testing.T, d *description) {
	a := administer(t, d, nil)
	a.create("mine", nil)
	before := a.names()
	foreign := "Origin: https://evil.example"
	for _, o := range d.operations {
		if !strings.HasPrefix(o.path, "/admin/") {
			continue
		}
		path := strings.NewReplacer("{name}", "mine", "{id}", "abc").Replace(o.path)
		var body any
		if o.method == "POST" || o.method == "PATCH" {
			body = object{}
		}
		a.later(3600e9) // wrong keys are counted by the minute
		for _, key := range []string{"x", adminKey[:len(adminKey)-1], adminKey + "x", sealKey} {
			require.Equal(t, 401, a.ask(o.method, path, bodyText(body), bearer(key)).Code)
			a.later(3600e9)
			a.expect(401, o.method, path, body, bearer("wrong"))
		}
		if o.method+" "+o.path == "GET /admin/api/session" {
			require.JSONEq(t, `{"expires":null}`, a.expect(200, o.method, path, body, none).text())
		} else {
			a.expect(401, o.method, path, body, none)
		}
		tries := 0
		for a.call(o.method, path, body, bearer("x")).Code == 401 {
			tries++
			require.Less(t, tries, 200)
		}
		a.expect(429, o.method, path, body, bearer("x"))
		a.expect(200, "GET", endpoints, nil)
		a.later(3600e9)
		a.expect(403, o.method, path, nil, foreign)
	}
	a.expect(403, "GET", endpoints, nil, "Origin: null")
	a.expect(200, "GET", endpoints, nil, "Origin: http://edge.test")
	a.expect(200, "GET", endpoints, nil, none, "X-Api-Key: "+adminKey)
	a.expect(403, "GET", "/u/mine/api", nil, foreign)
	a.expect(403, "POST", "/u/mine/api/rotate", nil, foreign)
	a.expect(404, "GET", "/admin/api", nil)
	require.Equal(t, "GET, POST", a.expect(405, "OPTIONS", endpoints, nil).Header().Get("Allow"))
	require.Equal(t, before, a.names())
}

// bodyText returns a body in call's form.
func bodyText(body any) string {
	if body == nil {
		return ""
	}
	return encoded(body)
}

func sessions(t *testing.T, d *description) {
	a := administer(t, d, nil)
	key := a.create("page", nil).get("key").Str
	page := []string{"X-Edgelingua-Page: https://edge.test", "Origin: https://edge.test"}
	for _, test := range []struct{ path, right, api string }{{"/admin/api/session", adminKey, endpoints},
		{"/u/page/api/session", key, "/u/page/api"}} {
		right := append([]string{bearer(test.right)}, page...)
		a.expect(403, "POST", test.path, nil, bearer(test.right))
		a.expect(401, "POST", test.path, nil, append([]string{none}, page...)...)
		opened := a.expect(201, "POST", test.path, nil, right...)
		cookie, err := http.ParseSetCookie(opened.Header().Get("Set-Cookie"))
		require.NoError(t, err)
		a.secrets[cookie.Value] = true
		mine := append([]string{none, "Cookie: " + cookie.Name + "=" + cookie.Value}, page...)
		require.JSONEq(t, opened.text(), a.expect(200, "GET", test.path, nil, mine...).text())
		require.Equal(t, a.now().Unix()+12*3600, opened.get("expires").Int())
		require.JSONEq(t, `{"expires":null}`, a.expect(200, "GET", test.path, nil, bearer(test.right)).text())
		a.expect(200, "GET", test.api, nil, mine...)
		a.expect(204, "DELETE", test.path, nil, bearer(test.right))
		a.expect(204, "DELETE", test.path, nil, mine...)
		a.expect(204, "DELETE", test.path, nil, mine...)
		a.expect(401, "GET", test.api, nil, mine...)
		a.expect(401, "GET", test.path, nil, mine...)
		a.expect(401, "DELETE", test.path, nil, none)
		for _, method := range []string{"GET", "DELETE"} {
			a.expect(403, method, test.path, nil, bearer(test.right), "Origin: https://evil.example")
		}
		if test.right == key {
			// disabling ends the sessions for good, of this endpoint only
			open := func(path, key string) []string {
				opened := a.expect(201, "POST", path, nil, append([]string{bearer(key)}, page...)...)
				cookie, err := http.ParseSetCookie(opened.Header().Get("Set-Cookie"))
				require.NoError(t, err)
				a.secrets[cookie.Value] = true
				return append([]string{none, "Cookie: " + cookie.Name + "=" + cookie.Value}, page...)
			}
			others := open("/u/other/api/session", a.create("other", nil).get("key").Str)
			mine = open(test.path, key)
			a.expect(200, "GET", test.api, nil, mine...)
			a.expect(200, "PATCH", endpoints+"/page", object{"disabled": true}, bearer(adminKey))
			a.expect(403, "GET", test.api, nil, mine...)
			a.expect(200, "PATCH", endpoints+"/page", object{"disabled": false}, bearer(adminKey))
			a.expect(401, "GET", test.api, nil, mine...)
			a.expect(200, "GET", "/u/other/api", nil, others...)
			mine = open(test.path, key)
			a.expect(200, "PATCH", endpoints+"/page", object{"disabled": false}, bearer(adminKey))
			a.expect(200, "GET", test.api, nil, mine...)
		}
		for range map[bool]int{false: 99, true: 97}[test.right == key] {
			a.expect(201, "POST", test.path, nil, right...)
		}
		a.expect(429, "POST", test.path, nil, right...)
	}
}
