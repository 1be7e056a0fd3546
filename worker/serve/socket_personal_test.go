package serve_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/vendors"
)

const socketTurn = `{"store":false,"input":"q"}`

// upgrade requests a WebSocket, and returns the refusal.
func (d *deployment) upgrade(path string, headers ...string) *answer {
	return d.ask("GET", path, "", append([]string{noKey, "Connection: Upgrade", "Upgrade: websocket",
		"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg=="}, headers...)...)
}

// TestSocketUpgrade refuses upgrades of other paths, without a key in a header, and from pages of
// other sites.
func TestSocketUpgrade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deploy(t, nil)
		key := bearer(clientKey)
		for _, path := range []string{"/v1/messages", "/v1/chat/completions", "/v1/models",
			"/v1/responses/resp_1", "/v1/responses/input_tokens"} {
			assert.Equal(t, 426, d.upgrade(path, key).Code, path)
		}
		assert.Equal(t, 405, d.ask("GET", "/v1/responses", "").Code)
		assert.Equal(t, 404, d.upgrade("/v1/none", key).Code)

		for _, test := range [][2]string{
			{"/v1/responses", noKey}, {"/v1/responses", "Authorization: Bearer wrong"},
			{"/v1/responses?key=" + clientKey + "&api_key=" + clientKey, noKey},
			{"/v1/responses", "Sec-WebSocket-Protocol: realtime, openai-insecure-api-key." + clientKey},
			{"/v1/responses", "Cookie: key=" + clientKey},
		} {
			a := d.upgrade(test[0], test[1])
			assert.Equal(t, 401, a.Code, test)
			assert.Equal(t, "invalid_request_error", a.get("error.type").Str, test)
		}
		d.connect(t, "/v1/responses", "X-Api-Key: "+clientKey)

		for _, headers := range [][]string{
			{"Origin: https://evil.example"}, {"Origin: null"}, {"Origin: http://edge.test.evil.example"},
			{"Sec-Fetch-Site: cross-site"},
			{"Sec-Fetch-Site: same-site", "Origin: http://edge.test"},
		} {
			assert.Equal(t, 403, d.upgrade("/v1/responses", append([]string{key}, headers...)...).Code,
				headers)
			assert.Equal(t, 403, d.upgrade("/v1/responses", headers...).Code, headers)
		}
		d.connect(t, "/v1/responses", key, "Origin: http://edge.test", "Sec-Fetch-Site: same-origin")
	})
}

// socketEndpoint makes an endpoint with an open socket, and returns the key and the socket.
func (d *deployment) socketEndpoint(t *testing.T, more string) (key string, s *socket) {
	t.Helper()
	key = d.make(with(`{"name":"anna","upstreams":[{"name":"up","protocol":"chat",`+
		`"url":"https://up.test/v1"}]}`, more))
	return key, d.connect(t, "/u/anna/v1/responses", bearer(key))
}

