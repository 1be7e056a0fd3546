package serve_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModelsOfVendors: at an endpoint with a budget, a model in a vendor's list, in any spelling,
// is charged or refused, and never free.
func TestModelsOfVendors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../prices/testdata/models.json")
	require.NoError(t, err)
	var vendors []struct {
		URL    string
		Models []string
	}
	require.NoError(t, json.Unmarshal(text, &vendors))
	for _, v := range vendors {
		t.Run(v.URL, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			host, _, _ := strings.Cut(strings.TrimPrefix(v.URL, "https://"), "/")
			d.upstreams[host] = counted("chat")
			e := d.endpoint(`"limits":{"usd_per_day":1e6},` +
				upstreamList(`{"name":"up","protocol":"chat","url":"`+v.URL+`"}`))
			priced := 0
			for _, name := range v.Models {
				for _, model := range []string{name, strings.ToUpper(name), name + " ", name + ":nitro",
					name + "\u200b", "models/" + name, name + "-2026-09-01", "ft:" + name + ":org::id"} {
					sent := len(d.asked)
					a := e.ask("chat", asking{model: model})
					switch a.Code {
					case 200:
						require.Positive(t, d.report("cost").Num, "%q is free", model)
						if model == name {
							priced++
						}
					default:
						require.Equal(t, list{403, "model_without_price"}, list{a.Code,
							a.get("error.code").Value()}, model)
						require.Len(t, d.asked, sent, model)
						require.Equal(t, `["up"]`, encoded(strings.Split(d.report("unpriced").Str, ",")))
					}
				}
			}
			t.Logf("%d of %d names have a price", priced, len(v.Models))
			assert.Greater(t, 4*priced, len(v.Models))
		})
	}
}

// TestNamesOfHosts: how Azure, Bedrock, Vertex AI and OpenRouter name models.
func TestNamesOfHosts(t *testing.T) {
	t.Parallel()
	const azure = "https://company.openai.azure.com/openai"
	for _, test := range []struct {
		url, model, more string
		priced           bool
	}{
		{azure + "/v1", "gpt-6-of-ours", "", false},
		{azure + "/v1", "gpt-5.5", "", false},
		{azure + "/v1", "gpt-6-of-ours", `"prices":{"gpt-6-*":{"input":1,"output":2}},`, true},
		// Azure reads the deployment in the URL, and not the model
		{azure + "/deployments/ours?api-version=2024-10-21", "o3", "", false},
		{azure + "/deployments/ours?api-version=2024-10-21", "o3",
			`"prices":{"o3":{"input":1,"output":2}},`, false},
		{azure + "/deployments/ours?api-version=2024-10-21", "o3",
			`"prices":{"ours":{"input":1,"output":2}},`, true},
		{"https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "openai.gpt-oss-120b-1:0", "", true},
		{"https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "OPENAI.GPT-OSS-120B-1:0", "", false},
		{"https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1",
			"arn:aws:bedrock:us-east-1:1:application-inference-profile/x", "", false},
		{"https://bedrock-mantle.us-east-1.api.aws/v1", "openai.gpt-oss-120b", "", false},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "models/gemini-2.5-pro", "", true},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "tunedModels/gemini-2.5-pro-ours", "",
			false},
		{"https://openrouter.ai/api/v1", "openai/gpt-5:floor", "", true},
		{"https://openrouter.ai/api/v1", "openai/gpt-5:online", "", false},
		{"https://openrouter.ai/api/v1", "openai/gpt-5:free", "", false},
		{"https://openrouter.ai/api/v1", "openai/gpt-5:extended", "", false},
		{"https://openrouter.ai/api/v1", "openrouter/auto", "", false},
		{"https://openrouter.ai/api/v1", "@preset/ours", "", false},
		{"http://127.0.0.1:11434/v1", "gpt-5", "", false},
	} {
		t.Run(test.url+" "+test.model+test.more, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, map[string]string{"ALLOW_HTTP_UPSTREAM": "true"})
			_, rest, _ := strings.Cut(test.url, "://")
			host, _, _ := strings.Cut(rest, "/")
			d.upstreams[host] = counted("chat")
			e := d.endpoint(test.more + `"limits":{"usd_per_day":9},` +
				upstreamList(`{"name":"up","protocol":"chat","url":"`+test.url+`"}`))
			a := e.ask("chat", asking{model: test.model})
			if test.priced {
				require.Equal(t, 200, a.Code, a.text())
				assert.Positive(t, d.report("cost").Num)
			} else {
				assert.Equal(t, 403, a.Code, a.text())
				assert.Empty(t, d.asked)
			}
		})
	}
}

// TestOtherModelsOfRequests: with a budget a request names one model, so the upstream can't bill
// another one.
func TestOtherModelsOfRequests(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(ownPrices + `,"limits":{"usd_per_day":9},` + oneUpstream("chat"))
	for _, more := range []string{`"models":["dear"],`, `"route":"fallback",`, `"fallbacks":["dear"],`,
		`"plugins":[{"id":"fusion","model":"dear"}],`} {
		a := e.ask("chat", asking{model: "mine", more: more})
		assert.Equal(t, 400, a.Code, more)
		assert.Contains(t, a.get("error.message").Str, "limits its models or their cost", more)
	}
	assert.Equal(t, 400, e.ask("chat", asking{model: "mine,dear"}).Code)
	assert.Empty(t, d.asked)
	e = d.endpoint(`"limits":{"usd_per_day":9,"unpriced":"allow"},` + oneUpstream("chat"))
	assert.Equal(t, 200, e.ask("chat", asking{model: "mine", more: `"models":["dear"],`}).Code)
}

