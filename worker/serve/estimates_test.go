package serve_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// words are about 100 tokens.
var words = strings.Repeat("some words ", 50)

// usedToday returns how many tokens of the day an endpoint has used.
func usedToday(usage gjson.Result) int64 { return usage.Get("limits.tokens_per_day.used").Int() }

// TestStreamsThatEndEarly: if a client leaves a stream, or the upstream breaks off, the part so far
// counts. Anthropic states the input at the beginning; for other upstreams everything is estimated.
func TestStreamsThatEndEarly(t *testing.T) {
	t.Parallel()
	// number of events before the token counts
	beginnings := map[string]int{"anthropic": 3, "chat": 3, "responses": 4}
	for _, protocol := range clientProtocols {
		parts := streamOf[protocol][:min(beginnings[protocol], len(streamOf[protocol])-2)]
		beginning := strings.ReplaceAll(strings.Join(parts, ""), `"ok"`, encoded(words))
		for _, asking := range []struct {
			client string
			more   object
		}{{"anthropic", nil}, {"chat", nil}, {"responses", nil},
			{"chat", object{"stream_options": object{"include_usage": true}}}} {
			for _, leaves := range []bool{true, false} {
				body := object{"stream": true}
				for name, value := range asking.more {
					body[name] = value
				}
				name := asking.client + " of " + protocol
				if asking.more != nil {
					name += ", with usage"
				}
				if leaves {
					name += ", left by its client"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					bubble(t, nil, func(t *testing.T, d *deployment) {
						up := d.stage("up.test")
						key := d.tenant("anna", object{"limits": object{"tokens_per_day": 150},
							"upstreams": list{upstreamObject(protocol, "up.test", nil)}}).get("key").Str
						path := "/u/anna" + paths[asking.client]
						for times := int64(1); ; times++ {
							c := d.enter("POST", path, smallestOf(asking.client, body), false, bearer(key))
							v := up.next()
							v.begin(200)
							v.send(beginning)
							require.Contains(t, c.textSoFar(), "some words")
							require.Equal(t, 200, c.soFar.Code)
							if leaves {
								c.leave()
								<-v.gone
							} else {
								v.cut()
							}
							c.whole()
							told := int64(0)
							if protocol == "anthropic" {
								told = 123
							}
							kept := d.usage("anna")
							require.Equal(t, times, sum(kept, "requests"))
							require.Greater(t, usedToday(kept), times*(told+80), kept.Raw)
							require.Less(t, usedToday(kept), times*(told+130), kept.Raw)
							if usedToday(kept) >= 150 {
								break
							}
							require.Less(t, times, int64(2))
						}
						refused := d.ask("POST", path, smallestOf(asking.client, body), bearer(key))
						require.Equal(t, 429, refused.Code)
						require.Contains(t, refused.text(), "tokens_per_day")
					})
				})
			}
		}
	}
}

// TestClientsThatLeaveBeforeTheAnswer: the request to the upstream counts.
func TestClientsThatLeaveBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, client, text string
		least              int64
	}{
		{"a plain answer", "chat", words, 80},
		{"a plain answer that is translated", "anthropic", words, 80},
		{"30 MB that pass", "chat", strings.Repeat(words, 60<<10)[:30_000_000], 5_000_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bubble(t, nil, func(t *testing.T, d *deployment) {
				up := d.stage("up.test")
				key := d.tenant("anna", object{"limits": object{"tokens_per_day": 50}}).get("key").Str
				path := "/u/anna" + paths[test.client]
				c := d.enter("POST", path, smallestOf(test.client,
					object{"messages": list{object{"role": "user", "content": test.text}}}), false,
					bearer(key))
				v := up.next()
				c.leave()
				<-v.gone
				c.whole()
				synctest.Wait()
				kept := d.usage("anna")
				require.EqualValues(t, 1, sum(kept, "requests"))
				require.Greater(t, usedToday(kept), test.least)
				require.JSONEq(t, "[]", kept.Get("errors").Raw)
				require.Equal(t, 429, d.ask("POST", path, smallestOf(test.client, nil), bearer(key)).Code)
			})
		})
	}
}

// TestRefusedIsFree: a request refused by the upstream is free, and uncounted tokens are estimated.
func TestRefusedIsFree(t *testing.T) {
	t.Parallel()
	d := tenants(t, nil)
	key := d.tenant("anna", object{"limits": object{"tokens_per_day": 1000}}).get("key").Str
	body := object{"stream": true, "messages": list{object{"role": "user", "content": words}}}
	d.upstreams["up.test"] = says(400, `{"error":{"message":"no"}}`)
	for _, client := range []string{"chat", "anthropic"} {
		require.Equal(t, 400, d.ask("POST", "/u/anna"+paths[client], smallestOf(client, body),
			bearer(key)).Code)
	}
	require.EqualValues(t, 2, sum(d.usage("anna"), "requests"))
	require.EqualValues(t, 0, usedToday(d.usage("anna")))
	uncounted := streamOf["chat"][:len(streamOf["chat"])-2]
	var chunks []string
	for _, chunk := range uncounted {
		chunks = append(chunks, strings.ReplaceAll(chunk, `"ok"`, encoded(words)))
	}
	d.upstreams["up.test"] = streams(append(chunks, "data: [DONE]\n\n")...)
	require.Equal(t, 200, d.ask("POST", "/u/anna/v1/messages", smallestOf("anthropic", body),
		bearer(key)).Code)
	kept := d.usage("anna")
	require.EqualValues(t, 3, sum(kept, "requests"))
	require.Greater(t, usedToday(kept), int64(160))
	require.Less(t, usedToday(kept), int64(260))
}

// errReset is the error of a connection reset by the upstream.
var errReset = errors.New("connection reset by peer")
