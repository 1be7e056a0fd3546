package serve_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const withLog = `"request_log":{"ttl":86400},`

// log returns the requests of the log that a query finds, in the admin's view.
func (e *ownEndpoint) log(query string) gjson.Result {
	e.d.t.Helper()
	a := e.d.admin("GET", "/endpoints/"+e.name+"/requests?"+query, "")
	require.Equal(e.d.t, 200, a.Code, a.text())
	return gjson.Parse(a.text())
}

func (e *ownEndpoint) sessions() gjson.Result {
	e.d.t.Helper()
	a := e.d.admin("GET", "/endpoints/"+e.name+"/sessions", "")
	require.Equal(e.d.t, 200, a.Code, a.text())
	return gjson.Parse(a.text()).Get("sessions")
}

// askAs sends a request with headers.
func (e *ownEndpoint) askAs(client string, a asking, headers ...string) *answer {
	path, body := a.httpOf(client)
	return e.d.ask("POST", "/u/"+e.name+path, body,
		append([]string{"Authorization: ", "X-Api-Key: " + e.key}, headers...)...)
}

// TestLoggedAttempts: the log has the upstreams of a request, their times and failures, and why others
// were avoided.
func TestLoggedAttempts(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	broken := func(*sent) *reply {
		d.later(30 * time.Millisecond)
		return says(503, `{"error":{"message":"down"}}`)(nil)
	}
	d.upstreams["a.test"], d.upstreams["b.test"] = broken, counted("chat")
	d.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errUnreachable} }
	e := d.endpoint(withLog + ownPrices + `,` + upstreamList(upstreamAt("a", "chat", "a.test"),
		upstreamAt("gone", "chat", "gone.test"), upstreamAt("b", "chat", "b.test")))
	for range 4 {
		require.Equal(t, 200, e.ask("anthropic", asking{model: "mine"}).Code)
		d.later(time.Second)
	}
	log := e.log("")
	require.Len(t, log.Get("requests").Array(), 4)
	first, last := log.Get("requests.3"), log.Get("requests.0")
	assert.JSONEq(t, `[{"upstream":"a","status":503,"ms":30},
		{"upstream":"gone","status":0,"ms":0,"reason":"unreachable"},{"upstream":"b","status":200,"ms":0}]`,
		first.Get("attempts").Raw)
	assert.JSONEq(t, `[{"upstream":"a","avoided":"cooldown"},{"upstream":"gone","avoided":"cooldown"},
		{"upstream":"b","status":200,"ms":0}]`, last.Get("attempts").Raw)
	assert.Equal(t, "end_turn", first.Get("finish").Str)
	assert.Len(t, e.log("upstream=b").Get("requests").Array(), 4)
	assert.Empty(t, e.log("upstream=a").Get("requests").Array())

	d.upstreams["b.test"] = broken
	assert.NotEqual(t, 200, e.ask("chat", asking{model: "mine"}).Code)
	log = e.log("status=error&limit=1")
	assert.Len(t, log.Get("errors").Array(), 1)
	assert.Len(t, log.Get("requests.0.attempts.#(status>0)#").Array(), 2)
	assert.Empty(t, log.Get("requests.0.finish").Str)
}

// TestUnknownModel: both logs say that no table has the model of a translated request at its vendor's
// own server, without the name. The last upstream decides for the host's log, each attempt for the
// request log.
func TestUnknownModel(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["api.openai.com"] = func(r *sent) *reply {
		if strings.Contains(r.body, "gpt-8") {
			return says(503, `{"error":{"message":"down"}}`)(r)
		}
		return counted("chat")(r)
	}
	d.upstreams["b.test"] = counted("chat")
	e := d.endpoint(withLog + upstreamList(upstreamAt("a", "chat", "api.openai.com"),
		upstreamAt("b", "chat", "b.test")))
	const key = "sk-ant-api03-0123456789abcdefghij"
	for _, c := range []struct {
		client, model string
		logged        bool
		attempts      string
	}{
		{"anthropic", "gpt-9", true, `[true]`},
		{"anthropic", key, true, `[true]`},
		{"anthropic", "gpt-5.5", false, `[]`},
		{"chat", "gpt-9", false, `[]`}, // no table decides on a body that passes
		{"anthropic", "gpt-8", false, `[true]`},
	} {
		require.Equal(t, 200, e.ask(c.client, asking{model: c.model}).Code)
		assert.Equal(t, c.logged, d.report("unknown_model").Bool(), c.model)
		row := e.log("").Get("requests.0")
		assert.Equal(t, c.attempts, row.Get("attempts.#.unknown_model").Raw, c.model)
		assert.NotContains(t, row.Raw+d.report("@this").Raw, key)
	}
	last := e.log("").Get("requests.0.attempts")
	assert.Equal(t, int64(503), last.Get("0.status").Int())
	assert.Equal(t, "b", last.Get("1.upstream").Str)
	passed := d.endpoint(withLog + upstreamList(upstreamAt("a", "responses", "api.openai.com"),
		upstreamAt("b", "chat", "b.test")))
	require.Equal(t, 200, passed.ask("chat", asking{model: "gpt-8"}).Code)
	assert.False(t, d.report("unknown_model").Exists(), "the body passed to the last upstream")
}

