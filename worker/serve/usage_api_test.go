package serve_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// describedCalls returns a function that sends a request to the Admin API or the owner API, and
// checks the answer against openapi.json. key "" is the admin's.
func describedCalls(t *testing.T, d *deployment) func(method, path, key, body string) *answer {
	doc := newDescription(t)
	return func(method, path, key, body string) *answer {
		t.Helper()
		if key == "" {
			key = adminKey
		}
		a := d.ask(method, path, body, bearer(key))
		require.NotNil(t, doc.find(method, path), "%s %s is not described", method, path)
		doc.check(t, method, path, a)
		return a
	}
}

// TestUsageAPI sets usage and limits, and checks access to usage.
func TestUsageAPI(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	call := describedCalls(t, d)
	const limits = `{"requests_per_minute":50,"concurrent_streams":4,"tokens_per_day":1000000,` +
		`"models":["m","claude-*"]}`
	upstreams := oneUpstream("chat") + `}`
	made := call("POST", "/admin/api/endpoints", "",
		`{"name":"anna","usage":true,"limits":`+limits+`,`+upstreams)
	require.Equal(t, 201, made.Code, made.text())
	assert.True(t, made.get("usage").Bool())
	assert.JSONEq(t, limits, made.get("limits").Raw)
	anna := &ownEndpoint{d, "anna", made.get("key").Str}
	bert := call("POST", "/admin/api/endpoints", "",
		`{"name":"bert","limits":{"tokens_per_day":5},`+upstreams).get("key").Str
	require.Equal(t, 200, anna.ask("chat", asking{}).Code)

	own := call("GET", "/u/anna/api/usage?days=1", anna.key, "")
	require.Equal(t, 200, own.Code, own.text())
	assert.JSONEq(t, call("GET", "/admin/api/endpoints/anna/usage", "", "").text(), own.text())
	assert.JSONEq(t,
		`{"requests_per_minute":{"limit":50,"used":1},"concurrent_streams":{"limit":4,"used":0},`+
			`"tokens_per_day":{"limit":1000000,"used":163}}`, own.get("limits").Raw)
	assert.JSONEq(t, limits, call("GET", "/u/anna/api", anna.key, "").get("limits").Raw)
	for _, other := range []string{bert, keyOf("anna")} {
		assert.Equal(t, 401, call("GET", "/u/anna/api/usage", other, "").Code)
	}
	assert.Equal(t, 401, call("GET", "/admin/api/endpoints/anna/usage", anna.key, "").Code)
	assert.Equal(t, "[]", call("GET", "/u/bert/api/usage", bert, "").get("days").Raw)
	assert.Equal(t, 404, call("GET", "/admin/api/endpoints/nobody/usage", "", "").Code)
	for _, days := range []string{"0", "91", "x", "-1", "1.5"} {
		a := call("GET", "/admin/api/endpoints/anna/usage?days="+days, "", "")
		assert.Equal(t, 400, a.Code)
		assert.Equal(t, "days", a.get("error.path").Str)
		assert.Equal(t, 400, call("GET", "/u/anna/api/usage?days="+days, anna.key, "").Code)
	}
}

// TestBadLimits: the error names the wrong setting.
func TestBadLimits(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	call := describedCalls(t, d)
	for _, test := range []struct{ path, member string }{
		{"usage", `"usage":"on"`},
		{"limits", `"limits":[]`},
		{"limits.streams", `"limits":{"streams":1}`},
		{"limits.requests_per_minute", `"limits":{"requests_per_minute":0}`},
		{"limits.models[0]", `"limits":{"models":[1]}`},
	} {
		a := call("POST", "/admin/api/endpoints", "",
			`{"name":"bad",`+test.member+`,`+oneUpstream("chat")+`}`)
		assert.Equal(t, 400, a.Code)
		assert.Equal(t, test.path, a.get("error.path").Str)
	}
}

// TestListOfModelsWithALimit lists only the allowed models.
func TestListOfModelsWithALimit(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	e := d.endpoint(`"limits":{"models":["o*"]},` + oneUpstream("chat", `,"models":["one","two"]`))
	a := d.ask("GET", "/u/"+e.name+"/v1/models", "", bearer(e.key))
	assert.Equal(t, `["one"]`, a.get("data.#.id").Raw)
}
