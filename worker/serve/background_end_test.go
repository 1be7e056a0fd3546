package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/serve"
)

// another returns a deployment with the store of d, as after a restart. The tasks of d run on, as after
// a crash.
func (d *deployment) another() *deployment {
	e := &deployment{t: d.t, store: d.store, upstreams: d.upstreams, bubble: d.bubble, time: d.time}
	e.state = &watchedStore{Store: d.store, deployment: e}
	e.host = host.NewNative(serve.Program{}, host.Config{Env: map[string]string{"ADMIN_KEY": adminKey,
		"CLIENT_KEY": clientKey, "SEAL_KEY": sealKey}, Transport: e, Store: e.state, Now: e.now})
	d.t.Cleanup(func() { e.host.Close(d.t.Context()) })
	return e
}

// goneAtOnce checks that the connection to an upstream is closed, without a wait.
func goneAtOnce(t *testing.T, s *scene) {
	t.Helper()
	synctest.Wait()
	select {
	case <-s.gone:
	default:
		t.Fatal("the upstream's connection is open")
	}
}

// TestBackgroundSuccessor: the deletion of an endpoint ends the background responses. A later endpoint
// with the same name can't read the responses. Their usage stays in the overview.
func TestBackgroundSuccessor(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		id, begun, s := start(t, d, up, responsesPath, key)
		listener := d.enter("GET", responsesPath+"/"+id+"?stream=true", "", false, key)
		synctest.Wait()
		require.Equal(t, 204, d.admin("DELETE", "/endpoints/anna", "").Code)
		goneAtOnce(t, s)
		text := listener.whole().text()
		require.True(t, strings.HasPrefix(text, begun))
		assert.Contains(t, text, "The endpoint was disabled, deleted or changed.")
		assert.Positive(t, d.admin("GET", "/overview", "").get("today.input").Int())
		sleep(t, 2)
		again := bearer(d.tenant("anna", object{"options": object{"store": "on"}}).get("key").Str)
		for at, method := range map[string]string{"": "GET", "?stream=true&starting_after=0": "GET",
			"/cancel": "POST"} {
			d.refused(t, 404, "not found", method, responsesPath+"/"+id+at, "", again)
			d.refused(t, 401, "Wrong key", method, responsesPath+"/"+id+at, "", key)
		}
		d.refused(t, 404, "not found", "DELETE", responsesPath+"/"+id, "", again)
	})
}

// TestBackgroundDisabled: disabling an endpoint, or the end of its storage, ends the background responses.
// Their status is failed.
func TestBackgroundDisabled(t *testing.T) {
	t.Parallel()
	for _, change := range [][2]string{{`{"disabled":true}`, `{"disabled":false}`},
		{`{"options":{"store":null}}`, `{"options":{"store":"on"}}`}} {
		t.Run(change[0], func(t *testing.T) {
			t.Parallel()
			background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
				id, _, s := start(t, d, up, responsesPath, key)
				require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", `{"limits":{"requests_per_minute":9}}`).Code)
				require.Equal(t, "in_progress", d.ask("GET", responsesPath+"/"+id, "", key).get("status").Str)
				require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", change[0]).Code)
				goneAtOnce(t, s)
				u := d.usage("anna")
				assert.Equal(t, []int64{1, 0}, sums(u, "requests", "errors"))
				assert.Positive(t, sum(u, "input"))
				require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", change[1]).Code)
				a := d.ask("GET", responsesPath+"/"+id, "", key)
				assert.Equal(t, "failed server_error", a.get("status").Str+" "+a.get("error.code").Str)
				assert.Contains(t, a.get("error.message").Str, "disabled")
			})
		})
	}
}

