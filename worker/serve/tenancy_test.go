package serve_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// town is a deployment with the endpoints anna and bert. Each has stored a response.
type town struct {
	*deployment
	keys, responses, items, keyIDs map[string]string // by the endpoint's name
}

func newTown(t *testing.T) *town {
	d := &town{tenants(t, nil), map[string]string{}, map[string]string{}, map[string]string{},
		map[string]string{}}
	for _, name := range []string{"anna", "bert"} {
		made := d.tenant(name, object{
			"options": object{"store": "on", "required_action": "on"}, "usage": true,
			"limits": object{"requests_per_minute": 5000, "concurrent_requests": 500},
			"upstreams": list{upstreamObject("chat", "up.test",
				object{"key": "sk-of-" + name + "-0123456789", "models": list{name + "-model"}})},
			"key": object{"label": "label of " + name},
		})
		d.keys[name], d.keyIDs[name] = made.get("key").Str, idOf(made, 0)
		d.upstreams["up.test"] = says(200,
			`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,`+
				`"finish_reason":"tool_calls","message":{"role":"assistant","content":"hello `+name+`",
			"tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{}"}}]}}],"usage":`+chatUsage+`}`)
		a := d.ask("POST", "/u/"+name+"/v1/responses", smallestOf("responses",
			object{"model": name + "-model", "input": "secret of " + name,
				"tools": list{object{"type": "function", "name": "look", "parameters": object{},
					"strict": false}}}), bearer(d.keys[name]))
		require.Equal(t, 200, a.Code, a.text())
		d.responses[name], d.items[name] = a.get("id").Str, a.get("output.0.id").Str
	}
	d.upstreams["up.test"] = speaks("chat")
	return d
}

// call is a request to a route.
type tenantCall struct{ method, path, body string }

// routes returns requests to all model routes of an endpoint. id is the id of a stored response.
func routes(id, model string) (all []tenantCall) {
	for _, client := range clientProtocols {
		all = append(all, tenantCall{"POST", paths[client], smallestOf(client, object{"model": model})},
			tenantCall{"POST", paths[client], smallestOf(client, object{"model": model,
				"stream": true})})
	}
	return append(all,
		tenantCall{"POST", "/v1/messages/count_tokens", smallestOf("anthropic", object{"model": model})},
		tenantCall{"POST", "/v1/responses/input_tokens", smallestOf("responses", object{"model": model})},
		tenantCall{"GET", "/v1/models", ""},
		tenantCall{"HEAD", "/v1/models", ""},
		tenantCall{"GET", "/v1/models/" + model, ""},
		tenantCall{"GET", "/v1/responses/" + id, ""},
		tenantCall{"HEAD", "/v1/responses/" + id + "/", ""},
		tenantCall{"GET", "/v1/responses/" + id + "?stream=true&include[]=reasoning.encrypted_content", ""},
		tenantCall{"GET", "/v1/responses/" + id + "/input_items?limit=100", ""},
		tenantCall{"POST", "/v1/responses/" + id + "/submit_tool_outputs",
			`{"tool_outputs":[{"tool_call_id":"call_1","output":"x"}]}`},
		tenantCall{"POST", "/v1/responses/" + id + "/cancel", "{}"},
		tenantCall{"DELETE", "/v1/responses/" + id, ""},
	)
}

// forms are the headers for a key.
func (d *town) forms(key string) [][]string {
	return [][]string{{none, "X-Api-Key: " + key}, {bearer(key)}, {"X-Api-Key: " + key,
		bearer(d.keys["anna"])}}
}

// stateOfAnna is everything about anna. No request of bert may change this.
func (d *town) stateOfAnna() string {
	return d.admin("GET", "/endpoints/anna", "").text() + d.admin("GET", "/endpoints/anna/usage", "").text() +
		d.ask("GET", "/u/anna/v1/responses/"+d.responses["anna"], "", bearer(d.keys["anna"])).text()
}

