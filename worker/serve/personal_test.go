package serve_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// deployPersonal returns a deployment that has only personal endpoints.
func deployPersonal(t *testing.T) *deployment {
	t.Helper()
	return deploy(t, map[string]string{"UPSTREAM_URL": "", "UPSTREAM_PROTOCOL": "", "UPSTREAM_KEY": "",
		"CLIENT_KEY": ""})
}

// toA is the list of upstreams of an endpoint with one upstream.
var toA = upstreamList(upstreamAt("a", "chat", "a.test"))

// saying is counted with another text.
func saying(protocol, text string) upstream {
	answer := counted(protocol)
	return func(r *sent) *reply {
		a := *answer(r)
		chunks := make([]string, len(a.chunks))
		for i, chunk := range a.chunks {
			chunks[i] = strings.ReplaceAll(chunk, `"ok"`, `"`+text+`"`)
		}
		a.chunks = chunks
		return &a
	}
}

// TestKeyOfAnEndpoint sends the key in each possible place.
func TestKeyOfAnEndpoint(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	d.upstreams["a.test"] = saying("chat", "from a")
	e := d.enroll("anna", toA)
	for _, test := range []struct {
		name, path, header string
	}{
		{"x-api-key", "/u/anna/v1/messages", "X-Api-Key: " + e.key},
		{"a bearer token", "/u/anna/v1/messages", bearer(e.key)},
		{"the path", "/k/" + e.key + "/v1/messages", "X-Api-Key: "},
		{"the path, and the key of a vendor", "/k/" + e.key + "/v1/messages", "X-Api-Key: sk-ant-something"},
	} {
		a := d.ask("POST", test.path, messagesBody, "Authorization: ", test.header)
		require.Equal(t, 200, a.Code, "%s: %s", test.name, a.text())
		assert.Equal(t, "from a", a.get("content.0.text").Str)
		sent := d.last()
		assert.Equal(t, "/v1/chat/completions", sent.URL.Path)
		assert.Empty(t, sent.Header.Values("Authorization"))
		assert.NotContains(t, fmt.Sprint(sent.Header, sent.URL), e.key)
	}
}

// TestRoutesOfAnEndpoint asks each route with the key of the endpoint.
func TestRoutesOfAnEndpoint(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	d.upstreams["a.test"] = counted("chat")
	e := d.enroll("anna", upstreamList(upstreamAt("a", "chat", "a.test",
		`,"models":{"opus":"big","gpt-*":"small"}`)))
	assert.Equal(t, `["opus"]`, e.send("GET", "/v1/models", "").get("data.#.id").Raw)
	assert.Positive(t, e.send("POST", "/v1/messages/count_tokens",
		`{"model":"opus","messages":[{"role":"user","content":"hi"}]}`).get("input_tokens").Int())
	for _, client := range []string{"chat", "responses"} {
		a := e.ask(client, asking{model: "opus"})
		require.Equal(t, 200, a.Code, a.text())
		assert.Equal(t, "big", gjson.Get(d.last().body, "model").Str)
	}
	assert.Equal(t, 404, e.send("POST", "/v2/messages", messagesBody).Code)
}

