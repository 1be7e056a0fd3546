package serve_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// requireCounts checks the usage of an endpoint: requests of one day and one model, all counted in
// full.
func requireCounts(t *testing.T, u gjson.Result, day, model, protocol string, requests int64) {
	t.Helper()
	rows := u.Get("days").Array()
	require.Len(t, rows, 1)
	reasoning := int64(7)
	if protocol == "anthropic" {
		reasoning = 0
	}
	assert.Equal(t, []string{day, model}, []string{rows[0].Get("day").Str, rows[0].Get("model").Str})
	for member, want := range map[string]int64{"requests": requests, "errors": 0,
		"input": requests * countedInput, "output": requests * countedOutput,
		"cached": requests * 20, "reasoning": requests * reasoning} {
		assert.Equal(t, want, rows[0].Get(member).Int(), member)
	}
}

// TestUsage counts streams and plain answers of each pair.
func TestUsage(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, client, protocol string) {
		d := deploy(t, nil)
		d.setTime(midnight)
		d.upstreams["up.test"] = counted(protocol)
		e := d.endpoint(`"usage":true,` + oneUpstream(protocol))
		bodies := []asking{{}, {stream: true}}
		if client == "chat" {
			bodies = append(bodies, asking{stream: true, usage: true})
		}
		for _, a := range bodies {
			a.model = "some-model"
			require.Equal(t, 200, e.ask(client, a).Code)
		}
		u, n := e.usage(), int64(len(bodies))
		requireCounts(t, u, "2026-11-21", "some-model", protocol, n)
		assert.True(t, u.Get("usage").Bool())
		assert.Equal(t, `[] [] [] [] {}`, raw(u, "errors", "requests", "lost", "refused", "limits"))
		members := 0
		u.ForEach(func(_, _ gjson.Result) bool { members++; return true })
		assert.Equal(t, 7, members)
		row := u.Get("days.0")
		written := int64(0)
		if protocol == "anthropic" {
			written = 3 * n
		}
		assert.Equal(t, "up", row.Get("upstream").Str)
		assert.Len(t, row.Get("key").Str, 8)
		assert.Equal(t, []int64{written, n}, []int64{row.Get("written").Int(), row.Get("unpriced").Int()})
		timed := int64(0)
		row.Get("total_ms").ForEach(func(_, count gjson.Result) bool { timed += count.Int(); return true })
		assert.Equal(t, n, timed)
	})
}

// TestUsageIsAsked: the worker asks a Chat upstream for the usage of a stream. A Chat client gets
// the usage only on request.
func TestUsageIsAsked(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	for _, client := range every {
		a := e.ask(client, asking{stream: true})
		assert.Equal(t, "true", gjson.Get(d.last().body, "stream_options.include_usage").Raw, client)
		if client == "chat" {
			assert.NotContains(t, a.text(), `usage":{`)
		}
	}
	unasked := d.endpoint(`"usage":true,` + oneUpstream("chat",
		`,"options":{"stream_usage":"omit"}`))
	unasked.ask("chat", asking{stream: true})
	assert.False(t, gjson.Get(d.last().body, "stream_options").Exists())
}

// TestUsageOfClientsThatLeave: if the client leaves a stream, the upstream's counts so far are
// charged.
func TestUsageOfClientsThatLeave(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	up := d.stage("up.test")
	e := d.endpoint(`"usage":true,` + oneUpstream("anthropic"))
	for _, client := range []string{"anthropic", "chat"} {
		c := e.open(client, asking{stream: true, model: "some"})
		x := up.next()
		x.begin(200)
		go x.send(streamOf["anthropic"][:3]...)
		c.until("ok")
		c.leave()
		<-x.gone
	}
	u := e.usage()
	require.Len(t, u.Get("days").Array(), 1)
	assert.Equal(t, []int64{2, 246, 2, 0}, sums(u, "requests", "input", "output", "errors"))
	assert.Equal(t, "[]", u.Get("errors").Raw)
}

