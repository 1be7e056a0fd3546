package serve_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator/responses"
	"edgelingua/wasmtest/store"
)

// crash is a body that breaks the host, which ends the instance of its request.
type crash struct{}

func (crash) Read([]byte) (int, error) { panic("a fault of the host, as the test asks") }

// crashes ends the instance before the upstream's head.
func crashes(*sent) *reply { panic("a fault of the host, as the test asks") }

// crashesAfter ends the instance after some chunks of an answer.
func crashesAfter(chunks ...string) upstream {
	return func(*sent) *reply {
		kind := "application/json"
		if len(chunks) > 0 && strings.Contains(chunks[0], "data:") {
			kind = "text/event-stream"
		}
		parts := make([]io.Reader, 0, len(chunks)+1)
		for _, chunk := range chunks {
			parts = append(parts, strings.NewReader(chunk))
		}
		return &reply{status: 200, header: map[string]string{"Content-Type": kind},
			body: io.MultiReader(append(parts, crash{})...)}
	}
}

// TestCrashes: six requests whose instances die free their slots at once, and each is counted once.
// If an upstream may have received the request, an estimate of its input is charged.
func TestCrashes(t *testing.T) {
	t.Parallel()
	first := streamOf["chat"][0]
	for name, test := range map[string]struct {
		client, protocol string
		stream           bool
		up               upstream
		more             string // further members of the record
		body             string // "": the smallest request
		search           upstream
		fails            string // the batch with this SQL breaks the host
		input            int64  // the least input tokens of a request; 0: nothing is charged
		status           int
	}{
		"before the head": {client: "anthropic", protocol: "chat", up: crashes, input: 4,
			status: 500},
		"before the head, unchanged": {client: "chat", protocol: "chat", up: crashes, input: 4, status: 500},
		"before a stream's head": {client: "anthropic", protocol: "chat", stream: true, up: crashes,
			input: 4, status: 500},
		"in an answer": {client: "anthropic", protocol: "chat", up: crashesAfter(`{"id":`), input: 4,
			status: 500},
		"in a stream": {client: "anthropic", protocol: "chat", stream: true, up: crashesAfter(first),
			input: 4, status: 200},
		"in a stream, unchanged": {client: "chat", protocol: "chat", stream: true, up: crashesAfter(first),
			input: 4, status: 200},
		"before the call": {client: "responses", protocol: "chat", up: crashes,
			more: `"options":{"store":"on"},`, body: `{"model":"m","input":"hi",` +
				`"previous_response_id":"` + responses.ResponseID(strings.Repeat("A", 43)) + `"}`,
			fails: "FROM chain", status: 500},
		"in a search": {client: "anthropic", protocol: "chat", body: searching["anthropic"],
			more:   `"options":` + searxOption + `,`,
			up:     lenient("chat", round("I look.", search("call_1"))),
			search: crashes, input: 10, status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := deploy(t, nil)
			d.setTime(midnight)
			d.upstreams["up.test"], d.upstreams["search.test"] = test.up, test.search
			e := d.endpoint(`"usage":true,"limits":{"concurrent_requests":3,` +
				`"concurrent_streams":3},` + ownPrices + `,` + test.more + oneUpstream(test.protocol))
			if test.fails != "" {
				d.batch = func(_ string, statements []store.Statement) error {
					for _, s := range statements {
						if strings.Contains(s.SQL, test.fails) {
							panic("a fault of the host, as the test asks")
						}
					}
					return nil
				}
			}
			for range 6 {
				a := e.ask(test.client, asking{stream: test.stream, raw: test.body})
				require.Equal(t, test.status, a.Code, a.text())
			}
			d.batch = nil
			u := e.usage()
			assert.Zero(t, u.Get("limits.concurrent_requests.used").Int(), u.Raw)
			assert.Zero(t, u.Get("limits.concurrent_streams.used").Int(), u.Raw)
			assert.Equal(t, []int64{6, 6, 0}, sums(u, "requests", "errors", "unpriced"), u.Raw)
			assert.GreaterOrEqual(t, sum(u, "input"), 6*test.input, u.Raw)
			assert.Equal(t, test.input > 0, u.Get("days.0.usd").Num > 0, u.Raw)
			assert.Len(t, u.Get("errors").Array(), 6, u.Raw)
			for _, failed := range u.Get("errors").Array() {
				assert.Equal(t, list{500.0, "internal"},
					list{failed.Get("status").Num, failed.Get("type").Str})
			}
			assert.Equal(t, []any{0.0}, d.rows("endpoint:"+e.name, "SELECT count(*) FROM usage_health"),
				"a crash is no failure of the upstream")
		})
	}
}

// TestCrashWhenTheClientLeaves: a request whose client leaves as its instance dies is counted once.
func TestCrashWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	d.setTime(midnight)
	e := d.endpoint(`"usage":true,"limits":{"concurrent_requests":1},` + ownPrices + `,` +
		oneUpstream("chat"))
	ctx, leave := context.WithCancel(context.Background())
	d.upstreams["up.test"] = func(r *sent) *reply {
		leave()
		return crashes(r)
	}
	path, body := asking{}.httpOf("anthropic")
	d.askWith(ctx, http.MethodPost, "/u/"+e.name+path, body, "Authorization: ", "X-Api-Key: "+e.key)
	u := e.usage()
	assert.Zero(t, u.Get("limits.concurrent_requests.used").Int(), u.Raw)
	assert.Equal(t, []int64{1, 1}, sums(u, "requests", "errors"), u.Raw)
	assert.Positive(t, sum(u, "input"), u.Raw)
}

// TestCrashInASecondRound: the first round is charged as the upstream counted it, and the second
// round as an estimate.
func TestCrashInASecondRound(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, stream bool) {
		d := deploy(t, nil)
		d.setTime(midnight)
		first := lenient("chat", round("I look.", search("call_1")))
		d.upstreams["up.test"] = d.each(first, crashes)
		d.upstreams["search.test"] = says(200, foundPages)
		e := d.endpoint(`"usage":true,"limits":{"concurrent_requests":1},` + ownPrices +
			`,"options":` + searxOption + `,` + oneUpstream("chat"))
		e.ask("anthropic", asking{raw: streamed(searching["anthropic"], stream)})
		u := e.usage()
		assert.Zero(t, u.Get("limits.concurrent_requests.used").Int(), u.Raw)
		assert.Equal(t, []int64{1, 1, 2}, sums(u, "requests", "errors", "output"), u.Raw)
		found := int64(len(gjson.Get(foundPages, "results.0.content").Str) / 8)
		assert.Greater(t, sum(u, "input"), 10+found, u.Raw)
	})
}