// TestStrangers: without a key of an endpoint, a client does not learn whether the endpoint exists.
func TestStrangers(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	anna, bert := d.enroll("anna", toA), d.enroll("bert", toA)
	wrong := func(name string) string { return "el_" + name + "_" + strings.Repeat("w", 43) }
	answers := map[string]string{}
	for _, test := range []struct{ path, key string }{
		{"/u/anna/v1/messages", wrong("anna")},
		{"/u/anna/v1/messages", bert.key},
		{"/u/anna/v1/messages", anna.key[:len(anna.key)-1]},
		{"/u/anna/v1/messages", hashOf(anna.key)},
		{"/u/nobody/v1/messages", anna.key},
		{"/u/nobody/v1/messages", wrong("nobody")},
		{"/u/No%20body/v1/messages", anna.key},
		{"/u//v1/messages", anna.key},
		{"/k/" + wrong("anna") + "/v1/messages", ""},
		{"/k/" + wrong("nobody") + "/v1/messages", ""},
		{"/k/el_anna/v1/messages", ""},
	} {
		a := d.ask("POST", test.path, messagesBody, "Authorization: ", "X-Api-Key: "+test.key)
		assert.Equal(t, 401, a.Code, test.path)
		answers[fmt.Sprint(a.text(), constantHeaders(a))] = test.path
	}
	assert.Len(t, answers, 1)
	d.plant("broken", `{"version":2}`)
	for _, test := range []struct{ method, path string }{
		{"GET", "/v1/models"}, {"GET", "/v1/models/m"}, {"POST", "/v1/responses"},
		{"POST", "/v1/messages/count_tokens"}, {"GET", "/api"},
		{"POST", "/api/rotate"}, {"PUT", "/api"}, {"GET", "/v1/messages"}, {"GET", "/none"}, {"GET", ""},
	} {
		answers := map[string]string{}
		bases := []string{"/u/anna", "/u/bert", "/u/nobody", "/u/broken", "/u/No"}
		if !strings.HasPrefix(test.path, "/api") {
			bases = append(bases, "/k/"+wrong("anna"), "/k/"+wrong("nobody"))
		}
		for _, base := range bases {
			body := "{}"
			if test.method == "GET" {
				body = ""
			}
			a := d.ask(test.method, base+test.path, body, bearer(wrong("anna")))
			a.Header().Del("Content-Length")
			answers[fmt.Sprint(a.Code, strings.ReplaceAll(a.text(), base, ""), constantHeaders(a))] = base
		}
		assert.Len(t, answers, 1, "%s %s", test.method, test.path)
	}
	assert.Empty(t, d.asked)
	assert.Equal(t, 401, d.ask("POST", "/u/anna/v1/messages", messagesBody, "Authorization: ").Code)
}

// TestStatesOfKeys has disabled, expired, replaced and removed keys.
func TestStatesOfKeys(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	d.setTime(midnight)
	d.upstreams["a.test"] = counted("chat")
	hash, another := `{"hash":"`+hashOf(keyOf("anna"))+`"`, `{"hash":"`+hashOf("another")+`"}`
	e := &ownEndpoint{d, "anna", keyOf("anna")}
	for _, test := range []struct {
		record string
		status int
		says   string
	}{
		{`"keys":[` + hash + `}]`, 200, ""},
		{`"keys":[` + another + `,` + hash + fmt.Sprintf(`,"expires":%d}]`, midnight+600), 200, ""},
		{`"keys":[` + hash + fmt.Sprintf(`,"expires":%d}]`, midnight-1), 401, "expired"},
		{`"keys":[` + hash + `}],"disabled":true`, 403, "disabled"},
		{`"keys":[` + another + `]`, 401, "Wrong key"},
		{`"keys":[]`, 401, "Wrong key"},
	} {
		d.plant("anna", `{"version":1,"rev":1,`+test.record+`,`+toA+`}`)
		a := e.ask("anthropic", asking{})
		assert.Equal(t, test.status, a.Code, test.record)
		assert.Contains(t, a.get("error.message").Str, test.says)
	}
	d.plant("anna", `{"version":2}`)
	assert.Equal(t, 401, e.ask("anthropic", asking{}).Code, "a record that can't be read")
	require.NoError(t, d.store.Delete("endpoint:anna"))
	assert.Equal(t, 401, e.ask("anthropic", asking{}).Code, "no record")
}

// TestForwardedKeys: an endpoint with auth forward sends the client's key on, but never a key of
// an endpoint.
func TestForwardedKeys(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	d.upstreams["a.test"] = counted("chat")
	d.plant("open", `{"version":1,"rev":1,"auth":"forward","keys":[],`+toA+`}`)
	a := d.ask("POST", "/u/open/v1/messages", messagesBody, "Authorization: ", "X-Api-Key: sk-mine")
	require.Equal(t, 200, a.Code, a.text())
	assert.Equal(t, "Bearer sk-mine", d.last().Header.Get("Authorization"))
	assert.Equal(t, 401, d.ask("POST", "/u/open/v1/messages", messagesBody, "Authorization: ").Code)
	for _, headers := range [][]string{{"Authorization: ", "X-Api-Key: " + keyOf("open")},
		{bearer(keyOf("anna"))}} {
		a := d.ask("POST", "/u/open/v1/messages", messagesBody, headers...)
		assert.Equal(t, 401, a.Code, "a key of an endpoint goes to no upstream")
		assert.Contains(t, a.get("error.message").Str, "takes the upstream's key")
	}
	assert.Len(t, d.asked, 1)
}

