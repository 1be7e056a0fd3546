package serve_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// addKey adds a key with limits to an endpoint, and returns the endpoint as seen by a client with the key.
func (e *ownEndpoint) addKey(limits string) *ownEndpoint {
	e.d.t.Helper()
	a := e.d.admin("POST", "/endpoints/"+e.name+"/keys", `{"limits":`+limits+`}`)
	require.Equal(e.d.t, 201, a.Code, a.text())
	return &ownEndpoint{e.d, e.name, a.get("key").Str}
}

// refuses requires that a limit refuses the request of a client, and returns the answer.
func (e *ownEndpoint) refuses(t *testing.T, client, message, wait string) *answer {
	t.Helper()
	a := e.ask(client, asking{model: "mine"})
	require.Equal(t, 429, a.Code, a.text())
	assert.Equal(t, wait, a.Header().Get("retry-after"))
	assert.Regexp(t, message, errorMessage(e.d, client, a))
	return a
}

// TestKeyRequestsPerMinute: a key's limit holds beside the endpoint's, and each error names whose limit
// it is, in every dialect. One key over its limit does not stop the others.
func TestKeyRequestsPerMinute(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, client string) {
		d := deploy(t, nil)
		d.setTime(midnight)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(`"limits":{"requests_per_minute":5},` + oneUpstream("chat"))
		one, other := e.addKey(`{"requests_per_minute":2}`), e.addKey(`{"requests_per_minute":4}`)
		for range 2 {
			require.Equal(t, 200, one.ask(client, asking{}).Code)
		}
		d.later(20 * time.Second)
		one.refuses(t, client, `limit requests_per_minute of this key, 2, .* in 41 seconds`, "41")
		for range 3 {
			require.Equal(t, 200, other.ask(client, asking{}).Code)
		}
		other.refuses(t, client, `limit requests_per_minute of this endpoint, 5, .* in 41 seconds`, "41")
		assert.Len(t, d.asked, 5)
		limits := e.usage().Get("key_limits")
		assert.Equal(t, []int64{2, 3}, []int64{limits.Get(one.account()).Get("requests_per_minute.used").Int(),
			limits.Get(other.account()).Get("requests_per_minute.used").Int()})
		d.later(41 * time.Second)
		require.Equal(t, 200, one.ask(client, asking{}).Code)
	})
}

// account returns the id of the client's key.
func (e *ownEndpoint) account() string { return hashOf(e.key)[:8] }

// TestKeyTokensAndBudgets: a key is charged for its own requests only, and refused until the end of the
// day or the month.
func TestKeyTokensAndBudgets(t *testing.T) {
	t.Parallel()
	for limit, c := range map[string]struct{ limits, message, wait string }{
		"tokens": {`{"tokens_per_day":300}`, `limit tokens_per_day of this key, 300, is reached`, "86400"},
		"day":    {`{"usd_per_day":0.3}`, `budget usd_per_day of this key, 0.3 US dollars, is spent`, "86400"},
		// midnight is the beginning of 2026-11-21
		"month": {`{"usd_per_month":0.3}`, `budget usd_per_month of this key, 0.3 US`, "864000"},
	} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			eachClient(t, func(t *testing.T, client string) {
				d := deploy(t, nil)
				d.setTime(midnight)
				d.upstreams["up.test"] = counted("chat")
				e := d.endpoint(`"limits":{"over_budget":"next","usd_per_month":100},` + ownPrices + `,` +
					oneUpstream("chat"))
				one := e.addKey(c.limits)
				for range 2 {
					require.Equal(t, 200, e.ask(client, asking{model: "mine"}).Code)
					require.Equal(t, 200, one.ask(client, asking{model: "mine"}).Code)
				}
				a := one.refuses(t, client, c.message, c.wait)
				assert.Equal(t, "false", a.Header().Get("x-should-retry"))
				require.Equal(t, 200, e.ask(client, asking{model: "mine"}).Code, "another key")
			})
		})
	}
}

// TestKeyBudgetNeedsPrices: a key with a budget gets no model without a price, unless its limits allow
// that; other keys do.
func TestKeyBudgetNeedsPrices(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, client string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(oneUpstream("chat"))
		budget, allows := e.addKey(`{"usd_per_day":9}`), e.addKey(`{"usd_per_day":9,"unpriced":"allow"}`)
		a := budget.ask(client, asking{})
		require.Equal(t, 403, a.Code, a.text())
		assert.Regexp(t, `This key has a budget in US dollars, and the price of the model m .*`+
			`\"limits\" of the key\.$`, errorMessage(d, client, a))
		assert.Equal(t, 200, allows.ask(client, asking{}).Code)
		assert.Equal(t, 200, e.ask(client, asking{}).Code)
		view := d.admin("GET", "/endpoints/"+e.name, "")
		assert.JSONEq(t, `["up/*"]`, view.get("unpriced_models").Raw)
	})
}

