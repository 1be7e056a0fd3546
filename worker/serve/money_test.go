package serve_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownPrices are prices of a record. With them, each answer of counted costs priceOf.
const ownPrices = `"prices":{"m*":{"input":1000,"output":2000,"cache_read":100,"cache_write":3000}}`

func priceOf(protocol string) float64 {
	if protocol == "anthropic" {
		return (100*1000 + 3*3000 + 20*100 + 40*2000) / 1e6
	}
	return (103*1000 + 20*100 + 40*2000) / 1e6
}

// bodyProtocols are the protocols with the model in the body.
var bodyProtocols = every[:3]

// twoUpstreams are the upstreams of an endpoint. The second has another name for each model.
var twoUpstreams = upstreamList(upstreamAt("first", "chat", "up.test"),
	upstreamAt("second", "chat", "up.test", `,"models":{"*":"m-second"}`))

// TestCost: answer, day and report have the request's cost by the record's prices.
func TestCost(t *testing.T) {
	t.Parallel()
	for _, protocol := range bodyProtocols {
		for _, client := range bodyProtocols {
			t.Run(client+" to "+protocol, func(t *testing.T) {
				t.Parallel()
				d := deploy(t, nil)
				d.setTime(midnight)
				d.upstreams["up.test"] = counted(protocol)
				e := d.endpoint(`"usage":true,` + ownPrices + `,` + oneUpstream(protocol))
				name := client + " to " + protocol
				header := strconv.FormatFloat(priceOf(protocol), 'f', -1, 64)
				if client == protocol { // the head went out before the body's cost was known
					header = ""
				}
				for _, stream := range []bool{false, true} {
					a := e.ask(client, asking{model: "mine", stream: stream})
					require.Equal(t, 200, a.Code, name)
					if !stream {
						assert.Equal(t, header, a.Header().Get("x-edgelingua-cost"), name)
					}
					assert.Equal(t, "up", d.report("to").Str, name)
					assert.Equal(t, priceOf(protocol), d.report("cost").Num, name)
				}
				day := e.usage().Get("days.0")
				assert.InDelta(t, 2*priceOf(protocol), day.Get("usd").Num, 1e-9, name)
				assert.Equal(t, int64(0), day.Get("unpriced").Int(), name)
			})
		}
	}
}

// TestUnknownCost: without a price the cost is unknown, and never zero.
func TestUnknownCost(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	assert.Equal(t, "unknown", e.ask("anthropic", asking{model: "gpt-5"}).Header().Get("x-edgelingua-cost"))
	assert.Equal(t, []int64{0, 1}, []int64{e.usage().Get("days.0.usd").Int(),
		e.usage().Get("days.0.unpriced").Int()})
}

// TestCostOfClientsThatLeave: a stream costs what the upstream counted before the client left.
func TestCostOfClientsThatLeave(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	up := d.stage("up.test")
	e := d.endpoint(`"usage":true,` + ownPrices + `,` + oneUpstream("anthropic"))
	c := e.open("chat", asking{model: "mine", stream: true})
	x := up.next()
	x.begin(200)
	go x.send(streamOf["anthropic"][:3]...)
	c.until("ok")
	c.leave()
	<-x.gone
	assert.Equal(t, (100*1000+3*3000+20*100+1*2000)/1e6, e.usage().Get("days.0.usd").Num)
}

// TestBudgets: over a budget requests are refused until the day or the month ends.
func TestBudgets(t *testing.T) {
	t.Parallel()
	for limit, wait := range map[string]time.Duration{"usd_per_day": 24 * time.Hour,
		"usd_per_month": 240 * time.Hour} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			d.setTime(midnight)
			d.upstreams["up.test"] = counted("chat")
			e := d.endpoint(ownPrices + `,"limits":{"` + limit + `":0.3},` + twoUpstreams)
			for range 2 {
				assert.Equal(t, 200, e.ask("chat", asking{model: "mine"}).Code)
			}
			a := e.ask("anthropic", asking{model: "mine"})
			assert.Equal(t, 429, a.Code)
			assert.Equal(t, strconv.Itoa(int(wait.Seconds())), a.Header().Get("retry-after"))
			assert.Equal(t, "false", a.Header().Get("x-should-retry"))
			assert.Regexp(t, `^The budget `+limit+` of this endpoint, 0\.3 US dollars, is spent`,
				a.get("error.message").Str)
			resets := d.now().Add(wait).Unix()
			for client, want := range map[string]list{
				"responses": {"usage_limit_reached", "rate_limit_exceeded", float64(resets)},
				"chat":      {"rate_limit_error", "rate_limit_exceeded", nil},
			} {
				a := e.ask(client, asking{model: "mine"})
				assert.Equal(t, 429, a.Code)
				assert.Equal(t, want, list{a.get("error.type").Value(), a.get("error.code").Value(),
					a.get("error.resets_at").Value()}, client)
			}
			assert.Equal(t, 0.3, e.usage().Get("limits."+limit+".limit").Num)
			d.later(wait)
			assert.Equal(t, 200, e.ask("chat", asking{model: "mine"}).Code)
		})
	}
}

