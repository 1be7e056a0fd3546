package serve_test

import (
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eachClient runs a test for each protocol of clients.
func eachClient(t *testing.T, test func(t *testing.T, client string)) {
	for _, client := range every {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			test(t, client)
		})
	}
}

// eachPair runs a test for each client with each upstream.
func eachPair(t *testing.T, test func(t *testing.T, client, protocol string)) {
	for _, client := range every {
		for _, protocol := range every {
			t.Run(client+" to "+protocol, func(t *testing.T) {
				t.Parallel()
				test(t, client, protocol)
			})
		}
	}
}

// TestRequestsPerMinuteAtOnce sends 200 requests at once. 50 of them reach the upstream.
func TestRequestsPerMinuteAtOnce(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, protocol string) {
		d := deploy(t, nil)
		d.setTime(midnight + 600)
		d.upstreams["up.test"] = counted(protocol)
		e := d.endpoint(`"limits":{"requests_per_minute":50},` + oneUpstream(protocol))
		var good, refused atomic.Int64
		var requests sync.WaitGroup
		for i := range 200 {
			requests.Go(func() {
				switch a := e.ask(every[i%4], asking{stream: i%2 == 0}); {
				case a.Code == 200:
					good.Add(1)
				case a.Code == 429 && a.Header().Get("retry-after") == "61":
					refused.Add(1)
				}
			})
		}
		requests.Wait()
		assert.Equal(t, []int64{50, 150}, []int64{good.Load(), refused.Load()})
		assert.Len(t, d.asked, 50)
		u := e.usage()
		assert.Equal(t, []int64{50, 0}, sums(u, "requests", "errors"))
		assert.Equal(t, `["requests_per_minute"] [150]`, raw(u, "refused.#.limit", "refused.#.requests"))
		assert.JSONEq(t, `{"requests_per_minute":{"limit":50,"used":50}}`, u.Get("limits").Raw)
		d.later(60 * time.Second)
		assert.Equal(t, 429, e.ask("chat", asking{}).Code)
		d.later(time.Second)
		assert.Equal(t, 200, e.ask("chat", asking{}).Code)
	})
}

// TestRequestsPerMinute has a refusal in the form of each client's protocol.
func TestRequestsPerMinute(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, client string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.endpoint(`"limits":{"requests_per_minute":2},` + oneUpstream("chat"))
		for _, at := range []int64{0, 20} {
			d.setTime(midnight + at)
			require.Equal(t, 200, e.ask(client, asking{}).Code)
		}
		d.setTime(midnight + 30)
		a := e.ask(client, asking{})
		require.Equal(t, 429, a.Code, a.text())
		assert.Equal(t, "31", a.Header().Get("retry-after"))
		assert.Empty(t, a.Header().Values("x-should-retry"))
		assert.Regexp(t, `limit requests_per_minute of this endpoint, 2, .* in 31 seconds`,
			errorMessage(d, client, a))
		assert.Len(t, d.asked, 2)
		u := e.usage()
		assert.Equal(t, int64(2), sum(u, "requests"))
		assert.Equal(t, "[]", u.Get("errors").Raw)
		assert.JSONEq(t, `[{"day":"2026-11-21","key":"`+u.Get("days.0.key").Str+`",`+
			`"limit":"requests_per_minute","requests":1,"last":1795219230,"request_id":"`+
			a.Header().Get("x-request-id")+`","model":"`+u.Get("days.0.model").Str+`"}]`, u.Get("refused").Raw)
	})
}

// TestNoRequestsOfModels: lists of models and counts of tokens do not count as requests.
func TestNoRequestsOfModels(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["up.test"] = says(200, `{"object":"list","data":[],"input_tokens":5}`)
	e := d.enroll("anna", `"limits":{"requests_per_minute":1},`+oneUpstream("anthropic"))
	for range 2 {
		assert.Equal(t, 200, e.send("GET", "/v1/models", "").Code)
		assert.Equal(t, 200, e.send("POST", "/v1/messages/count_tokens", messagesBody).Code)
	}
	assert.Empty(t, e.tables())
}

// openStream is a stream after its first part.
type openStream struct {
	*call
	scene *scene
}