// TestKeyModels: a key may use the models that both lists allow, and sees no others in the list of
// models.
func TestKeyModels(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, client string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(`"usage":false,"limits":{"models":["m-*"]},` +
			upstreamList(upstreamAt("up", "chat", "up.test", `,"models":{"m-a":"a","m-b":"b"}`)))
		one := e.addKey(`{"models":["m-a","x"]}`)
		assert.Equal(t, 200, one.ask(client, asking{model: "m-a"}).Code)
		assert.Equal(t, 200, e.ask(client, asking{model: "m-b"}).Code)
		for model, whose := range map[string]string{"m-b": "key", "x": "endpoint"} {
			a := one.ask(client, asking{model: model})
			require.Equal(t, 403, a.Code, a.text())
			assert.Equal(t, "This "+whose+" does not allow the model "+model+".", errorMessage(d, client, a))
		}
		assert.Regexp(t, `m-a`, one.send("GET", "/v1/models", "").text())
		assert.NotRegexp(t, `m-b`, one.send("GET", "/v1/models", "").text())
	})
}

// TestKeyLimitsSurviveRotation: a key that replaces another one goes on with its use, in the grace too.
func TestKeyLimitsSurviveRotation(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(ownPrices + `,` + oneUpstream("chat"))
	one := e.addKey(`{"usd_per_day":0.3,"requests_per_minute":9}`)
	require.Equal(t, 200, one.ask("chat", asking{}).Code)
	first := *one
	for range 3 { // with a grace, the key before stays valid, and shares the budget
		a := d.ask("POST", "/u/"+one.name+"/api/rotate", `{"grace":3600}`, bearer(one.key))
		require.Equal(t, 200, a.Code, a.text())
		assert.JSONEq(t, `{"usd_per_day":0.3,"requests_per_minute":9}`, a.get("own_key.limits").Raw)
		one.key = a.get("key").Str
	}
	require.Equal(t, 200, first.ask("chat", asking{}).Code)
	own := d.ask("GET", "/u/"+one.name+"/api/usage", "", bearer(one.key))
	assert.JSONEq(t, `{"`+one.account()+`":{"requests_per_minute":{"limit":9,"used":2},`+
		`"usd_per_day":{"limit":0.3,"used":0.37,"unpriced":0}}}`, own.get("key_limits").Raw)
	one.refuses(t, "chat", "budget usd_per_day of this key", "86400")
	first.refuses(t, "chat", "budget usd_per_day of this key", "86400")
	require.Equal(t, 200, e.ask("chat", asking{}).Code)
}

// TestUnpricedOfKeys: a key's budget says how many requests of the key it does not hold.
func TestUnpricedOfKeys(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(oneUpstream("chat"))
	one := e.addKey(`{"usd_per_day":1,"unpriced":"allow"}`)
	other := e.addKey(`{"usd_per_month":1,"unpriced":"allow"}`)
	for range 2 {
		require.Equal(t, 200, one.ask("chat", asking{}).Code)
	}
	require.Equal(t, 200, other.ask("chat", asking{}).Code)
	assert.JSONEq(t, `{"`+one.account()+`":{"usd_per_day":{"limit":1,"used":0,"unpriced":2}},`+
		`"`+other.account()+`":{"usd_per_month":{"limit":1,"used":0,"unpriced":1}}}`,
		e.usage().Get("key_limits").Raw)
}

// limitsOfKeys sets, replaces and removes the limits of keys.
func limitsOfKeys(t *testing.T, d *description) {
	a := administer(t, d, nil)
	a.create("limited", object{"usage": false, "key": object{"limits": object{"requests_per_minute": 3}}})
	one := endpoints + "/limited"
	view := a.expect(200, "GET", one, nil)
	require.JSONEq(t, `{"requests_per_minute":3}`, view.get("keys.0.limits").Raw)
	require.True(t, a.expect(200, "GET", one+"/usage", nil).get("usage").Bool(), "a limit is counted")
	key := one + "/keys/" + idOf(view, 0)
	limits := object{"tokens_per_day": 5, "usd_per_month": 1.5, "usd_per_day": 1, "requests_per_minute": 1,
		"models": list{"m*"}, "unpriced": "allow"}
	view = a.expect(200, "PATCH", key, object{"limits": limits})
	require.JSONEq(t, encoded(limits), view.get("keys.0.limits").Raw)
	require.JSONEq(t, `{"requests_per_minute":{"limit":1,"used":0},"tokens_per_day":{"limit":5,"used":0},`+
		`"usd_per_day":{"limit":1,"used":0,"unpriced":0},`+
		`"usd_per_month":{"limit":1.5,"used":0,"unpriced":0}}`,
		a.expect(200, "GET", one+"/usage", nil).get("key_limits."+idOf(view, 0)).Raw)
	a.refused(400, "limits", "missing", "PATCH", key, object{})
	a.refused(400, "limits.concurrent_streams", "The fields are", "PATCH", key,
		object{"limits": object{"concurrent_streams": 1}})
	a.refused(404, "", "no key", "PATCH", one+"/keys/none", object{"limits": nil})
	rotated := a.expect(200, "POST", one+"/rotate", object{"limits": object{"models": list{"m"}}})
	a.secrets[rotated.get("key").Str] = true
	require.JSONEq(t, `{"models":["m"]}`, rotated.get("keys.1.limits").Raw)
	view = a.expect(200, "PATCH", one+"/keys/"+idOf(rotated, 1), object{"limits": nil})
	require.False(t, view.get("keys.1.limits").Exists())
	a.expect(200, "DELETE", key, nil)
	require.False(t, a.expect(200, "GET", one+"/usage", nil).get("usage").Bool(), "no limit is left")
}