// TestSocketPersonal changes endpoints between two requests of a connection.
func TestSocketPersonal(t *testing.T) {
	t.Parallel()
	ok := lenient("chat", &vendors.Turn{Text: "ok", Usage: vendors.Usage{Input: 103, Cached: 20, Output: 40}})
	for name, run := range map[string]func(t *testing.T, d *deployment){
		"a key in the path": func(t *testing.T, d *deployment) {
			key, s := d.socketEndpoint(t, "")
			s.respond(socketTurn)
			d.connect(t, "/k/"+key+"/v1/responses", "X-Test: none").respond(socketTurn)
		},
		"a key that is revoked": func(t *testing.T, d *deployment) {
			_, s := d.socketEndpoint(t, "")
			s.respond(socketTurn)
			assert.Equal(t, 201, d.admin("POST", "/endpoints/anna/keys", `{}`).Code)
			id := d.admin("GET", "/endpoints/anna", "").get("keys.0.id").String()
			require.Equal(t, http.StatusOK, d.admin("DELETE", "/endpoints/anna/keys/"+id, "").Code)
			s.refused(socketTurn, 401, "invalid_api_key")
			s.ended(websocket.StatusPolicyViolation)
			assert.Len(t, d.requests(), 1)
		},
		"an endpoint that is disabled": func(t *testing.T, d *deployment) {
			_, s := d.socketEndpoint(t, "")
			s.respond(socketTurn)
			require.Equal(t, 200, d.admin("PATCH", "/endpoints/anna", `{"disabled":true}`).Code)
			assert.Contains(t, s.refused(socketTurn, 403, "invalid_request_error").Get("message").Str,
				"disabled")
			s.ended(websocket.StatusPolicyViolation)
		},
		"a model that is not allowed": func(t *testing.T, d *deployment) {
			_, s := d.socketEndpoint(t, `{"limits":{"models":["gpt-*"]}}`)
			s.refused(socketTurn, 403, "invalid_request_error")
			s.ended(websocket.StatusPolicyViolation)
		},
		"limits": func(t *testing.T, d *deployment) {
			_, s := d.socketEndpoint(t,
				`{"limits":{"requests_per_minute":2,"concurrent_requests":1},"usage":true}`)
			s.respond(with(socketTurn, `{"generate":false}`))
			for range 2 {
				s.respond(socketTurn)
				synctest.Wait()
			}
			for range 2 { // the connection goes on
				s.refused(socketTurn, 429, "rate_limit_exceeded")
				synctest.Wait()
			}
			text := d.admin("GET", "/endpoints/anna/usage", "").text()
			assert.Equal(t, list{2.0}, elements(text, "days.#.requests"))
			assert.Equal(t, list{2.0}, elements(text, "refused.#.requests"))
		},
		"a spent budget": func(t *testing.T, d *deployment) {
			_, s := d.socketEndpoint(t, `{"limits":{"tokens_per_day":1}}`)
			s.respond(socketTurn)
			synctest.Wait()
			e := s.refused(socketTurn, 429, "rate_limit_exceeded")
			assert.Equal(t, "usage_limit_reached", e.Get("type").Str)
			assert.Greater(t, e.Get("resets_at").Num, 0.0)
			s.respond(`{"store":false,"generate":false,"input":"q"}`)
		},
		"reports": func(t *testing.T, d *deployment) {
			_, s := d.socketEndpoint(t, "")
			s.respond(socketTurn)
			synctest.Wait()
			assert.JSONEq(t, `[123,40,20,"some-model","anna"]`,
				encoded(list{d.report("input").Value(), d.report("output").Value(),
					d.report("cached").Value(), d.report("model").Value(), d.report("endpoint").Value()}))
			s.refused(`{"store":false,"input":7}`, 400, "invalid_type")
			synctest.Wait()
			assert.Equal(t, "invalid_request", d.report("error").Str, d.report("@this").Raw)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := deploy(t, nil)
				d.upstreams["up.test"] = ok
				run(t, d)
			})
		})
	}
}

// TestSocketStored stores a frame's response as over HTTP, including items from the connection's
// memory.
func TestSocketStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", map[string]string{"OPTIONS": storeOption})
		d.upstreams["up.test"] = func(r *sent) *reply {
			return lenient("chat", texts("to "+gjson.Get(r.body, "messages").Raw))(r)
		}
		s := d.connect(t, "/v1/responses")
		turn := func(s *socket, input, previous string, store bool) gjson.Result {
			frame := object{"input": input}
			if !store {
				frame["store"] = false
			}
			if previous != "" {
				frame["previous_response_id"] = previous
			}
			return s.respond(encoded(frame))
		}
		brief := turn(s, "one", "", false).Get("id").Str
		kept := turn(s, "two", brief, true)
		assert.True(t, kept.Get("store").Bool())
		more := turn(s, "three", kept.Get("id").Str, true)
		stored := d.retrieve(t, more.Get("id").Str)
		assert.JSONEq(t, more.Get("output").Raw, stored.Get("output").Raw)
		assert.JSONEq(t, `{}`, stored.Get("metadata").Raw)
		a := d.ask("POST", "/v1/responses",
			creation(`{"input":"four","stream":true,"previous_response_id":"`+more.Get("id").Str+`"}`))
		assert.Regexp(t, "(?s)one.*two.*three.*four", lastResponse(t, a).Get("output.0.content.0.text").Str)
		e := d.refused(t, 400, "", "POST", "/v1/responses", creation(`{"previous_response_id":"`+brief+`"}`))
		assert.Equal(t, "previous_response_not_found", e.Get("code").Str)

		prepared := s.respond(`{"generate":false,"input":"zero"}`)
		assert.Equal(t, "completed", d.retrieve(t, prepared.Get("id").Str).Get("status").Str)

		other := d.connect(t, "/v1/responses")
		further := turn(other, "five", more.Get("id").Str, false)
		assert.Regexp(t, "(?s)one.*two.*three.*five", further.Get("output.0.content.0.text").Str)
		last := turn(other, "six", further.Get("id").Str, false).Get("output.0.content.0.text").Str
		assert.Regexp(t, "(?s)one.*five.*six", last)
		assert.True(t, strings.HasPrefix(last, "to "))
	})
}
