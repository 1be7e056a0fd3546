package serve_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const serverError = `{"error":{"message":"no","type":"server_error","param":null,"code":null}}`

// failing is an endpoint with two upstreams. The first one's answer is reply.
type failing struct {
	*deployment
	e     *ownEndpoint
	reply *reply // of the first upstream; nil: a normal answer
	asked int    // requests to the first upstream
}

// newFailing makes an endpoint in a deployment whose time is midnight. members are further members
// of the record, each before a comma.
func newFailing(d *deployment, members string) *failing {
	d.setTime(midnight)
	f := &failing{deployment: d, reply: &reply{status: 503, chunks: []string{serverError}}}
	d.upstreams["first.test"] = func(r *sent) *reply {
		f.asked++
		if f.reply == nil {
			return counted("chat")(r)
		}
		return f.reply
	}
	d.upstreams["second.test"] = counted("chat")
	f.e = d.endpoint(`"usage":true,` + members +
		upstreamList(upstreamAt("first", "chat", "first.test"), upstreamAt("second", "chat", "second.test")))
	return f
}

// ask sends a request at the given seconds after midnight, and reports whether the first upstream
// got the request.
func (f *failing) ask(at int64, a asking) bool {
	f.t.Helper()
	f.setTime(midnight + at)
	before := f.asked
	answer := f.e.ask("anthropic", a)
	if f.reply == nil || f.reply.status >= 429 {
		require.Equal(f.t, 200, answer.Code, answer.text())
	}
	return f.asked > before
}

// askAll sends requests at these times, and returns the result of ask for each.
func (f *failing) askAll(a asking, times ...int64) (asked []bool) {
	for _, at := range times {
		asked = append(asked, f.ask(at, a))
	}
	return asked
}

// TestCooldown: after three failures an upstream has a cooldown, and then one request probes it.
func TestCooldown(t *testing.T) {
	t.Parallel()
	for _, limits := range []string{"", `"limits":{"requests_per_minute":1000},`,
		`"limits":{"concurrent_requests":9},`,
		`"limits":{"concurrent_requests":9,"tokens_per_day":1000000000},`} {
		t.Run(limits, func(t *testing.T) {
			t.Parallel()
			f := newFailing(deploy(t, nil), limits)
			assert.Equal(t, []bool{true, true, true, false, false}, f.askAll(asking{}, 0, 1, 2, 3, 11),
				limits)
			f.reply = nil
			assert.Equal(t, []bool{true, true}, f.askAll(asking{}, 13, 13), limits)
			assert.Equal(t, int64(7), sum(f.e.usage(), "requests"))
		})
	}
}

// TestCooldownOfStreams counts the failures before a stream.
func TestCooldownOfStreams(t *testing.T) {
	t.Parallel()
	f := newFailing(deploy(t, nil), "")
	assert.Equal(t, []bool{true, true, true, false}, f.askAll(asking{stream: true}, 0, 1, 2, 3))
}

// TestCooldownOfA429 is as long as the upstream says.
func TestCooldownOfA429(t *testing.T) {
	t.Parallel()
	f := newFailing(deploy(t, nil), "")
	f.reply = &reply{status: 429, header: map[string]string{"Retry-After": "100"},
		chunks: []string{serverError}}
	assert.Equal(t, []bool{true, false, false}, f.askAll(asking{}, 0, 1, 99))
	f.reply = nil
	assert.True(t, f.ask(100, asking{}))
}

// TestNoCooldownOfClientErrors: errors of clients are not failures of the upstream.
func TestNoCooldownOfClientErrors(t *testing.T) {
	t.Parallel()
	f := newFailing(deploy(t, nil), "")
	f.reply.status = 400
	assert.Equal(t, []bool{true, true, true, true, true}, f.askAll(asking{}, 0, 1, 2, 3, 4))
}

// TestCooldownOfAll: if all others fail, an upstream gets the request in its cooldown.
func TestCooldownOfAll(t *testing.T) {
	t.Parallel()
	f := newFailing(deploy(t, nil), "")
	f.askAll(asking{}, 0, 1, 2)
	f.reply = nil
	f.upstreams["second.test"] = says(500, serverError)
	assert.True(t, f.ask(3, asking{}))
}

// TestCooldownOfOneEndpoint changes nothing at another endpoint with the same upstreams.
func TestCooldownOfOneEndpoint(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := newFailing(d, "")
	assert.Equal(t, []bool{true, true, true, false}, a.askAll(asking{}, 0, 1, 2, 3))
	b := newFailing(d, "")
	assert.True(t, b.ask(3, asking{}))
}