// TestBackgroundLateDetach: if an endpoint is deleted or disabled before a request runs in the background,
// the request never runs there, and the connection to the upstream ends.
func TestBackgroundLateDetach(t *testing.T) {
	t.Parallel()
	for _, act := range [][3]string{{"DELETE", "/endpoints/anna", ""},
		{"PATCH", "/endpoints/anna", `{"disabled":true}`}} {
		t.Run(act[0]+" before the upstream answers", func(t *testing.T) {
			t.Parallel()
			background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
				c := d.enter("POST", responsesPath, creation(`{"background":true,"stream":true}`), false, key)
				s := up.next()
				d.admin(act[0], act[1], act[2])
				s.begin(200)
				goneAtOnce(t, s)
				a := c.whole()
				assert.Contains(t, []int{401, 403}, a.Code, a.text())
			})
		})
		t.Run(act[0]+" before a place is taken", func(t *testing.T) {
			t.Parallel()
			background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
				send := d.hold("POST", responsesPath, strings.TrimPrefix(key, "Authorization: Bearer "),
					creation(`{"background":true,"stream":true}`))
				restore := d.copies("anna")
				d.admin(act[0], act[1], act[2])
				restore()
				answered := make(chan *answer)
				go func() { answered <- send() }()
				a := <-answered
				assert.Contains(t, []int{401, 403}, a.Code, a.text())
			})
		})
	}
}

// TestBackgroundRestarted: after a restart of the host, a running response has failed, with a reason.
// Failed and cancelled responses have not changed.
func TestBackgroundRestarted(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		running, _, last := start(t, d, up, responsesPath, key)
		failed, _, s := start(t, d, up, responsesPath, key)
		s.send(`data: {"error":{"message":"broken","code":500}}` + "\n\n")
		s.end()
		cancelled, _, _ := start(t, d, up, responsesPath, key)
		d.ask("POST", responsesPath+"/"+cancelled+"/cancel", "", key)
		synctest.Wait()
		shown := map[string]string{}
		for _, id := range []string{failed, cancelled} {
			shown[id] = d.ask("GET", responsesPath+"/"+id, "", key).text()
		}
		e := d.another()
		for id, text := range shown {
			assert.Equal(t, text, e.ask("GET", responsesPath+"/"+id, "", key).text())
		}
		path := responsesPath + "/" + running
		for range 2 {
			a := e.ask("GET", path, "", key)
			require.Equal(t, 200, a.Code, a.text())
			assert.Equal(t, "failed server_error true "+running, strings.Join([]string{a.get("status").Str,
				a.get("error.code").Str, a.get("background").Raw, a.get("id").Str}, " "))
			assert.Contains(t, a.get("error.message").Str, "The server was restarted")
			assert.JSONEq(t, a.text(), e.ask("POST", path+"/cancel", "", key).text())
			frames := e.ask("GET", path+"?stream=true", "", key).events(t)
			assert.Equal(t, "response.failed", frames[len(frames)-1].Name)
			e.refused(t, 400, "other numbers", "GET", path+"?stream=true&starting_after=1", "", key)
			e.refused(t, 400, "not found", "POST", responsesPath,
				creation(`{"previous_response_id":"`+running+`"}`), key)
		}
		assert.Equal(t, "in_progress", d.ask("GET", path, "", key).get("status").Str)
		last.send(chatEnd)
		last.end()
		synctest.Wait()
		assert.Equal(t, "completed", e.ask("GET", path, "", key).get("status").Str, "nothing had stopped")
		assert.EqualValues(t, 3, d.storedBytes("anna")[1])
		for _, id := range []string{running, failed, cancelled} {
			assert.Equal(t, true, e.ask("DELETE", responsesPath+"/"+id, "", key).get("deleted").Bool())
			e.refused(t, 404, "not found", "GET", responsesPath+"/"+id, "", key)
			e.refused(t, 404, "not found", "DELETE", responsesPath+"/"+id, "", key)
		}
		assert.Zero(t, d.storedBytes("anna")[0])
	})
}

