package serve_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/answers"
)

const overloaded = `{"error":{"message":"too much to do","type":"server_error"}}`

// textOf checks a stream of Messages, and returns the text of its answer.
func textOf(t *testing.T, stream string) string {
	t.Helper()
	message, failure, _ := answers.ReadMessages(t, []byte(stream))
	require.Nil(t, failure)
	text, err := json.Marshal(message)
	require.NoError(t, err)
	return gjson.GetBytes(text, "content.0.text").Str
}

// fails is an upstream with an error status; status 0: unreachable.
func fails(status int, body string) upstream {
	return func(*sent) *reply {
		if status == 0 {
			return &reply{err: errBroken}
		}
		return &reply{status: status, chunks: []string{body}}
	}
}

// hosts returns how many requests each upstream got.
func (d *deployment) hosts() map[string]int {
	counts := map[string]int{}
	for _, s := range d.asked {
		counts[s.URL.Host]++
	}
	return counts
}

// aAndB are two upstreams of Chat.
var aAndB = upstreamList(upstreamAt("a", "chat", "a.test"), upstreamAt("b", "chat", "b.test"))

// TestFallback: if an upstream fails before its answer, the next upstream answers.
func TestFallback(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]upstream{"429": fails(429, overloaded), "500": fails(500, ""),
		"529": fails(529, overloaded), "lost": fails(0, ""),
		"refused": func(*sent) *reply { return &reply{err: errRefused} }} {
		for _, second := range []string{"chat", "anthropic"} {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " then ", second, " streamed ", stream), func(t *testing.T) {
					t.Parallel()
					d := deploy(t, nil)
					d.upstreams["a.test"], d.upstreams["b.test"] = first, saying(second, "from b")
					a := d.endpoint(upstreamList(upstreamAt("a", "chat", "a.test"),
						upstreamAt("b", second, "b.test"))).ask("anthropic", asking{stream: stream})
					require.Equal(t, 200, a.Code, "%s: %s", name, a.text())
					text := a.get("content.0.text").Str
					if stream {
						text = textOf(t, a.text())
					}
					assert.Equal(t, "from b", text, name)
					assert.Equal(t, map[string]int{"a.test": 1, "b.test": 1}, d.hosts(), name)
				})
			}
		}
	}
}

// TestNoFallback: the client gets an error of its own request without a fallback.
func TestNoFallback(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	e := d.endpoint(aAndB)
	for _, status := range []int{400, 401, 403, 404, 413} {
		d.upstreams["a.test"] = fails(status, `{"error":{"message":"no","type":"invalid_request_error"}}`)
		assert.Equal(t, status, e.ask("anthropic", asking{}).Code)
	}
	assert.Equal(t, map[string]int{"a.test": 5}, d.hosts())
}

// TestFallbackOfSilence: the first upstream is unreachable, and the second is silent for its
// timeout.
func TestFallbackOfSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		d.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errRefused} }
		d.stage("a.test")
		d.upstreams["b.test"] = saying("chat", "from b")
		e := d.endpoint(upstreamList(upstreamAt("gone", "chat", "gone.test"),
			upstreamAt("a", "chat", "a.test", `,"timeout":5`), upstreamAt("b", "chat", "b.test")))
		for _, stream := range []bool{false, true} {
			a := e.ask("anthropic", asking{stream: stream})
			require.Equal(t, 200, a.Code, a.text())
			assert.Contains(t, a.text(), "from b")
		}
		assert.Equal(t, map[string]int{"gone.test": 2, "a.test": 2, "b.test": 2}, d.hosts())
	})
}

// TestFallbackOfCounts: a count of tokens falls back as an answer does.
func TestFallbackOfCounts(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errRefused} }
	d.upstreams["a.test"], d.upstreams["b.test"] = fails(529, overloaded), says(200, `{"input_tokens":42}`)
	e := d.endpoint(upstreamList(upstreamAt("gone", "anthropic", "gone.test"),
		upstreamAt("a", "anthropic", "a.test", `,"models":{"m":"one"}`),
		upstreamAt("b", "anthropic", "b.test", `,"models":{"m":"two"}`)))
	count := func(e *ownEndpoint) *answer { return e.send("POST", "/v1/messages/count_tokens", messagesBody) }
	assert.JSONEq(t, `{"input_tokens":42}`, count(e).text())
	models := map[string]string{}
	for _, s := range d.asked {
		models[s.URL.Host] = gjson.Get(s.body, "model").Str
	}
	assert.Equal(t, []string{"one", "two"}, []string{models["a.test"], models["b.test"]})
	d.upstreams["b.test"] = fails(429, overloaded)
	assert.Equal(t, 429, count(e).Code)
	estimated := d.endpoint(upstreamList(upstreamAt("a", "anthropic", "a.test"),
		upstreamAt("b", "chat", "b.test")))
	assert.Positive(t, count(estimated).get("input_tokens").Int())
}

// TestFallbackEnds: the error of the last upstream is the answer.
func TestFallbackEnds(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["a.test"] = fails(500, "")
	d.upstreams["b.test"] = func(*sent) *reply {
		return &reply{status: 429, header: map[string]string{"Retry-After": "7"},
			chunks: []string{overloaded}}
	}
	a := d.endpoint(aAndB).ask("anthropic", asking{})
	assert.Equal(t, 429, a.Code)
	assert.Equal(t, "7", a.Header().Get("retry-after"))
}