// TestCooldownOfBrokenAnswers: broken-off streams and plain answers are failures.
func TestCooldownOfBrokenAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asking asking
		reply  *reply
		status int
	}{
		"stream": {asking{stream: true},
			&reply{status: 200, header: map[string]string{"Content-Type": "text/event-stream"},
				chunks: streamOf["chat"][:2], err: errBroken}, 200},
		"plain": {asking{}, &reply{status: 200, chunks: []string{`{"id":`}, err: errBroken}, 502},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFailing(deploy(t, nil), "")
			f.reply = test.reply
			for i := range int64(4) {
				f.setTime(midnight + i)
				a := f.e.ask("anthropic", test.asking)
				want := test.status
				if i == 3 {
					want = 200
				}
				assert.Equal(t, want, a.Code, name)
			}
			assert.Equal(t, 3, f.asked, name)
			assert.Equal(t, int64(4), sum(f.e.usage(), "requests"), name)
		})
	}
}

// states returns the states of the upstreams of an endpoint.
func (e *ownEndpoint) states() string {
	return e.d.admin("GET", "/health?name="+e.name, "").get("endpoints.0.upstreams.#.state").Raw
}

// TestNoFailureOfTheNext: if a request can't be translated for the next upstream, this is not the
// upstream's failure.
func TestNoFailureOfTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		d.bubble = true
		up := d.stage("first.test")
		e := d.endpoint(`"usage":true,"options":{"lossy":"refuse"},"head_wait":1,` +
			upstreamList(upstreamAt("first", "responses", "first.test"),
				upstreamAt("second", "anthropic", "second.test")))
		for range 3 {
			c := e.open("chat",
				asking{raw: `{"model":"m","stream":true,"messages":[{"role":"user",` +
					`"content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]}]}`})
			x := up.next()
			<-c.head // after head_wait
			x.answer(says(503, serverError)(x.sent))
			text, _ := c.rest()
			assert.Contains(t, text, "the upstream does not support")
			time.Sleep(time.Second)
		}
		assert.Equal(t, int64(3), sum(e.usage(), "requests"))
		assert.Len(t, d.asked, 3)
		assert.Equal(t, `["resting","ok"]`, e.states())
	})
}

// TestNoFailureOfTheStore: if an answer can't be stored, this is not the upstream's failure.
func TestNoFailureOfTheStore(t *testing.T) {
	t.Parallel()
	f := newFailing(deploy(t, nil), `"options":{"store":"on"},`)
	f.reply = nil
	for i := range int64(4) {
		f.setTime(midnight + i)
		a := f.e.ask("responses", asking{stream: true, more: `"store":true,`})
		if i > 0 {
			assert.Contains(t, a.text(), "response.failed")
			continue
		}
		assert.Contains(t, a.text(), "response.completed")
		f.rows("endpoint:"+f.e.name,
			"CREATE TRIGGER full BEFORE INSERT ON responses BEGIN SELECT RAISE(ABORT, 'no'); END")
	}
	assert.Equal(t, int64(4), sum(f.e.usage(), "requests"))
	assert.Equal(t, 4, f.asked)
	assert.Equal(t, `["ok","ok"]`, f.e.states())
}

// TestProbes: a request that does not reach an upstream leaves the probe to another request.
func TestProbes(t *testing.T) {
	t.Parallel()
	for _, limits := range []string{`"models":["a","b"]`, `"models":["a","b"],"concurrent_requests":9`,
		`"models":["a","b"],"requests_per_minute":1000`} {
		t.Run(limits, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			f := newFailing(d, "")
			f.e = d.endpoint(`"usage":true,"limits":{` + limits + `},` +
				upstreamList(upstreamAt("first", "chat", "first.test", `,"models":["a"]`),
					upstreamAt("second", "chat", "second.test")))
			f.askAll(asking{model: "a"}, 0, 1, 2)
			f.reply = nil
			d.setTime(midnight + 20)
			for _, test := range []struct {
				asking asking
				status int
			}{{asking{model: "b"}, 200}, {asking{model: "c"}, 403}, {asking{raw: "{"}, 400}} {
				a := f.e.ask("anthropic", test.asking)
				assert.Equal(t, test.status, a.Code, limits)
			}
			assert.Equal(t, 3, f.asked, limits)
			assert.Equal(t, 200, f.e.ask("anthropic", asking{model: "a"}).Code, limits)
			assert.Equal(t, 4, f.asked, limits)
		})
	}
}
