package serve_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

// deferring are requests with deferred tools and a search for them, by protocol.
var deferring = map[string]string{
	"anthropic": `{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"q"}],"tools":[` +
		`{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"},` +
		`{"name":"get_weather","description":"Says the weather.","defer_loading":true,` +
		`"input_schema":{"type":"object","properties":{"city":{"type":"string"}}}},` +
		`{"name":"send_mail","input_schema":{"type":"object","properties":{}},"defer_loading":true}]}`,
	"responses": `{"model":"m","input":[{"role":"user","content":"q"}],"tools":[{"type":"tool_search"},` +
		`{"type":"function","name":"get_weather","description":"Says the weather.","defer_loading":true,` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false},` +
		`{"type":"function","name":"send_mail","parameters":{"type":"object","properties":{}},` +
		`"strict":false,"defer_loading":true}]}`,
}

// finder is the name of the search, by the client's protocol.
var finder = map[string]string{"anthropic": "tool_search_tool_bm25", "responses": "tool_search"}

// find is a call of the search.
func find(client string) vendors.Call {
	return vendors.Call{ID: "call_1", Name: finder[client], Input: object{"query": "the weather"}}
}

// weather is a call of the tool found.
func weather() vendors.Call {
	return vendors.Call{ID: "call_2", Name: "get_weather", Input: object{"city": "Paris"}}
}

// declared are the names of the tools in a request to an upstream.
func declared(protocol string, r sent) (names []string) {
	path := map[string]string{"chat": "tools.#.function.name",
		"gemini": "tools.0.functionDeclarations.#.name"}[protocol]
	if path == "" {
		path = "tools.#.name"
	}
	for _, name := range r.member(path).Array() {
		names = append(names, name.Str)
	}
	return names
}

// TestFindTools: each client that can defer tools, on each upstream without a search for them.
func TestFindTools(t *testing.T) {
	t.Parallel()
	for client := range deferring {
		for _, protocol := range upstreamProtocols {
			t.Run(client+" to "+protocol, func(t *testing.T) {
				t.Parallel()
				eachWay(t, func(t *testing.T, stream bool) {
					d := deployTo(t, protocol, nil)
					d.upstreams["up.test"] = d.plays(protocol, round("I look.", find(client)), round("", weather()))
					a := d.ask("POST", paths[client], streamed(deferring[client], stream))
					require.Equal(t, 200, a.Code, a.text())
					if client == protocol && !stream { // the details of the rounds have no sum
						assert.Equal(t, "usage", a.Header().Get("x-edgelingua-lost"))
					} else {
						assert.Empty(t, a.Header().Values("x-edgelingua-lost"))
					}
					assert.Equal(t, "I look.", answerText(t, client, a))
					asked := d.askedAt("up.test")
					require.Len(t, asked, 2)
					assert.Equal(t, []string{finder[client]}, declared(protocol, asked[0]))
					assert.Equal(t, []string{finder[client], "get_weather"}, declared(protocol, asked[1]))
					wants := []string{`"type":"tool_search_call"`, `"type":"tool_search_output"`,
						`"type":"function_call"`, `"input_tokens":20,`}
					if client == "anthropic" {
						wants = []string{`"name":"tool_search_tool_bm25"`, `"type":"tool_reference"`,
							`"type":"tool_use"`, `"input_tokens":20,`}
					}
					for _, want := range wants {
						assert.Contains(t, a.text(), want)
					}
				})
			})
		}
	}
}

// TestDeferredToolsPass: a request to an upstream of the client's own API passes unchanged if the
// upstream searches tools itself, or the client does.
func TestDeferredToolsPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ client, url, model, from, to string }{
		{"anthropic", "https://api.anthropic.com", "claude-opus-4-8", "", ""},
		{"anthropic", "https://gateway.test", "claude-opus-4-8", "", ""},
		{"responses", "https://api.openai.com/v1", "gpt-5.4", "", ""},
		{"responses", "https://api.openai.com/v1", "gpt-5.2", `"type":"tool_search"`,
			`"type":"tool_search","execution":"client"`},
		{"anthropic", "https://gateway.test", "kimi", `{"name":"tool_search_tool_bm25",` +
			`"type":"tool_search_tool_bm25_20251119"}`, `{"name":"ToolSearch","input_schema":{"type":"object"}}`},
	} {
		d := deployTo(t, c.client, map[string]string{"UPSTREAM_URL": c.url})
		host := strings.Split(c.url, "/")[2]
		d.upstreams[host] = says(200, plainOf[c.client])
		request := strings.Replace(with(deferring[c.client], `{"model":`+strconv.Quote(c.model)+`}`), c.from, c.to, 1)
		a := d.ask("POST", paths[c.client], request)
		require.Equal(t, 200, a.Code, a.text())
		assert.Equal(t, request, d.askedAt(host)[0].body, c.url)
	}
}

// TestFindToolsAgain: the conversation of a stored response has the tools that its searches found.
func TestFindToolsAgain(t *testing.T) {
	t.Parallel()
	d := deployTo(t, "chat", map[string]string{"OPTIONS": storeOption})
	d.upstreams["up.test"] = d.plays("chat", round("I look.", find("responses")), round("", weather()),
		round("It rains."))
	a := d.ask("POST", paths["responses"], deferring["responses"])
	require.Equal(t, 200, a.Code, a.text())
	next := with(deferring["responses"], `{"previous_response_id":`+gjson.Get(a.text(), "id").Raw+`,"input":[`+
		`{"type":"function_call_output","call_id":"call_2","output":"rain"}]}`)
	a = d.ask("POST", paths["responses"], next)
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, "It rains.", a.get("output.0.content.0.text").Str)
	asked := d.askedAt("up.test")
	assert.Equal(t, []string{"tool_search", "get_weather"}, declared("chat", asked[2]))
	before := strings.TrimSuffix(asked[1].member("messages").Raw, "]")
	assert.True(t, strings.HasPrefix(asked[2].member("messages").Raw, before), "%s\n%s", before, asked[2].body)
	assert.False(t, slices.Contains(declared("chat", asked[0]), "get_weather"))
}