// TestOverBudgetNext: over_budget next sends requests to the next upstream, or refuses them without
// a next upstream.
func TestOverBudgetNext(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(ownPrices + `,"limits":{"usd_per_day":0.1,"over_budget":"next"},` + twoUpstreams)
	for _, model := range []string{"mine", "m-second", "m-second"} {
		require.Equal(t, 200, e.ask("anthropic", asking{model: "mine"}).Code)
		assert.Contains(t, d.last().body, `"model":"`+model+`"`)
	}
	a := e.ask("responses", asking{model: "first/mine"})
	assert.Equal(t, 429, a.Code)
	assert.Contains(t, a.get("error.message").Str, "budget of this endpoint is spent")
	assert.Equal(t, "usage_limit_reached", a.get("error.type").Str)
	assert.Equal(t, "false", a.Header().Get("x-should-retry"))
	seconds, err := strconv.ParseInt(a.Header().Get("retry-after"), 10, 64)
	require.NoError(t, err)
	assert.Equal(t, d.now().Unix()+seconds, a.get("error.resets_at").Int())
	assert.Zero(t, a.get("error.resets_at").Int()%86400, "the next day in UTC")
	u := e.usage()
	assert.Equal(t, []int64{3, 0}, sums(u, "requests", "errors"))
	assert.Equal(t, `["over_budget"] [1]`, raw(u, "refused.#.limit", "refused.#.requests"))
	assert.Equal(t, a.Header().Get("x-request-id"), u.Get("refused.0.request_id").Str)
	assert.Equal(t, "[]", u.Get("errors").Raw)
}

// TestRequestThatNoUpstreamHas: a request counts if its first upstream is silent and no translation
// for the second is possible.
func TestRequestThatNoUpstreamHas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		silent := d.stage("silent.test")
		e := d.endpoint(ownPrices + `,"limits":{"concurrent_requests":1,"usd_per_day":9},` +
			upstreamList(upstreamAt("first", "chat", "silent.test", `,"timeout":5`),
				upstreamAt("second", "anthropic", "up.test")))
		for i := range int64(2) {
			assert.Equal(t, 400, e.ask("chat", asking{raw: `{"model":"mine","messages":5}`}).Code)
			silent.next()
			u := e.usage()
			assert.Equal(t, []int64{i + 1, i + 1, 0},
				[]int64{sum(u, "requests"), u.Get("days.0.errors").Int(), u.Get("days.0.usd").Int()})
			assert.Len(t, u.Get("errors").Array(), int(i+1))
		}
	})
}