// constantHeaders returns the constant headers of an answer.
func constantHeaders(a *answer) http.Header {
	h := a.Header().Clone()
	for _, name := range []string{"date", "x-request-id", "request-id", "server-timing"} {
		h.Del(name)
	}
	return h
}

// TestKeysOfOthers: a key of another endpoint is a wrong key in every place.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	d := newTown(t)
	before, asked, checks, start := d.stateOfAnna(), len(d.asked), 0, d.now()
	own := []tenantCall{{"GET", "/api", ""}, {"GET", "/api/usage?days=90", ""}, {"POST", "/api/rotate", "{}"}}
	unknown := "el_anna_" + strings.Repeat("u", 43)
	ofBert := strings.Replace(d.keys["bert"], "_bert_", "_anna_", 1)
	for i, c := range append(own, routes(d.responses["anna"], "anna-model")...) {
		var wrongs []*answer
		for _, headers := range d.forms(unknown) {
			wrongs = append(wrongs, d.ask(c.method, "/u/anna"+c.path, c.body, headers...))
		}
		for _, key := range []string{d.keys["bert"], ofBert, hashOf(d.keys["anna"]), d.keyIDs["anna"],
			"sk-of-anna-0123456789"} {
			for i, headers := range d.forms(key) {
				a := d.ask(c.method, "/u/anna"+c.path, c.body, headers...)
				require.Equal(t, 401, a.Code, "%s %s", c.method, c.path)
				require.Equal(t, wrongs[i].text(), a.text())
				require.Equal(t, constantHeaders(wrongs[i]), constantHeaders(a))
				checks++
			}
		}
		if i < len(own) {
			continue
		}
		a := d.ask(c.method, "/k/"+ofBert+c.path, c.body, none, "X-Api-Key: "+d.keys["anna"])
		require.Equal(t, 401, a.Code, "%s %s", c.method, c.path)
		require.Equal(t, wrongs[0].text(), a.text())
		checks++
	}
	for _, c := range []tenantCall{{"GET", "", ""}, {"GET", "/anna", ""}, {"PATCH", "/anna", "{}"},
		{"DELETE", "/anna", ""}, {"POST", "/anna/keys", "{}"}, {"DELETE", "/anna/keys/" + d.keyIDs["anna"],
			""},
		{"POST", "/anna/rotate", "{}"}, {"POST", "/anna/test", "{}"}, {"POST", "/anna/models", "{}"},
		{"GET", "/anna/usage", ""}, {"GET", "/bert", ""}, {"PATCH", "/bert", "{}"}} {
		for _, headers := range d.forms(d.keys["bert"]) {
			d.later(time.Minute) // attempts at ADMIN_KEY are limited
			require.Equal(t, 401, d.ask(c.method, endpoints+c.path, c.body, headers...).Code, "%s %s",
				c.method, c.path)
			checks++
		}
	}
	require.Greater(t, checks, 320)
	require.Len(t, d.asked, asked)
	d.setTime(start.Unix()) // requests_per_minute counts the last minute
	require.Equal(t, before, d.stateOfAnna())
}