// TestUsageOfDays has requests of several days and models, and asks for the last days.
func TestUsageOfDays(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	e := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	for _, r := range []struct {
		model string
		ago   int64
	}{{"b", 40}, {"b", 1}, {"a", 0}, {"b", 0}, {"a", 0}} {
		d.setTime(midnight - 86400*r.ago)
		e.ask("anthropic", asking{model: r.model})
	}
	for query, want := range map[string]string{
		"?days=1":  "2026-11-21 a 2, 2026-11-21 b 1, ",
		"":         "2026-11-20 b 1, 2026-11-21 a 2, 2026-11-21 b 1, ",
		"?days=90": "2026-10-12 b 1, 2026-11-20 b 1, 2026-11-21 a 2, 2026-11-21 b 1, ",
	} {
		got := ""
		for _, row := range e.usage(query).Get("days").Array() {
			got += row.Get("day").Str + " " + row.Get("model").Str + " " + row.Get("requests").Raw + ", "
		}
		assert.Equal(t, want, got, query)
	}
}

// TestUsageOfErrors: the usage has the last 20 errors, with their ids and without the upstream's
// words.
func TestUsageOfErrors(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	id, status := "", 0
	d.upstreams["up.test"] = func(*sent) *reply {
		return &reply{status: status, header: map[string]string{"X-Request-Id": id},
			chunks: []string{`{"error":{"message":"secret words","type":"x","param":null,"code":null}}`}}
	}
	e := d.endpoint(`"usage":true,` + oneUpstream("chat"))
	ask := func(client string, code int) {
		status, id = code, "req-"+client+"-"+strconv.Itoa(code)
		a := e.ask(client, asking{model: "some"})
		assert.Equal(t, a.Header().Get("x-request-id"), e.usage().Get("errors.0.request_id").Str)
	}
	for _, client := range every {
		for _, code := range []int{401, 404, 500} {
			ask(client, code)
		}
	}
	u := e.usage()
	require.Len(t, u.Get("days").Array(), 1)
	assert.Equal(t, []int64{12, 12}, sums(u, "requests", "errors"))
	require.Len(t, u.Get("errors").Array(), 12)
	assert.JSONEq(t,
		`{"time":1795219200,"status":401,"type":"authentication","request_id":"req-anthropic-401"}`,
		u.Get("errors.11").Raw)
	assert.JSONEq(t, `{"time":1795219200,"status":500,"type":"internal","request_id":"req-gemini-500"}`,
		u.Get("errors.0").Raw)
	assert.NotContains(t, u.Get("errors").Raw, "secret words")
	for range 20 {
		ask("chat", 500)
	}
	assert.Len(t, e.usage().Get("errors").Array(), 20)

	other := d.endpoint(`"usage":true,` + upstreamList(upstreamAt("gone", "chat", "gone.test")))
	d.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errRefused} }
	assert.Equal(t, 502, other.ask("anthropic", asking{}).Code)
	u = other.usage()
	assert.Equal(t, int64(1), sum(u, "requests"))
	assert.Equal(t, `[502] ["unavailable"]`, raw(u, "errors.#.status", "errors.#.type"))
}

// TestUsageOfFailedStreams: a stream with an error at its end counts as an error.
func TestUsageOfFailedStreams(t *testing.T) {
	t.Parallel()
	failures := map[string]string{
		"anthropic": "event: error\ndata: " +
			"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"no\"}}\n\n",
		"chat":   "data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"code\":\"overloaded\"}}\n\n",
		"gemini": "data: {\"error\":{\"code\":503,\"message\":\"no\",\"status\":\"UNAVAILABLE\"}}\n\n",
		"responses": "event: response.failed\ndata: " +
			"{\"type\":\"response.failed\",\"sequence_number\":2,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1," +
			"\"status\":\"failed\",\"model\":\"m\",\"output\":[],\"error\":{\"code\":\"server_error\",\"message\":\"no\"}}}\n\n",
	}
	eachPair(t, func(t *testing.T, client, protocol string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = streams(streamOf[protocol][0]+streamOf[protocol][1], failures[protocol])
		e := d.endpoint(`"usage":true,` + oneUpstream(protocol))
		e.ask(client, streaming(client))
		u := e.usage()
		assert.Equal(t, int64(1), sum(u, "requests"))
		require.Len(t, u.Get("errors").Array(), 1)
		assert.GreaterOrEqual(t, u.Get("errors.0.status").Int(), int64(500))
	})
}