// TestRequestLog: the log of requests has no words of the client or the upstream.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = func(r *sent) *reply {
		d.later(time.Millisecond)
		switch {
		case strings.Contains(r.body, `"model":"mine"`):
			return &reply{status: 500,
				chunks: []string{`{"error":{"message":"down","type":"server_error","param":null,` +
					`"code":null}}`}}
		case strings.Contains(r.body, "refuse"):
			return &reply{status: 400,
				chunks: []string{`{"error":{"message":"Invalid value: 'what I said in private'",` +
					`"type":"invalid_request_error","param":null,"code":null}}`}}
		}
		return counted("chat")(r)
	}
	e := d.endpoint(`"request_log":{"ttl":3600},` + ownPrices + `,` + twoUpstreams)
	first := e.ask("anthropic",
		asking{raw: `{"model":"mine","max_tokens":64,"messages":[{"role":"user",` +
			`"content":"what I said in private"}],"top_k":3,"metadata":{"user_id":"what I said"}}`})
	require.Equal(t, 200, first.Code, first.text())
	assert.Equal(t, int64(1), sum(e.usage(), "requests"))
	d.setTime(midnight + 60)
	e.ask("anthropic",
		asking{raw: `{"model":"mine","max_tokens":64,"messages":[{"role":"user","content":"refuse"}]}`})
	u := e.usage()
	assert.Equal(t, []int64{2, 2}, sums(u, "requests", "fell"))
	assert.JSONEq(t, `[{"day":"2026-11-21","field":"top_k","requests":1}]`,
		u.Get(`lost.#(field=="top_k")#`).Raw)
	require.Len(t, u.Get("requests").Array(), 2)
	failed, good := u.Get("requests.0"), u.Get("requests.1")
	for member, want := range map[string]any{"time": float64(midnight),
		"request_id": first.Header().Get("x-request-id"), "model": "mine",
		"upstream_model": "m-second", "upstream": "second", "status": 0.0, "usd": priceOf("chat"),
		"first_byte_ms": 2.0, "total_ms": 2.0} {
		assert.Equal(t, want, good.Get(member).Value(), member)
	}
	assert.Contains(t, strings.Split(good.Get("lost").Str, ","), "top_k")
	assert.Equal(t, int64(400), failed.Get("status").Int())
	assert.Equal(t, "invalid_request", failed.Get("type").Str)
	assert.Contains(t, failed.Get("words").Str, "Invalid value: '…'")
	assert.NotContains(t, u.Get("requests").Raw, "private")
	d.setTime(midnight + 3660)
	assert.Equal(t, "[]", e.usage().Get("requests").Raw)
	d.setTime(midnight + 7200)
	e.ask("anthropic", asking{model: "mine"})
	assert.Equal(t, int64(3), sum(e.usage(), "requests"))
	assert.Len(t, e.usage().Get("requests").Array(), 1)
}

// TestRefusalsAreNoErrors: refused requests are counted apart, with the last one. They are neither
// requests of a day nor errors, and never push out the entries of the log.
func TestRefusalsAreNoErrors(t *testing.T) {
	t.Parallel()
	for _, client := range bodyProtocols {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			d.setTime(midnight)
			d.upstreams["up.test"] = counted("chat")
			e := d.endpoint(`"request_log":{"ttl":86400},"limits":{"tokens_per_day":100},` +
				oneUpstream("chat"))
			good := e.ask(client, asking{model: "mine"})
			require.Equal(t, 200, good.Code)
			var last *answer
			for minute := 1; minute < 150; minute++ {
				d.setTime(midnight + 60*int64(minute))
				last = e.ask(client, asking{model: "again", stream: true})
				require.Equal(t, 429, last.Code)
			}
			u := e.usage()
			assert.Equal(t, []int64{1, 0}, sums(u, "requests", "errors"))
			assert.Equal(t, "[]", u.Get("errors").Raw)
			assert.Equal(t, `["`+good.Header().Get("x-request-id")+`"]`, u.Get("requests.#.request_id").Raw)
			require.Len(t, u.Get("refused").Array(), 1)
			for member, want := range map[string]any{"day": "2026-11-21", "key": u.Get("days.0.key").Str,
				"limit": "tokens_per_day", "requests": 149.0, "last": midnight + 149*60.0,
				"request_id": last.Header().Get("x-request-id"), "model": "again"} {
				assert.Equal(t, want, u.Get("refused.0."+member).Value(), member)
			}
			made := d.admin("POST", "/endpoints/"+e.name+"/keys", `{}`)
			other := &ownEndpoint{d, e.name, made.get("key").Str}
			shown := other.send("GET", "/api/usage", "").get("refused")
			assert.Equal(t, `[149] [""] [""] [""]`,
				raw(shown, "#.requests", "#.key", "#.request_id", "#.model"))
		})
	}
}

// TestRefusalsOfLimits: each limit that refuses is named, with and without a log.
func TestRefusalsOfLimits(t *testing.T) {
	t.Parallel()
	for _, log := range []string{`"request_log":{"ttl":3600},`, ""} {
		for _, limit := range []string{"requests_per_minute", "usd_per_day", "usd_per_month",
			"concurrent_streams", "concurrent_requests"} {
			t.Run(limit+log, func(t *testing.T) {
				t.Parallel()
				d := deploy(t, nil)
				d.setTime(midnight)
				up := d.stage("up.test")
				value, open := "1", strings.HasPrefix(limit, "concurrent")
				if strings.HasPrefix(limit, "usd") {
					value = "0.01"
				}
				e := d.endpoint(`"usage":true,` + log + ownPrices + `,"limits":{"` + limit + `":` + value +
					`},` +
					oneUpstream("chat"))
				before := e.open("chat", asking{model: "mine", stream: open})
				x := up.next()
				if open {
					x.begin(200)
				} else {
					x.answer(counted("chat")(x.sent))
					before.rest()
				}
				d.later(time.Second)
				assert.Equal(t, 429, e.ask("chat", asking{model: "mine", stream: open}).Code, limit)
				u := e.usage()
				before.leave()
				assert.Equal(t, `[] ["`+limit+`"] [1]`, raw(u, "errors", "refused.#.limit",
					"refused.#.requests"), limit)
			})
		}
	}
}

