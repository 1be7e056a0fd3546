package serve_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// openRequests returns how many places of concurrent_requests an endpoint has given away, once
// nothing moves any more.
func (d *deployment) openRequests(name string) int64 {
	synctest.Wait()
	return d.usage(name).Get("limits.concurrent_requests.used").Int()
}

// occupant is a request with a slot. finish completes the request.
type occupant struct {
	*client
	scene  *scene // of the upstream; nil: none
	finish func()
}

// TestOpenRequests: a request of each kind has a slot of concurrent_requests until its end or until
// its client leaves.
func TestOpenRequests(t *testing.T) {
	t.Parallel()
	key := ""
	open := func(d *deployment, method, path, body string, unfinished bool) *client {
		return d.enter(method, "/u/anna"+path, body, unfinished, bearer(key), "Anthropic-Version: 2023-06-01")
	}
	streaming := smallestOf("anthropic", object{"stream": true})
	for _, test := range []struct {
		kind, method, path, body string
		unfinished               bool // the body of the request does not end
		// the upstream's answer at the end; "": the upstream began with parts
		answer string
		parts  []string // the first part comes at the beginning, the others at the end
	}{
		{kind: "a body that does not end", method: "POST", path: "/v1/chat/completions", body: "{",
			unfinished: true},
		{kind: "a count of tokens", method: "POST", path: "/v1/messages/count_tokens",
			body: smallestOf("anthropic", nil), answer: `{"input_tokens":1}`},
		{kind: "a list of models", method: "GET", path: "/v1/models", answer: `{"data":[]}`},
		{kind: "a list of models whose body lasts", method: "GET", path: "/v1/models",
			parts: []string{`{"data":[]}`, " "}},
		{kind: "a plain answer", method: "POST", path: "/v1/messages", body: smallestOf("anthropic", nil),
			answer: plainOf["anthropic"]},
		{kind: "a stream", method: "POST", path: "/v1/messages", body: streaming,
			parts: streamOf["anthropic"]},
		{kind: "a translated stream", method: "POST", path: "/v1/chat/completions", body: smallestOf("chat",
			object{"stream": true}), parts: streamOf["anthropic"]},
	} {
		t.Run(test.kind, func(t *testing.T) {
			bubble(t, nil, func(t *testing.T, d *deployment) {
				up := d.stage("up.test")
				key = d.tenant("anna", object{"options": object{"store": "on"},
					"limits":    object{"concurrent_requests": 2},
					"upstreams": list{upstreamObject("anthropic", "up.test", nil)}}).get("key").Str
				begin := func() occupant {
					c := open(d, test.method, test.path, test.body, test.unfinished)
					if test.unfinished {
						return occupant{c, nil, func() {
							c.body.Write([]byte("x")) // no JSON, so the answer is 400
							c.body.Close()
						}}
					}
					v := up.next()
					if test.answer != "" {
						return occupant{c, v, func() { v.answer(says(200, test.answer)(v.sent)) }}
					}
					kind := "application/json"
					if strings.HasPrefix(test.parts[0], "event:") {
						kind = "text/event-stream"
					}
					v.begin(200, map[string]string{"Content-Type": kind})
					v.send(test.parts[0])
					synctest.Wait()
					require.Equal(t, 200, c.soFar.Code)
					return occupant{c, v, func() {
						v.send(strings.Join(test.parts[1:], ""))
						v.end()
					}}
				}
				refused := func() {
					t.Helper()
					before := len(d.asked)
					for _, other := range []struct{ method, path, body string }{
						{"GET", "/v1/models", ""}, {"HEAD", "/v1/models/m", ""},
						{"GET", "/v1/responses/resp_1/input_items", ""},
						{"POST", "/v1/messages/count_tokens", smallestOf("anthropic", nil)},
						{"POST", "/v1/messages", "{"},
					} {
						unfinished := other.body == "{"
						a := open(d, other.method, other.path, other.body, unfinished).whole()
						require.Equal(t, 429, a.Code, a.text())
						require.Equal(t, "5", a.Header().Get("Retry-After"))
						if other.method == "HEAD" {
							continue
						}
						require.Regexp(t, "^The limit concurrent_requests of this endpoint, 2, is reached",
							a.get("error.message").Str)
						if strings.HasPrefix(other.path, "/v1/messages") {
							require.Equal(t, "error", a.get("type").Str)
							require.Equal(t, "rate_limit_error", a.get("error.type").Str)
						}
					}
					for _, free := range []string{"GET ", "DELETE ", "POST /cancel"} { // need no slot
						method, at, _ := strings.Cut(free, " ")
						a := open(d, method, "/v1/responses/resp_1"+at, "", false).whole()
						require.Equal(t, 404, a.Code, a.text())
					}
					require.Len(t, d.asked, before)
				}
				first, second := begin(), begin()
				require.EqualValues(t, 2, d.openRequests("anna"))
				refused()
				first.finish()
				first.whole()
				require.EqualValues(t, 1, d.openRequests("anna"))
				third := begin()
				require.EqualValues(t, 2, d.openRequests("anna"))
				refused()
				second.leave()
				if second.scene != nil {
					<-second.scene.gone
				}
				second.whole()
				require.EqualValues(t, 1, d.openRequests("anna"))
				third.finish()
				third.whole()
				require.EqualValues(t, 0, d.openRequests("anna"))
			})
		})
	}
}

