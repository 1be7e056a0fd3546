package serve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// storingMembers are members of an endpoint that stores responses and has limits.
const storingMembers = `"options":{"store":"on"},"limits":{"requests_per_minute":3,"concurrent_streams":2,` +
	`"tokens_per_day":10000},`

// absent is the id of a response outside the store.
var absent = "resp_" + strings.Repeat("a", 43)

// follow asks with a response before. id "" is none.
func (e *ownEndpoint) follow(id string, stream bool) *answer {
	more := ""
	if id != "" {
		more = `"previous_response_id":"` + id + `",`
	}
	return e.ask("responses", asking{stream: stream, more: more})
}

// responses returns how many responses the endpoint stores.
func (e *ownEndpoint) responses() int {
	return int(e.d.rows("endpoint:"+e.name, "SELECT count(*) FROM responses")[0].(float64))
}

// TestStoredConversations are counted and charged. A request over a limit is refused before a
// response is looked up.
func TestStoredConversations(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		d.setTime(midnight)
		d.upstreams["up.test"] = counted(protocol)
		e := d.endpoint(storingMembers + oneUpstream(protocol))
		id := e.follow("", false).get("id").Str
		second := e.follow(id, true)
		require.Equal(t, 200, second.Code, second.text())
		unknown := e.follow(absent, false)
		require.Equal(t, 400, unknown.Code, unknown.text())
		u := e.usage()
		assert.Equal(t, []int64{3, 1, 2 * countedInput, 2 * countedOutput},
			sums(u, "requests", "errors", "input", "output"))
		assert.Equal(t, int64(0), u.Get("limits.concurrent_streams.used").Int())
		assert.JSONEq(t, `[{"time":1795219200,"status":400,"type":"invalid_request","request_id":"`+
			unknown.Header().Get("x-request-id")+`"}]`, u.Get("errors").Raw)
		assert.Len(t, d.asked, 2)
		for _, previous := range []string{id, absent} {
			over := e.follow(previous, false)
			require.Equal(t, 429, over.Code, over.text())
			assert.Contains(t, over.text(), "requests_per_minute")
		}
		assert.Equal(t, 2, e.responses())
	})
}

// TestUnstoredAnswers: if an answer can't be stored, the client gets an error and pays for the
// tokens that the upstream counted.
func TestUnstoredAnswers(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(storingMembers + oneUpstream("chat"))
	d.rows("endpoint:"+e.name, "CREATE TABLE responses (other)")
	assert.Equal(t, 500, e.follow("", false).Code)
	a := e.follow("", true)
	assert.Equal(t, 200, a.Code)
	events := strings.Split(strings.TrimSpace(a.text()), "\n\n")
	assert.True(t, strings.HasPrefix(events[len(events)-1], "event: response.failed\n"), a.text())
	u := e.usage()
	assert.Equal(t, int64(2), sum(u, "requests"))
	require.Len(t, u.Get("days").Array(), 1)
	assert.Equal(t, []int64{2, 2 * countedInput, 2 * countedOutput}, sums(u, "errors", "input", "output"))
	assert.Equal(t, `[500,500] ["internal","internal"]`, raw(u, "errors.#.status", "errors.#.type"))
}

// TestStoredFallback: the answer of the second upstream is stored and counted, once.
func TestStoredFallback(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["bad.test"], d.upstreams["up.test"] = fails(503,
		`{"error":{"message":"no"}}`), counted("chat")
	e := d.endpoint(storingMembers + upstreamList(upstreamAt("bad", "anthropic", "bad.test"),
		upstreamAt("up", "chat", "up.test")))
	for _, stream := range []bool{true, false} {
		assert.Equal(t, 200, e.follow("", stream).Code)
	}
	assert.Equal(t, map[string]int{"bad.test": 2, "up.test": 2}, d.hosts())
	u := e.usage()
	assert.Equal(t, []int64{2, 2 * countedInput, 0},
		[]int64{sum(u, "requests"), u.Get("days.0.input").Int(), u.Get("days.0.errors").Int()})
	assert.Equal(t, "[]", u.Get("errors").Raw)
	assert.Equal(t, 2, e.responses())
}

// TestStoredLeaving: a client that leaves releases its slot, and nothing is stored.
func TestStoredLeaving(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	up := d.stage("up.test")
	e := d.endpoint(storingMembers + oneUpstream("chat"))
	c := e.open("responses", asking{stream: true})
	x := up.next()
	x.begin(200)
	go x.send(streamOf["chat"][:2]...)
	assert.Contains(t, c.until("response.output_text.delta"), "response.output_text.delta")
	c.leave()
	<-x.gone
	u := e.usage()
	assert.Equal(t, []int64{1, 0}, []int64{sum(u, "requests"), u.Get("limits.concurrent_streams.used").Int()})
	assert.Equal(t, "[]", u.Get("errors").Raw)
	e.follow(absent, false) // makes the tables
	assert.Equal(t, 0, e.responses())
}

// TestSubmittedOutputs are requests to the model of the response.
func TestSubmittedOutputs(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["up.test"] = func(r *sent) *reply {
		list := gjson.Get(r.body, "messages").Array()
		if list[len(list)-1].Get("role").Str == "tool" {
			return counted("chat")(r)
		}
		return says(200,
			`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,`+
				`"message":{"role":"assistant","content":null,`+
				`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f",`+
				`"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`)(r)
	}
	e := d.endpoint(`"options":{"store":"on","required_action":"on"},"limits":{"requests_per_minute":2,` +
		`"concurrent_streams":2,"tokens_per_day":10000},` + oneUpstream("chat"))
	first := e.ask("responses",
		asking{more: `"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],`})
	assert.Equal(t, "incomplete", first.get("status").Str)
	submit := func() *answer {
		return e.send("POST", "/v1/responses/"+first.get("id").Str+"/submit_tool_outputs",
			`{"tool_outputs":[{"tool_call_id":"call_1","output":"r"}],"stream":true}`)
	}
	patch := func(models string) {
		a := d.admin("PATCH", "/endpoints/"+e.name, `{"limits":{"models":["`+models+`"]}}`)
		require.Equal(t, 200, a.Code, a.text())
		assert.NotEmpty(t, a.text())
	}
	patch("other")
	assert.Equal(t, 403, submit().Code)
	patch("m")
	assert.Equal(t, 200, submit().Code)
	assert.Equal(t, 429, submit().Code)
	assert.Len(t, d.asked, 2)
	u := e.usage()
	assert.Equal(t, `["m"] ["up"] [2] [1]`,
		raw(u, "days.#.model", "days.#.upstream", "days.#.requests", "refused.#.requests"))
}
