package serve_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/answers"
)

// responsesPath is the path of responses of the endpoint anna.
const responsesPath = "/u/anna/v1/responses"

// background runs a test at the endpoint anna, whose responses are stored. key is the header with its key.
func background(t *testing.T, more object, run func(t *testing.T, d *deployment, up *stage, key string)) {
	bubble(t, nil, func(t *testing.T, d *deployment) {
		up := d.stage("up.test")
		members := object{"options": object{"store": "on"}}
		for name, value := range more {
			members[name] = value
		}
		run(t, d, up, bearer(d.tenant("anna", members).get("key").Str))
	})
}

// delta returns an event of a Chat stream.
func delta(text string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"some-model","choices":[` +
		`{"index":0,"delta":{"role":"assistant","content":"` + text + `"},"finish_reason":null}]}` + "\n\n"
}

// chatEnd is the end of a Chat stream.
const chatEnd = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"some-model","choices":[` +
	`{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
	`data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"some-model","choices":[],` +
	`"usage":{"prompt_tokens":11,"completion_tokens":5,"total_tokens":16}}` + "\n\ndata: [DONE]\n\n"

// TestBackground: a background response runs to its end although its client left, and both the response
// and the rest of its stream are there later.
func TestBackground(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		c := d.enter("POST", responsesPath, creation(`{"background":true,"stream":true}`), false, key)
		s := up.next()
		assert.False(t, s.member("background").Exists())
		assert.True(t, s.member("stream").Bool())
		s.begin(200)
		s.send(delta("one "))
		begun := c.textSoFar()
		c.leave()
		<-c.answered
		created := answers.Frames(t, []byte(begun))
		id := gjson.Get(created[0].Data, "response.id").Str
		assert.True(t, gjson.Get(created[0].Data, "response.background").Bool())
		shown := d.ask("GET", responsesPath+"/"+id, "", key)
		require.Equal(t, 200, shown.Code, shown.text())
		assert.Equal(t, "in_progress", shown.get("status").Str)

		rest := d.enter("GET", fmt.Sprintf("%s/%s?stream=true&starting_after=%d", responsesPath, id,
			len(created)-1), "", false, key)
		all := d.enter("GET", responsesPath+"/"+id+"?stream=true", "", false, key)
		s.send(delta("two"), chatEnd)
		s.end()
		joined := begun + rest.whole().text()
		assert.Equal(t, all.whole().text(), joined)
		frames := answers.Frames(t, []byte(joined))
		assert.Equal(t, "response.completed", frames[len(frames)-1].Name)
		for i, f := range frames {
			assert.EqualValues(t, i, gjson.Get(f.Data, "sequence_number").Int())
		}
		assert.Equal(t, joined, d.ask("GET", responsesPath+"/"+id+"?stream=true", "", key).text())
		whole := d.ask("GET", responsesPath+"/"+id, "", key)
		assert.JSONEq(t, gjson.Get(frames[len(frames)-1].Data, "response").Raw, whole.text())
		assert.True(t, whole.get("background").Bool())
		assert.EqualValues(t, 16, sum(d.usage("anna"), "input")+sum(d.usage("anna"), "output"))
	})
}

// TestBackgroundPolled: without a stream the client gets the queued response at once.
func TestBackgroundPolled(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		c := d.enter("POST", responsesPath, creation(`{"background":true,"metadata":{"a":"b"}}`), false, key)
		s := up.next()
		assert.True(t, s.member("stream").Bool())
		s.begin(200)
		queued := c.whole()
		require.Equal(t, 200, queued.Code, queued.text())
		assert.Equal(t, "application/json", queued.Header().Get("Content-Type"))
		assert.Equal(t, `queued true some-model b []`,
			strings.Join([]string{queued.get("status").Str, queued.get("background").Raw, queued.get("model").Str,
				queued.get("metadata.a").Str, queued.get("output").Raw}, " "))
		get := func() *answer { return d.ask("GET", responsesPath+"/"+queued.get("id").Str, "", key) }
		assert.JSONEq(t, queued.text(), get().text())
		s.send(delta("one"))
		synctest.Wait()
		assert.Equal(t, "in_progress", get().get("status").Str)
		s.send(chatEnd)
		s.end()
		synctest.Wait()
		assert.Equal(t, "completed one", get().get("status").Str+" "+get().get("output.0.content.0.text").Str)
	})
}

// start starts a background response with a stream, and returns its id and what the client got of the text.
// The client has left.
func start(t *testing.T, d *deployment, up *stage, path, key string) (id, begun string, s *scene) {
	t.Helper()
	c := d.enter("POST", path, creation(`{"background":true,"stream":true}`), false, key)
	s = up.next()
	s.begin(200)
	s.send(delta("one "))
	begun = c.textSoFar()
	c.leave()
	<-c.answered
	return gjson.Get(answers.Frames(t, []byte(begun))[0].Data, "response.id").Str, begun, s
}

// TestBackgroundRefused refuses what can't run in the background, and what no response has, in words.
func TestBackgroundRefused(t *testing.T) {
	t.Parallel()
	background(t, object{"limits": object{"tokens_per_day": 1000000}},
		func(t *testing.T, d *deployment, up *stage, key string) {
			id, _, s := start(t, d, up, responsesPath, key)
			path := responsesPath + "/" + id
			for query, last := range map[string]string{"4": "", "-1": "5", "5": "5", "x": "5",
				"99999999999999999999": "5", "1.5": "5"} {
				c := d.enter("GET", path+"?stream=true&starting_after="+query, "", false, key)
				synctest.Wait()
				if last == "" {
					assert.Equal(t, 200, c.soFar.Code)
					assert.Empty(t, c.soFar.text())
				} else {
					assert.Equal(t, 400, c.soFar.Code, query)
					assert.Equal(t, "starting_after", c.soFar.get("error.param").Str)
					assert.Contains(t, c.soFar.get("error.message").Str, "There are "+last+" events so far")
				}
				c.leave()
				<-c.answered
			}
			d.refused(t, 400, "not found", "POST", responsesPath,
				creation(`{"previous_response_id":"`+id+`"}`), key)
			s.send(chatEnd)
			s.end()
			synctest.Wait()

			refused := func(status int, message, method, path, body string) {
				t.Helper()
				d.refused(t, status, message, method, path, body, key)
			}
			refused(400, `"store":true`, "POST", responsesPath, creation(`{"background":true,"store":false}`))
			refused(400, `'background'`, "POST", responsesPath, creation(`{"background":"yes"}`))
			refused(400, `'background'`, "POST", responsesPath,
				creation(`{"extra_body":{"background":true}}`))
			refused(400, `"store":true`, "POST", responsesPath+"/compact", creation(`{"background":true}`))
			refused(400, "'input'", "POST", responsesPath, `{"model":"m","background":true}`)
			refused(404, "not found", "GET", responsesPath+"/"+noResponse+"?stream=true&starting_after=1", "")
			refused(404, "not found", "POST", responsesPath+"/"+noResponse+"/cancel", "")
			refused(404, "not found", "POST", responsesPath+"/resp_x/cancel", "")
			d.upstreams["up.test"] = lenient("chat", texts("ok"))
			plain := d.ask("POST", responsesPath, creation(""), key).get("id").Str
			refused(400, "Only background responses", "POST", responsesPath+"/"+plain+"/cancel", "")
			refused(400, "other numbers", "GET", responsesPath+"/"+plain+"?stream=true&starting_after=1", "")
		})
}

// TestBackgroundUpstreamRefuses: before the answer begins, an error is the client's, and no place is taken.
func TestBackgroundUpstreamRefuses(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, _ *stage, key string) {
		for n := range 70 {
			d.upstreams["up.test"] = says(400, `{"error":{"message":"No such voice."}}`)
			d.refused(t, 400, "No such voice", "POST", responsesPath,
				creation(`{"background":true,"stream":`+fmt.Sprint(n%2 == 0)+`}`), key)
		}
	})
}

// TestBackgroundPlainUpstream: an upstream that sends no stream does not matter.
func TestBackgroundPlainUpstream(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, _ *stage, key string) {
		d.upstreams["up.test"] = says(200, chatAnswer)
		a := d.ask("POST", responsesPath, creation(`{"background":true}`), key)
		require.Equal(t, "queued", a.get("status").Str, a.text())
		synctest.Wait()
		path := responsesPath + "/" + a.get("id").Str
		assert.Equal(t, "completed", d.ask("GET", path, "", key).get("status").Str)
		frames := d.ask("GET", path+"?stream=true&starting_after=0", "", key).events(t)
		assert.EqualValues(t, 1, gjson.Get(frames[0].Data, "sequence_number").Int())
	})
}

// TestBackgroundCancel: a cancelled response ends everywhere, and stays cancelled.
func TestBackgroundCancel(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		id, begun, s := start(t, d, up, responsesPath, key)
		path := responsesPath + "/" + id
		listener := d.enter("GET", path+"?stream=true", "", false, key)
		synctest.Wait()
		a := d.ask("POST", path+"/cancel", "", key)
		require.Equal(t, 200, a.Code, a.text())
		assert.Equal(t, "cancelled null", a.get("status").Str+" "+a.get("error").Raw)
		<-s.gone
		text := listener.whole().text()
		require.True(t, strings.HasPrefix(text, begun))
		frames := answers.Frames(t, []byte(text))
		n := len(frames)
		assert.Equal(t, "error response_cancelled response.failed cancelled",
			strings.Join([]string{frames[n-2].Name, gjson.Get(frames[n-2].Data, "error.code").Str, frames[n-1].Name,
				gjson.Get(frames[n-1].Data, "response.status").Str}, " "))
		for i, f := range frames {
			assert.EqualValues(t, i, gjson.Get(f.Data, "sequence_number").Int())
		}
		for range 2 {
			assert.Equal(t, a.text(), d.ask("POST", path+"/cancel", "", key).text())
			assert.Equal(t, a.text(), d.ask("GET", path, "", key).text())
		}
		d.refused(t, 400, "not found", "POST", responsesPath,
			creation(`{"previous_response_id":"`+id+`"}`), key)

		d.upstreams["up.test"] = lenient("chat", texts("ok"))
		done := d.ask("POST", responsesPath, creation(`{"background":true}`), key).get("id").Str
		synctest.Wait()
		assert.Equal(t, "completed", d.ask("POST", responsesPath+"/"+done+"/cancel", "", key).get("status").Str)
		sleep(t, 601)
		assert.Equal(t, "completed", d.ask("POST", responsesPath+"/"+done+"/cancel", "", key).get("status").Str,
			"the task is forgotten, and the stored response shown")
		assert.Equal(t, a.text(), d.ask("GET", path, "", key).text(), "the stored response is shown")
		assert.Equal(t, a.text(), d.ask("POST", path+"/cancel", "", key).text())
		stream := d.ask("GET", path+"?stream=true", "", key).events(t)
		assert.Equal(t, "response.failed", stream[len(stream)-1].Name)
		d.refused(t, 400, "not found", "POST", responsesPath,
			creation(`{"previous_response_id":"`+id+`"}`), key)
	})
}

// TestBackgroundDeleted: a deleted response is gone, and ends if it runs.
func TestBackgroundDeleted(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		running, _, s := start(t, d, up, responsesPath, key)
		d.upstreams["up.test"] = lenient("chat", texts("ok"))
		ended := d.ask("POST", responsesPath, creation(`{"background":true}`), key).get("id").Str
		synctest.Wait()
		for _, id := range []string{running, ended} {
			path := responsesPath + "/" + id
			a := d.ask("DELETE", path, "", key)
			assert.Equal(t, true, a.get("deleted").Bool(), a.text())
			for _, query := range []string{"", "?stream=true", "?stream=true&starting_after=0"} {
				d.refused(t, 404, "not found", "GET", path+query, "", key)
			}
			d.refused(t, 404, "not found", "DELETE", path, "", key)
		}
		<-s.gone
	})
}

// TestBackgroundExpires: after ten minutes the events are gone, and the stored response remains.
func TestBackgroundExpires(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		d.upstreams["up.test"] = lenient("chat", texts("one two three"))
		stream := d.ask("POST", responsesPath, creation(`{"background":true,"stream":true}`), key)
		id := lastResponse(t, stream).Get("id").Str
		path := responsesPath + "/" + id + "?stream=true"
		sleep(t, 599)
		assert.Equal(t, stream.text(), d.ask("GET", path, "", key).text())
		sleep(t, 2)
		d.refused(t, 400, "other numbers", "GET", path+"&starting_after=2", "", key)
		assert.JSONEq(t, lastResponse(t, stream).Raw, lastResponse(t, d.ask("GET", path, "", key)).Raw)
	})
}

// TestBackgroundStrangers: another endpoint and another key reach no background response.
func TestBackgroundStrangers(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		other := bearer(d.tenant("bert", object{"options": object{"store": "on"}}).get("key").Str)
		id, _, s := start(t, d, up, responsesPath, key)
		for _, path := range []string{"", "?stream=true", "?stream=true&starting_after=0"} {
			d.refused(t, 404, "not found", "GET", "/u/bert/v1/responses/"+id+path, "", other)
			d.refused(t, 401, "Wrong key", "GET", responsesPath+"/"+id+path, "", other)
		}
		for _, at := range [][2]string{{"POST", "/cancel"}, {"DELETE", ""}} {
			d.refused(t, 404, "not found", at[0], "/u/bert/v1/responses/"+id+at[1], "", other)
			d.refused(t, 401, "Wrong key", at[0], responsesPath+"/"+id+at[1], "", other)
		}
		assert.Equal(t, "in_progress", d.ask("GET", responsesPath+"/"+id, "", key).get("status").Str)
		s.send(chatEnd)
		s.end()
		synctest.Wait()
		assert.Equal(t, "completed", d.ask("GET", responsesPath+"/"+id, "", key).get("status").Str)
	})
}

// TestBackgroundConcurrent: a background response has its slots until its end, once, whether or not it is
// a stream or somebody listens. Its client can poll, resume and cancel the response without a slot.
func TestBackgroundConcurrent(t *testing.T) {
	t.Parallel()
	limits := object{"concurrent_requests": 2, "concurrent_streams": 1}
	background(t, object{"limits": limits}, func(t *testing.T, d *deployment, up *stage, key string) {
		used := func(streams, requests int64) {
			t.Helper()
			synctest.Wait()
			u := d.usage("anna").Get("limits")
			assert.Equal(t, streams, u.Get("concurrent_streams.used").Int())
			assert.Equal(t, requests, u.Get("concurrent_requests.used").Int())
		}
		id, _, s := start(t, d, up, responsesPath, key)
		used(1, 1)
		d.refused(t, 429, "concurrent_streams", "POST", responsesPath,
			creation(`{"background":true,"stream":true}`), key)
		polled := d.enter("POST", responsesPath, creation(`{"background":true}`), false, key)
		second := up.next()
		second.begin(200)
		path := responsesPath + "/" + polled.whole().get("id").Str
		used(1, 2)
		d.refused(t, 429, "concurrent_requests", "POST", responsesPath, creation(`{"background":true}`), key)
		d.refused(t, 401, "Wrong key", "POST", path+"/cancel", "", bearer(keyOf("anna")))
		assert.Equal(t, "queued", d.ask("GET", path, "", key).get("status").Str)
		listener := d.enter("GET", path+"?stream=true", "", false, key)
		used(1, 2)
		for range 2 {
			a := d.ask("POST", responsesPath+"/"+id+"/cancel", "", key)
			require.Equal(t, "cancelled", a.get("status").Str, a.text())
			used(0, 1)
		}
		<-s.gone
		used(0, 1)
		second.send(delta("one"), chatEnd)
		second.end()
		assert.Contains(t, listener.whole().text(), "event: response.completed")
		used(0, 0)
		u := d.usage("anna")
		assert.Equal(t, []int64{2, 0}, sums(u, "requests", "errors"))
	})
}

// TestBackgroundPlaces: a tenant has 64 places, and a place is free again at the end.
func TestBackgroundPlaces(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		scenes := make([]*scene, 64)
		for i := range scenes {
			_, _, scenes[i] = start(t, d, up, responsesPath, key)
		}
		asked := len(d.requests())
		d.refused(t, 429, "As many background responses", "POST", responsesPath,
			creation(`{"background":true}`), key)
		assert.Len(t, d.requests(), asked)
		scenes[7].send(chatEnd)
		scenes[7].end()
		synctest.Wait()
		start(t, d, up, responsesPath, key)
	})
}

// TestBackgroundFails: an upstream that breaks off, says nothing or fails makes the response fail, and the
// client that comes back learns it.
func TestBackgroundFails(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(s *scene){
		"cut":    func(s *scene) { s.cut() },
		"silent": func(s *scene) { <-s.gone },
		"error":  func(s *scene) { s.send(`data: {"error":{"message":"broken","code":500}}` + "\n\n"); s.end() },
		"no end": func(s *scene) { s.end() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
				id, begun, s := start(t, d, up, responsesPath, key)
				fail(s)
				synctest.Wait()
				a := d.ask("GET", responsesPath+"/"+id, "", key)
				assert.Equal(t, "failed", a.get("status").Str, a.text())
				assert.NotEmpty(t, a.get("error.message").Str)
				text := d.ask("GET", responsesPath+"/"+id+"?stream=true", "", key).text()
				require.True(t, strings.HasPrefix(text, begun))
				frames := answers.Frames(t, []byte(text))
				assert.Equal(t, "response.failed", frames[len(frames)-1].Name)
			})
		})
	}
}

// TestBackgroundEndless: a response whose upstream goes on for ever fails after 6 hours.
func TestBackgroundEndless(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		id, _, s := start(t, d, up, responsesPath, key)
		for range 6 * 60 {
			sleep(t, 60)
			s.send(": still there\n\n")
		}
		<-s.gone
		synctest.Wait()
		a := d.ask("GET", responsesPath+"/"+id, "", key)
		assert.Contains(t, a.get("error.message").Str, "6 hours", a.text())
	})
}

// TestBackgroundShutDown: when the host shuts down, running responses fail, and listeners are told.
func TestBackgroundShutDown(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		id, begun, s := start(t, d, up, responsesPath, key)
		listener := d.enter("GET", responsesPath+"/"+id+"?stream=true", "", false, key)
		synctest.Wait()
		d.host.CloseTasks(t.Context())
		<-s.gone
		text := listener.whole().text()
		require.True(t, strings.HasPrefix(text, begun))
		frames := answers.Frames(t, []byte(text))
		last := gjson.Get(frames[len(frames)-1].Data, "response")
		assert.Equal(t, "failed", last.Get("status").Str)
		assert.Contains(t, last.Get("error.message").Str, "shut down")
		d.upstreams["up.test"] = lenient("chat", texts("ok"))
		d.refused(t, 503, "can't run in the background now", "POST", responsesPath,
			creation(`{"background":true}`), key)
		assert.Equal(t, []int64{2, 1}, sums(d.usage("anna"), "requests", "errors"))
		assert.Positive(t, sum(d.usage("anna"), "input"), "the cut response counts too")
	})
}