// TestFreePlaces: after every kind of end, the request's slot is free.
func TestFreeSlots(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	key := d.tenant("anna", object{"options": object{"store": "on"},
		"limits":    object{"concurrent_requests": 1, "tokens_per_day": 1},
		"upstreams": list{upstreamObject("anthropic", "up.test", nil)}}).get("key").Str
	d.upstreams["up.test"] = func(r *sent) *reply {
		if r.URL.Path == "/v1/models/odd" {
			return &reply{status: 200, header: map[string]string{"Content-Encoding": "x-odd"},
				chunks: []string{"odd"}}
		}
		return speaks("anthropic")(r)
	}
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/v1/models", "", 200}, {"HEAD", "/v1/models", "", 200}, {"GET", "/v1/models/odd", "", 200},
		{"GET", "/v1/responses/resp_1", "", 404},
		{"POST", "/v1/chat/completions", `"no JSON`, 400},
		{"POST", "/v1/messages", smallestOf("anthropic", nil), 200}, // more than the tokens of the day
		{"POST", "/v1/messages", smallestOf("anthropic", nil), 429},
	} {
		a := d.ask(test.method, "/u/anna"+test.path, test.body, bearer(key), "Anthropic-Version: 2023-06-01")
		require.Equal(t, test.status, a.Code, "%s %s: %s", test.method, test.path, a.text())
		if test.status == 429 {
			require.Contains(t, a.text(), "tokens_per_day")
		}
		require.EqualValues(t, 0, d.usage("anna").Get("limits.concurrent_requests.used").Int())
	}
	require.EqualValues(t, 1, sum(d.usage("anna"), "requests"),
		"requests to models; no JSON is refused before")
	require.Equal(t, `["tokens_per_day"] [1]`, raw(d.usage("anna"), "refused.#.limit", "refused.#.requests"))
}

// TestManyAtOnce: of 40 requests at once, as many are served as the limit says.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	bubble(t, nil, func(t *testing.T, d *deployment) {
		up := d.stage("up.test")
		key := d.tenant("anna", object{"limits": object{"concurrent_requests": 3}}).get("key").Str
		var clients []*client
		for range 40 {
			clients = append(clients, d.enter("GET", "/u/anna/v1/models", "", false, bearer(key)))
		}
		synctest.Wait()
		require.Len(t, up.scenes, 3)
		for range 3 {
			v := up.next()
			v.answer(says(200, `{"data":[]}`)(v.sent))
		}
		counts := map[int]int{}
		for _, c := range clients {
			counts[c.whole().Code]++
		}
		require.Equal(t, map[int]int{200: 3, 429: 37}, counts)
		require.Len(t, d.asked, 3)
	})
}