// TestNamesOfOthers: stored data of one endpoint is not available at another endpoint, by any name.
func TestNamesOfOthers(t *testing.T) {
	t.Parallel()
	d := newTown(t)
	before := d.stateOfAnna()
	key, response, item := d.keys["bert"], d.responses["anna"], d.items["anna"]
	hidden := func(a *answer, what string) {
		t.Helper()
		require.Contains(t, []int{400, 404}, a.Code, "%s: %s", what, a.text())
		require.NotContains(t, a.text(), "secret of anna")
		require.NotContains(t, a.text(), "hello anna")
	}
	for _, id := range []string{response, strings.ToUpper(response), "anna/" + response,
		"..%2f..%2f..%2fanna%2fv1%2fresponses%2f" + response, response + "%00",
		response + "'%20OR%20'1'='1", "%25", "resp_%25", "*", item} {
		for _, base := range []string{"/u/bert", "/k/" + key} {
			for _, c := range routes(id, "bert-model") {
				if strings.HasPrefix(c.path, "/v1/responses/") && !strings.Contains(c.path, "input_tokens") {
					hidden(d.ask(c.method, base+c.path, c.body, bearer(key)), c.method+" "+c.path)
				}
			}
		}
	}
	asked := len(d.asked)
	for _, more := range []object{
		{"previous_response_id": response},
		{"previous_response_id": strings.ToUpper(response)},
		{"previous_response_id": response + "' OR 1=1 --"},
		{"previous_response_id": "endpoint:anna/" + response},
		{"previous_response_id": item},
		{"input": list{object{"type": "item_reference", "id": item}}},
		{"input": list{object{"type": "item_reference", "id": response}}},
		{"input": list{object{"id": item}}},
		{"input": list{object{"type": "function_call_output", "call_id": "call_1", "output": "x"}},
			"previous_response_id": response},
		{"conversation": response},
	} {
		for _, stream := range []bool{false, true} {
			more["model"], more["stream"] = "bert-model", stream
			hidden(d.ask("POST", "/u/bert/v1/responses", smallestOf("responses", more), bearer(key)),
				encoded(more))
		}
	}
	for _, model := range []string{"anna/anna-model", "anna-model", "../anna/x", "endpoint:anna"} {
		require.Equal(t, 404, d.ask("POST", "/u/bert/v1/chat/completions", smallestOf("chat",
			object{"model": model}), bearer(key)).Code, model)
	}
	require.Len(t, d.asked, asked)
	for _, path := range []string{"/api", "/api/usage", "/v1/models"} {
		a := d.ask("GET", "/u/bert"+path, "", bearer(key))
		require.Equal(t, 200, a.Code, a.text())
		require.NotContains(t, a.text(), "anna")
	}
	require.Equal(t, before, d.stateOfAnna())
}

// TestEmptyBodies: a request without a body stays a POST at the upstream. OpenAI answers GET
// /v1/chat/completions with all stored conversations of an account.
func TestEmptyBodies(t *testing.T) {
	t.Parallel()
	for _, client := range clientProtocols {
		d := deploy(t, nil)
		key := d.tenant("anna", object{"upstreams": list{upstreamObject(client, "up.test",
			object{"key": "sk-of-the-upstream"})}}).get("key").Str
		d.upstreams["up.test"] = func(r *sent) *reply {
			if r.Method == "POST" {
				return says(400, `{"error":{"message":"empty","type":"invalid_request_error"}}`)(r)
			}
			return says(200, `{"data":[]}`)(r)
		}
		for _, path := range []string{paths[client], "/v1/messages/count_tokens",
			"/v1/responses/input_tokens"} {
			for _, headers := range [][]string{{"Content-Length: 0"}, {"Transfer-Encoding: chunked"},
				{"Content-Length: 0", "X-Http-Method-Override: GET"}} {
				a := d.ask("POST", "/u/anna"+path+"?limit=100", "", append(headers, bearer(key))...)
				require.Equal(t, 400, a.Code, a.text())
			}
		}
		for _, asked := range d.asked {
			require.Equal(t, "POST", asked.Method)
			require.Empty(t, asked.Header.Get("X-Http-Method-Override"))
		}
	}
}