// TestBackgroundLargeFailure: if the output of a failed response is too large for a piece of the store,
// the response is stored without output.
func TestBackgroundLargeFailure(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		id, _, s := start(t, d, up, responsesPath, key)
		for range 3 {
			s.send(delta(strings.Repeat("x", 1<<19)))
		}
		s.send(`data: {"error":{"message":"broken","code":500}}` + "\n\n")
		s.end()
		synctest.Wait()
		sleep(t, 601)
		a := d.ask("GET", responsesPath+"/"+id, "", key)
		assert.Equal(t, "failed []", a.get("status").Str+" "+a.get("output").Raw)
		assert.Contains(t, a.get("error.message").Str, "broken")
	})
}

// TestBackgroundNoRoom: without room in the store no response begins.
func TestBackgroundNoRoom(t *testing.T) {
	t.Parallel()
	background(t, object{"options": object{"store": "on", "store_bytes": 1000}},
		func(t *testing.T, d *deployment, up *stage, key string) {
			c := d.enter("POST", responsesPath, creation(`{"background":true}`), false, key)
			s := up.next()
			s.begin(200)
			<-s.gone
			a := c.whole()
			assert.Equal(t, 413, a.Code, a.text())
			assert.Contains(t, a.text(), "no room")
		})
}

// TestBackgroundFailureWithoutRoom: without room, a failed response is stored without output.
func TestBackgroundFailureWithoutRoom(t *testing.T) {
	t.Parallel()
	background(t, object{"options": object{"store": "on", "store_bytes": 10000}},
		func(t *testing.T, d *deployment, up *stage, key string) {
			id, _, s := start(t, d, up, responsesPath, key)
			s.send(delta(strings.Repeat("x", 10000)),
				`data: {"error":{"message":"broken","code":500}}`+"\n\n")
			s.end()
			synctest.Wait()
			assert.Less(t, d.storedBytes("anna")[0], int64(10000))
			sleep(t, 601)
			a := d.ask("GET", responsesPath+"/"+id, "", key)
			assert.Equal(t, "failed []", a.get("status").Str+" "+a.get("output").Raw)
			assert.Contains(t, a.get("error.message").Str, "broken")
		})
}

// TestBackgroundBeginsDuringDeletion: the deletion of an endpoint also ends a response that has just begun.
func TestBackgroundBeginsDuringDeletion(t *testing.T) {
	t.Parallel()
	background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
		var s *scene
		d.state.beforeChange(func() { _, _, s = start(t, d, up, responsesPath, key) })
		require.Equal(t, 204, d.admin("DELETE", "/endpoints/anna", "").Code)
		goneAtOnce(t, s)
	})
}

// TestBackgroundEndsWhileStored: a response is cancelled or deleted during storing. Then the response is
// complete, and later reads agree with the answer to the client.
func TestBackgroundEndsWhileStored(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"POST", "DELETE"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			background(t, nil, func(t *testing.T, d *deployment, up *stage, key string) {
				id, _, s := start(t, d, up, responsesPath, key)
				path := responsesPath + "/" + id
				begun, release := make(chan bool), make(chan bool)
				d.mu.Lock()
				d.batch = func(_ string, statements []store.Statement) error {
					for _, one := range statements {
						if len(one.Args) > 0 && one.Args[0] == id && strings.HasPrefix(one.SQL, "INSERT INTO responses") {
							begun <- true
							<-release
						}
					}
					return nil
				}
				d.mu.Unlock()
				s.send(chatEnd)
				s.end()
				<-begun
				at := map[string]string{"POST": "/cancel"}[method]
				ending := d.enter(method, path+at, "", false, key)
				listener := d.enter("GET", path+"?stream=true", "", false, key)
				synctest.Wait()
				close(release)
				a := ending.whole()
				require.Equal(t, http.StatusOK, a.Code, a.text())
				frames := answers.Frames(t, []byte(listener.whole().text()))
				assert.Equal(t, "response.completed", frames[len(frames)-1].Name)
				sleep(t, 601)
				if method == "DELETE" {
					d.refused(t, 404, "not found", "GET", path, "", key)
					return
				}
				assert.Equal(t, "completed", a.get("status").Str)
				assert.JSONEq(t, a.text(), d.ask("GET", path, "", key).text())
			})
		})
	}
}