// TestCostOfOwnSearches: the searches that run here are a part of the cost, at the price of the
// settings or at the provider's list price.
func TestCostOfOwnSearches(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]float64{`,"price":500`: 1, "": 0.016, `,"price":0`: 0} {
		eachWay(t, func(t *testing.T, stream bool) {
			d := deploy(t, nil)
			d.upstreams["up.test"] = d.plays("chat", round("", search("call_1"), search("call_2")),
				round(citesPage), round("", search("call_1")), round(citesPage))
			d.upstreams["api.tavily.com"] = says(200, `{"results":[]}`)
			e := d.endpoint(`"options":{"web_search":{"provider":"tavily","key":"tvly-0123456789"` + price +
				`}},"prices":{"m":{"input":1,"output":1}},"limits":{"usd_per_day":0.5},` +
				oneUpstream("chat"))
			tokens := 2 * (10 + 2) / 1e6
			a := e.send("POST", "/v1/messages", streamed(searching["anthropic"], stream))
			require.Equal(t, 200, a.Code, a.text())
			require.EqualValues(t, 2, d.report("searches").Int())
			assert.InDelta(t, want+tokens, d.report("cost").Num, 1e-9)
			assert.InDelta(t, want+tokens, e.usage().Get("days.0.usd").Num, 1e-9)
			status := 200
			if want >= 0.5 {
				status = 429 // the budget is spent
			}
			a = e.send("POST", "/v1/messages", streamed(searching["anthropic"], stream))
			assert.Equal(t, status, a.Code)
		})
	}
}

// TestSearchesOfUpstreamsWithoutPrice: a search of the upstream without a known price does not make
// the whole request free for the budget.
func TestSearchesOfUpstreamsWithoutPrice(t *testing.T) {
	t.Parallel()
	for _, budget := range []bool{true, false} {
		d := deploy(t, nil)
		d.upstreams["up.test"] = says(200, `{"id":"msg_1","type":"message","role":"assistant","model":"m",`+
			`"content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search",`+
			`"input":{"query":"q"}},`+
			`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},`+
			`{"type":"text","text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,`+
			`"usage":{"input_tokens":1000,"output_tokens":1000,"server_tool_use":{"web_search_requests":1}}}`)
		limits := ""
		if budget {
			limits = `"limits":{"usd_per_day":9},`
		}
		e := d.endpoint(`"usage":true,"prices":{"m":{"input":1,"output":1}},` + limits +
			oneUpstream("anthropic"))
		require.Equal(t, 200, e.ask("anthropic", asking{}).Code)
		day := e.usage().Get("days.0")
		if budget {
			assert.Equal(t, []float64{0.037, 0}, []float64{day.Get("usd").Num, day.Get("unpriced").Num})
		} else {
			assert.Equal(t, []float64{0, 1}, []float64{day.Get("usd").Num, day.Get("unpriced").Num})
		}
	}
}

// TestUnpricedInViews: the operator sees which endpoints refuse models for want of a price.
func TestUnpricedInViews(t *testing.T) {
	t.Parallel()
	d := deploy(t, map[string]string{"ALLOW_HTTP_UPSTREAM": "true"})
	const budget = `"limits":{"usd_per_day":9},`
	const azure = `{"name":"az","protocol":"chat","url":"https://c.openai.azure.com/openai/v1"`
	const local = `{"name":"own","protocol":"chat","url":"http://127.0.0.1:11434/v1"}`
	const openai = `{"name":"oa","protocol":"chat","url":"https://api.openai.com/v1"`
	for i, test := range []struct{ record, want string }{
		{budget + upstreamList(azure+`,"models":{"m":"ours","n":"o3","*":"ours"}}`, local),
			`["az/ours","own/*"]`},
		{budget + upstreamList(openai+`,"models":{"claude-*":"gpt-5.5"}}`), ""},
		{budget + upstreamList(openai+`}`), ""},
		{`"limits":{"usd_per_month":9,"models":["gpt-5.5","gpt-9","x*"]},` + upstreamList(openai+`}`),
			`["oa/gpt-9"]`},
		{`"limits":{"usd_per_day":9,"unpriced":"allow"},` + upstreamList(local), ""},
		{`"usage":true,` + upstreamList(local), ""},
		{budget + `"prices":{"*":{"input":0,"output":0}},` + upstreamList(local), ""},
		{budget + upstreamList(`{"name":"dep","protocol":"chat","url":"https://c.openai.azure.com/openai/`+
			`deployments/ours?api-version=2024-10-21","models":{"*":"o3"}}`), `["dep/ours"]`},
	} {
		e := d.endpoint(test.record)
		for _, a := range []*answer{d.admin("GET", "/endpoints/"+e.name, ""),
			d.admin("PATCH", "/endpoints/"+e.name, `{"batch":10}`)} {
			require.Equal(t, 200, a.Code, a.text())
			assert.Equal(t, test.want, a.get("unpriced_models").Raw, i)
		}
		health := d.admin("GET", "/health?name="+e.name, "")
		assert.Equal(t, test.want, health.get("endpoints.0.unpriced_models").Raw, i)
		own := e.send("GET", "/api", "")
		require.Equal(t, 200, own.Code)
		assert.False(t, own.get("unpriced_models").Exists())
	}
}