// TestSealedElsewhere: a key sealed for one upstream of one endpoint opens nowhere else.
func TestSealedElsewhere(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	d.upstreams["other.test"] = speaks("chat")
	up := func(name string, more object) object {
		u := upstreamObject("chat", "up.test", object{"name": name,
			"key": "sk-of-" + name + "-of-the-upstream"})
		for member, value := range more {
			u[member] = value
		}
		return u
	}
	key := d.tenant("carl", object{"upstreams": list{up("one", nil),
		up("two", object{"models": list{"two"}})}}).get("key").Str
	other := d.tenant("dora", object{"upstreams": list{up("one", nil), up("two", nil)}}).get("key").Str
	carl, dora := d.stored("carl"), d.stored("dora")
	// one returns carl's record with only a changed first upstream.
	one := func(change func(up object)) string {
		return edited(carl, func(o object) {
			o["upstreams"] = o["upstreams"].(list)[:1]
			change(firstUpstream(o))
		})
	}
	sealedOf := func(record string, n int) (sealed any) {
		edited(record, func(o object) { sealed = o["upstreams"].(list)[n].(object)["key"] })
		return sealed
	}
	for _, test := range []struct{ what, name, record, key string }{
		{"the record of another endpoint", "dora", carl, key},
		{"the record of another endpoint, with the own keys", "dora", edited(carl,
			func(o object) { edited(dora, func(own object) { o["keys"] = own["keys"] }) }), other},
		{"another endpoint's key", "carl", one(func(up object) { up["key"] = sealedOf(dora, 0) }), key},
		{"the key of another upstream", "carl", one(func(up object) { up["key"] = sealedOf(carl, 1) }), key},
		{"another host", "carl", one(func(up object) { up["url"] = "https://other.test/v1" }), key},
		{"another port", "carl", one(func(up object) { up["url"] = "https://up.test:1/v1" }), key},
		{"another name", "carl", one(func(up object) { up["name"] = "two" }), key},
	} {
		_, metadata, _, err := d.store.Get("endpoint:" + test.name)
		require.NoError(t, err)
		require.NoError(t, d.store.Put("endpoint:"+test.name, []byte(test.record), metadata, 0))
		a := d.converse(test.name, test.key)
		require.Equal(t, 500, a.Code, "%s: %s", test.what, a.text())
		require.Regexp(t, `key of the upstream \w+ can.t be opened\. .*SEAL_KEY_PREVIOUS.* set this key again`,
			a.text(), test.what)
		require.NotRegexp(t, `sk-of|v1\.`, a.text(), test.what)
	}
	require.Empty(t, d.asked)
	require.NoError(t, d.store.Put("endpoint:carl", []byte(carl), nil, 0))
	require.Equal(t, 200, d.converse("carl", key).Code)
}

// TestNoKeyAtRest: KV, objects and reports contain no key in plain text.
func TestNoKeyAtRest(t *testing.T) {
	t.Parallel()
	d := newTown(t)
	secrets := []string{adminKey, d.keys["anna"], d.keys["bert"], "sk-of-anna-0123456789",
		"sk-of-bert-0123456789"}
	rotated := d.ask("POST", "/u/anna/api/rotate", `{"grace":60}`, bearer(d.keys["anna"])).get("key").Str
	secrets = append(secrets, rotated, d.admin("POST", "/endpoints/anna/keys", "{}").get("key").Str,
		d.admin("POST", "/endpoints/bert/rotate", "{}").get("key").Str)
	d.upstreams["up.test"] = func(r *sent) *reply {
		return says(401, encoded(object{"error": object{"message": "wrong key " +
			r.Header.Get("Authorization"), "type": "invalid_request_error"}}))(r)
	}
	d.admin("POST", "/endpoints/anna/test", "{}")
	require.Equal(t, 401, d.ask("POST", "/k/"+rotated+"/v1/chat/completions", smallestOf("chat",
		object{"model": "anna-model"}), none).Code)
	dump := d.dump() + d.reports()
	tables := d.tables("endpoint:anna")
	require.Contains(t, tables, "endpoint_record")
	require.Contains(t, tables, "responses")
	require.True(t, slices.ContainsFunc(tables, func(name string) bool {
		return strings.HasPrefix(name,
			"usage")
	}))
	require.Contains(t, dump, "secret of anna") // conversations are stored in the clear, as SECURITY.md says
	for _, secret := range secrets {
		require.Greater(t, len(secret), 20)
		for _, form := range []string{secret, regexp.MustCompile("^el_[^_]*_").ReplaceAllString(secret, ""),
			url.QueryEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))} {
			require.NotContains(t, dump, form)
		}
	}
}

// reports returns the reports of all finished requests.
func (d *deployment) reports() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all strings.Builder
	for _, o := range d.outcomes {
		all.Write(append(o.Report, '\n'))
	}
	return all.String()
}