// TestWordsForOwners: the errors of an endpoint's upstreams name no variable of the deployment.
func TestWordsForOwners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		d.upstreams["gone.test"] = func(*sent) *reply { return &reply{err: errRefused} }
		d.upstreams["moved.test"] = func(*sent) *reply {
			return &reply{status: 307, header: map[string]string{"Location": "http://127.0.0.1:9/"}}
		}
		d.stage("silent.test")
		for host, words := range map[string]string{"gone.test": "Check its base URL",
			"moved.test": "Its base URL", "silent.test": "raise the upstream's timeout"} {
			e := d.endpoint(upstreamList(upstreamAt("one", "chat", host, `,"timeout":5`)))
			for _, client := range []string{"anthropic", "chat"} {
				text := e.ask(client, asking{}).text()
				assert.Contains(t, text, words)
				assert.NotRegexp(t, `[A-Z]+_[A-Z]+`, text)
			}
		}
	})
}

// TestFallbackOfWhatPasses: each upstream of the client's own protocol gets the request unchanged,
// except for the model's name.
func TestFallbackOfWhatPasses(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["a.test"], d.upstreams["b.test"] = fails(503, overloaded), says(200, chatAnswer)
	e := d.endpoint(upstreamList(upstreamAt("a", "chat", "a.test", `,"models":{"m":"one"}`),
		upstreamAt("b", "chat", "b.test", `,"models":{"m":"two"}`)))
	assert.Equal(t, chatAnswer, e.ask("chat", asking{raw: `{"model":"m","unknown":1,"messages":[]}`}).text())
	require.Len(t, d.asked, 2)
	for i, model := range []string{"one", "two"} {
		assert.JSONEq(t, `{"model":"`+model+`","unknown":1,"messages":[]}`, d.asked[i].body)
	}
}

// TestNoFallbackInAStream: after the first event of a stream there is no fallback.
func TestNoFallbackInAStream(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.upstreams["a.test"] = func(*sent) *reply {
		return &reply{status: 200, header: map[string]string{"Content-Type": "text/event-stream"},
			chunks: streamOf["chat"][:2], err: errBroken}
	}
	a := d.endpoint(aAndB).ask("anthropic", asking{stream: true})
	_, failure, _ := answers.ReadMessages(t, []byte(a.text()))
	assert.NotNil(t, failure)
	assert.Equal(t, map[string]int{"a.test": 1}, d.hosts())
}

// late runs a test of a stream whose head reaches the client before upstream a answers.
func late(t *testing.T, upstreams string, test func(t *testing.T, c *call, first *scene, b *stage)) {
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		a, b := d.stage("a.test"), d.stage("b.test")
		c := d.endpoint(`"head_wait":1,`+upstreams).open("anthropic", asking{stream: true})
		<-c.head
		assert.Equal(t, 200, c.status)
		require.True(t, strings.HasPrefix(c.some(), "event: ping\n"))
		test(t, c, a.next(), b)
	})
}

// TestLateFallback: upstreams fail after the client got the head.
func TestLateFallback(t *testing.T) {
	t.Parallel()
	upstreams := upstreamList(upstreamAt("a", "chat", "a.test"), upstreamAt("b", "anthropic", "b.test"),
		upstreamAt("c", "chat", "b.test"))
	for name, fail := range map[string]func(x *scene){
		"500":               func(x *scene) { x.answer(fails(500, "")(x.sent)) },
		"a lost connection": func(x *scene) { x.cut() },
	} {
		t.Run(name, func(t *testing.T) {
			late(t, upstreams, func(t *testing.T, c *call, first *scene, b *stage) {
				fail(first)
				second := b.next()
				assert.Equal(t, "/v1/messages", second.URL.Path)
				second.answer(fails(529, overloaded)(second.sent))
				third := b.next()
				assert.Equal(t, "/v1/chat/completions", third.URL.Path)
				pings := c.until("event: ping\n")
				third.answer(saying("chat", "from c")(third.sent))
				text, broken := c.rest()
				assert.False(t, broken)
				assert.NotContains(t, text, "event: error")
				at := strings.Index(text, "event: message_start")
				require.NotEqual(t, -1, at, text)
				assert.Empty(t, strings.ReplaceAll(pings+text[:at],
					"event: ping\ndata: {\"type\":\"ping\"}\n\n", ""))
				assert.Equal(t, "from c", textOf(t, text[at:]))
			})
		})
	}
}

// TestLateErrors: the late error of the last upstream is an event.
func TestLateErrors(t *testing.T) {
	t.Parallel()
	late(t, aAndB, func(t *testing.T, c *call, first *scene, b *stage) {
		first.answer(fails(500, "")(first.sent))
		second := b.next()
		second.answer(fails(429, overloaded)(second.sent))
		text, _ := c.rest()
		frames := answers.Frames(t, []byte(text))
		assert.Equal(t, "rate_limit_error", gjson.Get(frames[len(frames)-1].Data, "error.type").Str, text)
	})
}

// TestLateLeaving: a client that leaves between two upstreams ends the second request.
func TestLateLeaving(t *testing.T) {
	t.Parallel()
	late(t, aAndB, func(t *testing.T, c *call, first *scene, b *stage) {
		first.answer(fails(500, "")(first.sent))
		second := b.next()
		c.leave()
		<-second.gone
	})
}