// streaming is a request for a stream that passes to an upstream of the client's protocol.
func streaming(client string) asking { return asking{stream: true, usage: client == "chat"} }

// beginStream opens a stream, and returns after its first part.
func beginStream(t *testing.T, up *stage, e *ownEndpoint, client, protocol string) openStream {
	t.Helper()
	c := e.open(client, streaming(client))
	x := up.next()
	x.begin(200)
	go x.send(streamOf[protocol][:2]...)
	<-c.head
	require.Equal(t, 200, c.status)
	return openStream{c, x}
}

// finish sends the rest of beginStream's stream, and returns the rest of the answer.
func (s openStream) finish(protocol string) string {
	go func() {
		s.scene.send(streamOf[protocol][2:]...)
		s.scene.end()
	}()
	text, _ := s.rest()
	return text
}

// TestConcurrentStreams: a slot is free when a stream ends, its client leaves, or its upstream
// breaks off.
func TestConcurrentStreams(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, client, protocol string) {
		d := deploy(t, nil)
		up := d.stage("up.test")
		e := d.endpoint(`"limits":{"concurrent_streams":2},` + oneUpstream(protocol))
		refused := func() {
			t.Helper()
			a := e.ask(client, asking{stream: true})
			require.Equal(t, 429, a.Code, a.text())
			assert.Equal(t, "5", a.Header().Get("retry-after"))
			assert.Regexp(t, `limit concurrent_streams of this endpoint, 2, `, errorMessage(d, client, a))
		}
		used := func(n int64) {
			t.Helper()
			assert.Equal(t, n, e.usage().Get("limits.concurrent_streams.used").Int())
		}
		first := beginStream(t, up, e, client, protocol)
		second := beginStream(t, up, e, client, protocol)
		refused()
		assert.Len(t, d.asked, 2)
		used(2)

		first.finish(protocol)
		used(1)
		third := beginStream(t, up, e, client, protocol)
		refused()

		second.leave()
		<-second.scene.gone
		used(1)
		fourth := beginStream(t, up, e, client, protocol)
		refused()

		go third.scene.cut()
		text, broken := third.rest()
		assert.Equal(t, client == protocol, broken)
		if client != protocol {
			assert.Contains(t, text, "connection to the upstream broke")
		}
		used(1)
		fifth := beginStream(t, up, e, client, protocol)
		refused()
		fourth.finish(protocol)
		fifth.finish(protocol)
		used(0)
		u := e.usage()
		assert.Equal(t, []int64{5, 1}, sums(u, "requests", "errors"))
		assert.Equal(t, `["unavailable"] ["concurrent_streams"] [4]`,
			raw(u, "errors.#.type", "refused.#.limit", "refused.#.requests"))
	})
}

// TestConcurrentStreamsOfPlainAnswers: a request for a plain answer takes no place.
func TestConcurrentStreamsOfPlainAnswers(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	up := d.stage("up.test")
	e := d.endpoint(`"limits":{"concurrent_streams":1},` + oneUpstream("chat"))
	stream := beginStream(t, up, e, "anthropic", "chat")
	plain := e.open("anthropic", asking{})
	x := up.next()
	x.answer(counted("chat")(x.sent))
	_, broken := plain.rest()
	assert.False(t, broken)
	assert.Equal(t, 200, plain.status)
	stream.finish("chat")
}

// TestConcurrentStreamsWithoutAStream: a slot is free after a refusal, an unreachable upstream, and
// a client that leaves before the head.
func TestConcurrentStreamsWithoutAStream(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"chat", "anthropic"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			up := d.stage("up.test")
			e := d.endpoint(`"limits":{"concurrent_streams":2},` + oneUpstream(protocol))
			for _, test := range []struct {
				status int
				end    func(c *call, x *scene)
			}{
				{400, func(_ *call, x *scene) {
					x.answer(says(400, `{"error":{"message":"no","type":"invalid_request_error"}}`)(x.sent))
				}},
				{0, func(c *call, x *scene) {
					c.leave()
					<-x.gone
				}},
				{502, func(_ *call, x *scene) { x.cut() }},
			} {
				c := e.open("anthropic", asking{stream: true})
				test.end(c, up.next())
				if test.status != 0 {
					c.rest()
					assert.Equal(t, test.status, c.status)
				}
			}
			u := e.usage()
			assert.Equal(t, int64(0), u.Get("limits.concurrent_streams.used").Int())
			assert.Equal(t, int64(3), sum(u, "requests"))
			assert.Equal(t, `[502,400]`, u.Get("errors.#.status").Raw,
				"a client that leaves has made no error")
			assert.Equal(t, `["unavailable","invalid_request"]`, u.Get("errors.#.type").Raw)
		})
	}
}