// TestUsageOfOtherForms: a plain answer to a request for a stream is counted, and a stream
// instead of a plain answer.
func TestUsageOfOtherForms(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		d.setTime(midnight)
		d.upstreams["up.test"] = func(r *sent) *reply {
			if asksToStream(protocol, r) {
				return says(200, plainOf[protocol])(r)
			}
			return streams(streamOf[protocol]...)(r)
		}
		e := d.endpoint(`"usage":true,` + oneUpstream(protocol))
		stream := streaming(protocol)
		stream.model = "some"
		e.ask(protocol, stream)
		e.ask(protocol, asking{model: "some"})
		requireCounts(t, e.usage(), "2026-11-21", "some", protocol, 2)
	})
}

// TestUsageOfAFallback: if the first upstream is unreachable, the second one's answer is counted.
func TestUsageOfAFallback(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	d.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errRefused} }
	d.upstreams["up.test"] = counted("responses")
	e := d.endpoint(`"usage":true,` +
		upstreamList(upstreamAt("gone", "chat", "gone.test"), upstreamAt("up", "responses", "up.test")))
	for _, stream := range []bool{true, false} {
		require.Equal(t, 200, e.ask("anthropic", asking{stream: stream, model: "some"}).Code)
	}
	requireCounts(t, e.usage(), "2026-11-21", "some", "responses", 2)
}

// TestUsageEnds: the usage is deleted with its endpoint, and when the record no longer has usage or
// limits.
func TestUsageEnds(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = counted("chat")
	upstreams := oneUpstream("chat")
	call := describedCalls(t, d)
	make := func(members string) *ownEndpoint {
		a := call("POST", "/admin/api/endpoints", "", `{"name":"dora",`+members+`,`+upstreams+`}`)
		require.Equal(t, 201, a.Code, a.text())
		return &ownEndpoint{d, "dora", a.get("key").Str}
	}
	patch := func(members string) {
		a := call("PATCH", "/admin/api/endpoints/dora", "", members)
		require.Equal(t, 200, a.Code, a.text())
	}
	e := make(`"usage":true`)
	require.Equal(t, 200, e.ask("chat", asking{}).Code)
	assert.Equal(t, int64(1), sum(e.usage(), "requests"))
	require.Equal(t, 204, call("DELETE", "/admin/api/endpoints/dora", "", "").Code)
	assert.Empty(t, e.tables())

	d.later(time.Second)
	e = make(`"usage":false,"limits":{"tokens_per_day":1000}`)
	assert.Equal(t, "[]", e.usage().Get("days").Raw)
	require.Equal(t, 200, e.ask("chat", asking{}).Code)
	assert.Equal(t, int64(1), sum(e.usage(), "requests"))
	patch(`{"limits":{"requests_per_minute":5}}`)
	assert.JSONEq(t,
		`{"requests_per_minute":{"limit":5,"used":0},"tokens_per_day":{"limit":1000,"used":163}}`,
		e.usage().Get("limits").Raw)
	patch(`{"limits":null}`)
	assert.Empty(t, e.tables())
	assert.False(t, e.usage().Get("usage").Bool())

	// left over from an endpoint without a record in KV
	d.rows("endpoint:dora", "CREATE TABLE usage_day (other)")
	patch(`{"usage":true}`)
	assert.Equal(t, "[]", e.usage().Get("days").Raw)
}