// TestFinish: the log has the reason why an answer ended, translated, untranslated and streamed.
func TestFinish(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, client, protocol string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted(protocol)
		e := d.endpoint(withLog + oneUpstream(protocol))
		for _, stream := range []bool{false, true} {
			require.Equal(t, 200, e.ask(client, asking{stream: stream}).Code)
		}
		assert.Equal(t, `["end_turn","end_turn"]`, e.log("").Get("requests.#.finish").Raw)
	})
}

// TestSessions: requests with the same id of a session are summed, by key. The ids of two endpoints
// differ, and nothing has the client's own id.
func TestSessions(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = func(r *sent) *reply {
		d.later(2 * time.Second)
		return counted("chat")(r)
	}
	e := d.endpoint(withLog + ownPrices + `,` + oneUpstream("chat"))
	other := d.endpoint(withLog + oneUpstream("chat"))
	const id = "0199-anna.muster@example.com"
	mine := []string{"X-Claude-Code-Session-Id: " + id, "User-Agent: claude-cli/2.1.329 (external, cli)"}
	for range 2 {
		require.Equal(t, 200, e.askAs("anthropic", asking{model: "mine"}, mine...).Code)
	}
	require.Equal(t, 200, e.askAs("anthropic", asking{model: "mine"},
		append(mine, "X-Claude-Code-Agent-Id: explorer-of-anna")...).Code)
	require.Equal(t, 200, other.askAs("anthropic", asking{}, mine...).Code)
	all := e.sessions()
	require.Len(t, all.Array(), 1, all.Raw)
	s := all.Get("0")
	for member, want := range map[string]any{"client": "claude-cli", "began": float64(midnight),
		"last": midnight + 6.0, "requests": 3.0, "errors": 0.0, "input": 369.0, "output": 120.0,
		"cached": 60.0, "unpriced": 0.0, "total_ms": 6000.0} {
		assert.Equal(t, want, s.Get(member).Value(), member)
	}
	assert.InDelta(t, 3*priceOf("chat"), s.Get("usd").Num, 1e-9)
	hash := s.Get("session").Str
	assert.Len(t, hash, 16)
	found := e.log("session=" + url.QueryEscape(hash)).Get("requests")
	require.Len(t, found.Array(), 3)
	assert.Len(t, found.Get("0.agent").Str, 16)
	assert.NotEqual(t, hash, found.Get("0.agent").Str)
	assert.Empty(t, found.Get("1.agent").Str)
	assert.NotEqual(t, hash, other.sessions().Get("0.session").Str, "equal ids of two endpoints differ")
	assert.Len(t, e.log("client=claude-cli").Get("requests").Array(), 3)
	for _, text := range []string{e.log("").Raw, all.Raw, e.usage().Raw} {
		assert.NotContains(t, text, "anna")
	}

	// another key of the endpoint with the same id
	made := d.admin("POST", "/endpoints/"+e.name+"/keys", `{}`)
	thief := &ownEndpoint{d, e.name, made.get("key").Str}
	require.Equal(t, 200, thief.askAs("anthropic", asking{model: "mine"}, mine...).Code)
	assert.Equal(t, `[1,3]`, e.sessions().Get("#.requests").Raw)
	own := thief.send("GET", "/api/sessions", "")
	assert.Equal(t, `[1]`, own.get("sessions.#.requests").Raw)
	own = thief.send("GET", "/api/requests?session="+url.QueryEscape(hash), "")
	assert.Len(t, own.get("requests").Array(), 1)
}