// TestDeploymentBesideEndpoints: the deployment's own endpoint has its own key.
func TestDeploymentBesideEndpoints(t *testing.T) {
	t.Parallel()
	a := deployPersonal(t).ask("POST", "/v1/messages", messagesBody, "Authorization: ", "X-Api-Key: any")
	assert.Equal(t, 401, a.Code)
	assert.Contains(t, a.get("error.message").Str, "CLIENT_KEY")
}

// TestModelSelectsTheUpstream of an endpoint, and the model's name there.
func TestModelSelectsTheUpstream(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	d.upstreams["a.test"], d.upstreams["b.test"] = counted("chat"), counted("chat")
	e := d.enroll("anna", upstreamList(upstreamAt("a", "chat", "a.test", `,"models":["gpt-*","org/*"]`),
		upstreamAt("b", "chat", "b.test", `,"models":{"opus":"big"}`)))
	for _, test := range []struct{ model, host, name string }{
		{"gpt-5", "a.test", "gpt-5"}, {"opus", "b.test", "big"}, {"b/opus", "b.test", "big"},
		{"b/gpt-5", "b.test", "gpt-5"}, {"org/gpt-5", "a.test", "org/gpt-5"},
	} {
		before := len(d.asked)
		a := e.ask("anthropic", asking{model: test.model})
		require.Equal(t, 200, a.Code, a.text())
		assert.Len(t, d.asked, before+1, test.model)
		assert.Equal(t, []string{test.host, test.name},
			[]string{d.last().URL.Host, gjson.Get(d.last().body, "model").Str})
	}
	before := len(d.asked)
	e = d.enroll("bert", upstreamList(upstreamAt("a", "chat", "a.test", `,"models":["gpt-*"]`)))
	a := e.ask("anthropic", asking{model: "claude"})
	assert.Equal(t, 404, a.Code)
	assert.Contains(t, a.get("error.message").Str, "No upstream of this endpoint serves the model claude")
	assert.Len(t, d.asked, before)
}

// TestUsersAtOnce: two users never see each other's answers, models or errors.
func TestUsersAtOnce(t *testing.T) {
	t.Parallel()
	d := deployPersonal(t)
	names := []string{"anna", "bert"}
	var users []*ownEndpoint
	for _, name := range names {
		host := name + ".test"
		d.upstreams[host] = func(r *sent) *reply {
			assert.Equal(t, name+"-model", gjson.Get(r.body, "model").Str)
			assert.Contains(t, r.body, "guide "+name)
			list := gjson.Get(r.body, "messages").Array()
			words := list[len(list)-1].Get("content").Str
			if strings.Contains(words, "error") {
				return says(400, `{"error":{"message":"`+name+` says no to `+words+
					`","type":"invalid_request_error"}}`)(r)
			}
			return saying("chat", name+" heard "+words)(r)
		}
		users = append(users, d.enroll(name,
			`"options":{"guidance":"guide `+name+`"},`+
				upstreamList(upstreamAt("main", "chat", host, `,"models":{"m":"`+name+`-model"}`))))
	}
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			name, kind := names[i%2], []string{"plain", "stream", "error"}[i%3]
			words := fmt.Sprint(kind, " ", i)
			a := users[i%2].ask("anthropic",
				asking{raw: fmt.Sprintf(`{"model":"m","max_tokens":64,"stream":%t,`+
					`"messages":[{"role":"user","content":%q}]}`, kind == "stream", words)})
			assert.NotContains(t, a.text(), names[(i+1)%2])
			switch kind {
			case "error":
				assert.True(t, strings.HasSuffix(a.get("error.message").Str, name+" says no to "+words),
					a.text())
			case "stream":
				assert.Equal(t, name+" heard "+words, textOf(t, a.text()))
			default:
				assert.Equal(t, name+" heard "+words, a.get("content.0.text").Str)
			}
		})
	}
	all.Wait()
	assert.Len(t, d.asked, 120)
}