// TestUsageOfOwnKey: an owner sees the usage of all keys, but only the requests of one key.
func TestUsageOfOwnKey(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(`"request_log":{"ttl":3600},` + oneUpstream("chat"))
	made := d.admin("POST", "/endpoints/"+e.name+"/keys", `{"label":"other"}`)
	require.Regexp(t, regexp.MustCompile(`^el_`), made.get("key").Str)
	other := &ownEndpoint{d, e.name, made.get("key").Str}
	e.ask("chat", asking{model: "a"})
	other.ask("chat", asking{model: "b"})
	u := e.usage()
	assert.Equal(t, int64(2), sum(u, "requests"))
	require.Len(t, u.Get("days").Array(), 2)
	assert.NotEqual(t, u.Get("days.0.key").Str, u.Get("days.1.key").Str)
	own := other.send("GET", "/api/usage", "")
	assert.Equal(t, `["a","b"]`, own.get("days.#.model").Raw)
	assert.Equal(t, []bool{true, false},
		[]bool{own.get("days.0.key").Str == "", own.get("days.1.key").Str == ""})
	assert.Equal(t, `["b"]`, own.get("requests.#.model").Raw)
}

// TestUnpricedModels: an endpoint with a budget refuses a model without a price, whatever spelling
// the client chooses, and allows the model if the record says so. Nothing reaches the upstream.
func TestUnpricedModels(t *testing.T) {
	t.Parallel()
	const onePrice = `"prices":{"mine":{"input":1,"output":1}}`
	for _, budget := range []string{`"usd_per_day":9`, `"usd_per_month":9`} {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(onePrice + `,"limits":{` + budget + `},` + oneUpstream("chat"))
		require.Equal(t, 200, e.ask("chat", asking{model: "mine"}).Code)
		sent := len(d.asked)
		for _, model := range []string{"MINE", "mine ", "mine:nitro", "mine\\u200b", "minE", "models/mine",
			"openrouter/auto", "openai/gpt-5:online", "ft:gpt-5:org::id", "gpt-5", "mine-2026-09-01"} {
			for _, client := range []string{"anthropic", "chat", "responses", "gemini"} {
				if client == "gemini" && strings.ContainsAny(model, " :\\/") {
					continue // the model is a part of the path
				}
				a := e.ask(client, asking{model: model})
				assert.Equal(t, 403, a.Code, "%s %q", client, model)
				assert.Regexp(t,
					`^This endpoint has a budget in US dollars, and the price of the model .* at the `+
						`upstream up is unknown\. `, a.get("error.message").Str)
			}
		}
		assert.Len(t, d.asked, sent, "nothing reaches the upstream")
		assert.Equal(t, int64(1), sum(e.usage(), "requests"))
	}
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(onePrice + `,"limits":{"usd_per_day":9,"unpriced":"allow"},` + oneUpstream("chat"))
	assert.Equal(t, 200, e.ask("chat", asking{model: "MINE"}).Code)
	kept := describedCalls(t, d)("GET", "/u/"+e.name+"/api/usage", e.key, "")
	assert.JSONEq(t, `{"limit":9,"used":0,"unpriced":1}`, kept.get("limits.usd_per_day").Raw)
	e = d.endpoint(`"usage":true,` + onePrice + `,` + oneUpstream("chat"))
	assert.Equal(t, 200, e.ask("chat", asking{model: "MINE"}).Code, "no budget")
}

// TestUnpricedUpstreams: a request goes to the first upstream at which its model has a price.
func TestUnpricedUpstreams(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(`"prices":{"m-second":{"input":1,"output":1}},"limits":{"usd_per_day":9},` + twoUpstreams)
	require.Equal(t, 200, e.ask("anthropic", asking{model: "mine"}).Code)
	assert.Contains(t, d.last().body, `"model":"m-second"`)
	assert.Equal(t, list{"second", "first"}, list{d.report("to").Str, d.report("unpriced").Str})
	assert.Equal(t, 403, e.ask("anthropic", asking{model: "first/mine"}).Code)
	require.Equal(t, 200, e.ask("anthropic", asking{model: "second/mine"}).Code)
	assert.False(t, d.report("unpriced").Exists())
}