// TestSessionsOfClients: the ids of the clients' sessions and agents, by the form in which each client
// sends them.
func TestSessionsOfClients(t *testing.T) {
	t.Parallel()
	const user = `"metadata":{"user_id":`
	for name, c := range map[string]struct {
		client, more string
		headers      []string
		session      bool
		agent        bool
	}{
		"Claude Code": {"anthropic", "", []string{"X-Claude-Code-Session-Id: s"}, true, false},
		"a sub-agent of Claude Code": {"anthropic", "", []string{"X-Claude-Code-Session-Id: s",
			"X-Claude-Code-Agent-Id: a"}, true, true},
		"Claude Code without the header": {"anthropic",
			user + `"{\"device_id\":\"d\",\"account_uuid\":\"\",\"session_id\":\"s\"}"},`, nil, true, false},
		"an older Claude Code": {"anthropic", user + `"user_d_account_a_session_s"},`, nil, true, false},
		"Codex":                {"responses", "", []string{"Session-Id: s", "Thread-Id: s"}, true, false},
		"a thread of Codex":    {"responses", "", []string{"Session-Id: s", "Thread-Id: t"}, true, true},
		"an older Codex":       {"responses", `"prompt_cache_key":"s",`, nil, true, false},
		"pi":                   {"chat", "", []string{"Session_id: s"}, true, false},
		"opencode":             {"chat", "", []string{"X-Session-Affinity: s"}, true, false},
		"a person":             {"anthropic", user + `"anna"},`, nil, false, false},
		"none":                 {"gemini", "", nil, false, false},
	} {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(withLog + oneUpstream("chat"))
		a := e.askAs(c.client, asking{more: c.more}, c.headers...)
		require.Equal(t, 200, a.Code, a.text())
		r := e.log("").Get("requests.0")
		assert.Equal(t, []bool{c.session, c.agent},
			[]bool{r.Get("session").Str != "", r.Get("agent").Str != ""}, name)
		assert.Len(t, e.sessions().Array(), map[bool]int{true: 1}[c.session], name)
	}
}

// TestLogOfSecrets: neither texts nor keys come into the log, wherever a client or an upstream puts
// them, and everything is cut.
func TestLogOfSecrets(t *testing.T) {
	t.Parallel()
	const vendors, prompt = "sk-ant-api03-0123456789abcdefghij", "what I said in private"
	long := strings.Repeat("x", 10_000)
	d := deploy(t, nil)
	d.upstreams["up.test"] = func(r *sent) *reply {
		return says(400, `{"error":{"message":"Invalid '`+prompt+`' with `+vendors+` `+long+`",`+
			`"type":"`+long+`","code":"`+long+`"}}`)(r)
	}
	e := d.endpoint(withLog + `"options":{"lossy":"report"},` + oneUpstream("chat"))
	for _, value := range []string{vendors, e.key, prompt, long} {
		for _, header := range []string{"User-Agent", "X-Claude-Code-Session-Id", "X-Claude-Code-Agent-Id",
			"Session-Id", "Thread-Id", "X-Session-Affinity"} {
			e.askAs("anthropic", asking{model: vendors}, header+": "+value)
		}
		e.askAs("responses", asking{more: `"prompt_cache_key":"` + value + `",`})
		e.askAs("anthropic", asking{more: `"metadata":{"user_id":"session ` + value + `"},"` + long + `":1,`})
	}
	for _, text := range []string{e.log("limit=200").Raw, e.sessions().Raw} {
		for _, secret := range []string{vendors, e.key, e.key[len(e.key)-20:], "private", long[:600]} {
			assert.NotContains(t, text, secret)
		}
	}
	assert.Len(t, e.log("limit=200").Get("requests").Array(), 32)
}

// TestSubrequestsOfTheLog: a page of the log reads the record and asks the endpoint's object once.
func TestSubrequestsOfTheLog(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(withLog + oneUpstream("chat"))
	e.ask("chat", asking{})
	for _, path := range []string{"requests", "sessions"} {
		from := len(d.state.operations)
		require.Equal(t, 200, d.admin("GET", "/endpoints/"+e.name+"/"+path, "").Code)
		assert.LessOrEqual(t, len(d.state.operations[from:]), 3, d.state.operations[from:])
		from = len(d.state.operations)
		require.Equal(t, 200, e.send("GET", "/api/"+path, "").Code)
		assert.LessOrEqual(t, len(d.state.operations[from:]), 4, d.state.operations[from:])
	}
}

// TestSessionHashesNeedAKey: deployments with different keys have different hashes of equal ids, so the
// hash of a guessed id can't be computed outside. ADMIN_KEY counts first, and CLIENT_KEY without it.
func TestSessionHashesNeedAKey(t *testing.T) {
	t.Parallel()
	hashes := map[any]bool{}
	for _, keys := range [][2]string{{"operator-of-one-deployment", clientKey}, {"operator-of-another-one", clientKey},
		{"", clientKey}, {"", "another-clients-key"}} {
		d := deploy(t, map[string]string{"ADMIN_KEY": keys[0], "CLIENT_KEY": keys[1], "USAGE": "true",
			"REQUEST_LOG": "60"})
		d.upstreams["up.test"] = counted("chat")
		a := d.ask("POST", "/v1/chat/completions", `{"model":"m","messages":[]}`, bearer(keys[1]), "Session-Id: s")
		require.Equal(t, 200, a.Code, a.text())
		hashes[d.rows("deployment", "SELECT session FROM usage_log")[0]] = true
	}
	require.Len(t, hashes, 4)
	require.NotContains(t, hashes, "")
}