// TestLeaseIsRenewed: a stream lasts for an hour, and has its slot until the end.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		up := d.stage("up.test")
		e := d.endpoint(`"limits":{"concurrent_streams":1},` + oneUpstream("chat",
			`,"timeout":86400`))
		stream := beginStream(t, up, e, "anthropic", "chat")
		go io.Copy(io.Discard, stream.body) // the keep-alives
		lease := d.rows("endpoint:"+e.name, "SELECT lease, expires FROM usage_stream")
		require.Len(t, lease, 2)
		assert.Equal(t, float64(time.Now().Unix()+60), lease[1])
		for range 60 {
			time.Sleep(time.Minute)
			assert.Equal(t, 429, e.ask("chat", asking{stream: true}).Code)
		}
		assert.Equal(t, []any{lease[0]},
			d.rows("endpoint:"+e.name, "SELECT lease FROM usage_stream WHERE expires > unixepoch() + 30"))
		stream.leave()
		assert.Empty(t, d.rows("endpoint:"+e.name, "SELECT lease FROM usage_stream"))
		d.rows("endpoint:"+e.name, "INSERT INTO usage_stream VALUES ('"+lease[0].(string)+"', 1)")
		time.Sleep(time.Hour)
		assert.Equal(t, []any{1.0}, d.rows("endpoint:"+e.name, "SELECT expires FROM usage_stream"),
			"no renewal comes after the end")
	})
}

// TestTokensPerDay: the tokens of earlier answers make the next request exceed the limit.
func TestTokensPerDay(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, client, protocol string) {
		d := deploy(t, nil)
		d.setTime(midnight + 86400 - 100)
		d.upstreams["up.test"] = counted(protocol)
		e := d.endpoint(`"limits":{"tokens_per_day":300},` + oneUpstream(protocol))
		for _, charged := range []int64{163, 326} {
			require.Equal(t, 200, e.ask(client, asking{stream: charged == 163}).Code)
			assert.Equal(t, charged, e.usage().Get("limits.tokens_per_day.used").Int())
		}
		a := e.ask(client, asking{})
		require.Equal(t, 429, a.Code, a.text())
		assert.Equal(t, "100", a.Header().Get("retry-after"))
		assert.Equal(t, "false", a.Header().Get("x-should-retry"))
		assert.Regexp(t, `limit tokens_per_day of this endpoint, 300, `, errorMessage(d, client, a))
		assert.Len(t, d.asked, 2)
		d.later(100 * time.Second)
		assert.Equal(t, 200, e.ask(client, asking{}).Code, "another day")
	})
}

// TestModelsOfALimit refuses models in the form of each client's protocol, without state.
func TestModelsOfALimit(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, client string) {
		d := deploy(t, nil)
		d.upstreams["up.test"] = counted("chat")
		e := d.enroll("anna", `"limits":{"models":["claude-*","gpt-5.5"]},`+oneUpstream("chat"))
		for _, model := range []string{"claude-opus", "gpt-5.5", "up/gpt-5.5"} {
			assert.Equal(t, 200, e.ask(client, asking{model: model}).Code, model)
		}
		for _, model := range []string{"gpt-4", "up/gpt-4", "gpt-5.5-pro"} {
			a := e.ask(client, asking{model: model})
			require.Equal(t, 403, a.Code, a.text())
			assert.Contains(t, errorMessage(d, client, a), model)
		}
		assert.Len(t, d.asked, 3)
		assert.Empty(t, e.tables())
	})
}
