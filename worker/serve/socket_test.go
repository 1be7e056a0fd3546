package serve_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/pipes"
	"edgelingua/wasmtest/vendors"
)

// listen serves a deployment over pipes until the test ends, and returns a transport. It is for
// tests in a bubble.
func (d *deployment) listen() *http.Transport {
	transport := &http.Transport{}
	pipes.Serve(d.t, d.host, transport)
	return transport
}

// socket is a client's WebSocket.
type socket struct {
	*websocket.Conn
	t      *testing.T
	header http.Header // of the upgrade
}

// connect opens a WebSocket with the deployment's key, or with other headers as "name: value".
func (d *deployment) connect(t *testing.T, path string, headers ...string) *socket {
	t.Helper()
	if headers == nil {
		headers = []string{bearer(clientKey)}
	}
	header := http.Header{}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		header.Set(name, value)
	}
	conn, response, err := websocket.Dial(context.Background(), "http://edge.test"+path,
		&websocket.DialOptions{
			HTTPHeader: header, HTTPClient: &http.Client{Transport: d.listen()},
		})
	require.NoError(t, err)
	conn.SetReadLimit(-1)
	d.t.Cleanup(func() { conn.CloseNow() })
	return &socket{conn, t, response.Header}
}

// text sends a frame.
func (s *socket) text(frame string) {
	s.t.Helper()
	require.NoError(s.t, s.Write(context.Background(), websocket.MessageText, []byte(frame)))
}

// send sends a response.create with these members.
func (s *socket) send(frame string) {
	s.t.Helper()
	s.text(with(`{"type":"response.create","model":"some-model"}`, frame))
}

// next returns the next event.
func (s *socket) next() gjson.Result {
	s.t.Helper()
	kind, text, err := s.Read(context.Background())
	require.NoError(s.t, err)
	require.Equal(s.t, websocket.MessageText, kind)
	return gjson.ParseBytes(text)
}

// events returns the events of one frame's answer, including the last.
func (s *socket) events() (all []gjson.Result) {
	s.t.Helper()
	for {
		event := s.next()
		all = append(all, event)
		switch event.Get("type").Str {
		case "response.completed", "response.failed", "response.incomplete":
			return all
		}
		require.False(s.t, event.Get("status").Exists(), event.Raw)
	}
}

// respond sends a frame, and returns the response.
func (s *socket) respond(frame string) gjson.Result {
	s.t.Helper()
	s.send(frame)
	events := s.events()
	for i, event := range events {
		require.Equal(s.t, int64(i), event.Get("sequence_number").Int())
	}
	last := events[len(events)-1]
	require.Equal(s.t, "response.completed", last.Get("type").Str, last.Raw)
	return last.Get("response")
}

// refused sends a frame, and returns the error.
func (s *socket) refused(frame string, status int, code string) gjson.Result {
	s.t.Helper()
	s.send(frame)
	return s.failed(status, code)
}

// failed reads the next event, an error, and returns the error.
func (s *socket) failed(status int, code string) gjson.Result {
	s.t.Helper()
	event := s.next()
	require.Equal(s.t, list{"error", float64(status), code},
		list{event.Get("type").Value(), event.Get("status").Value(), event.Get("error.code").Value()},
		event.Raw)
	require.NotEmpty(s.t, event.Get("error.message").Str)
	return event.Get("error")
}

// ended checks that the connection ends with a code.
func (s *socket) ended(code websocket.StatusCode) {
	s.t.Helper()
	_, text, err := s.Read(context.Background())
	require.Error(s.t, err, string(text))
	assert.Equal(s.t, code, websocket.CloseStatus(err))
}

// onSockets runs a test with an upstream of each protocol.
func onSockets(t *testing.T, run func(t *testing.T, d *deployment, protocol string)) {
	for _, protocol := range clientProtocols {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { run(t, deployTo(t, protocol, nil), protocol) })
		})
	}
}

// TestSocketConversation sends only the new items of each turn.
func TestSocketConversation(t *testing.T) {
	t.Parallel()
	onSockets(t, func(t *testing.T, d *deployment, protocol string) {
		s := d.connect(t, "/v1/responses")
		assert.Regexp(t, "^req_", s.header.Get("X-Request-Id"))
		const base = `{"store":false,"tools":[` + weatherTool + `]}`
		all := list{}
		play := func(turn *vendors.Turn, previous gjson.Result, input any) gjson.Result {
			t.Helper()
			d.upstreams["up.test"] = lenient(protocol, turn)
			frame := object{"input": input}
			if id := previous.Get("id").Str; id != "" {
				frame["previous_response_id"] = id
			}
			response := s.respond(with(base, encoded(frame)))
			assert.Equal(t, previous.Get("id").Str, response.Get("previous_response_id").Str)
			if text, ok := input.(string); ok {
				input = list{object{"role": "user", "content": text}}
			}
			all = append(all, input.(list)...)
			all = append(all, response.Get("output").Value().(list)...)
			return response
		}
		callOf := func(n int) *vendors.Turn {
			turn := called(protocol, n)
			turn.Reasoning = nil
			return turn
		}
		result := func(n int, text string) list {
			return list{object{"type": "function_call_output", "call_id": callID(protocol, n),
				"output": text}}
		}
		first := play(callOf(1), gjson.Result{}, "the weather?")
		assert.False(t, first.Get("store").Bool())
		second := play(callOf(2), first, result(1, "12 °C"))
		third := play(texts("mild"), second, result(2, "13 °C"))
		assert.Equal(t, "mild", third.Get("output.0.content.0.text").Str)
		asked := len(all)
		play(texts("ok"), third, "thanks")
		fourth := d.last()

		a := d.ask("POST", "/v1/responses",
			with(`{"model":"some-model","stream":true}`,
				with(base, encoded(object{"input": append(all[:asked:asked],
					object{"role": "user", "content": "thanks"})}))))
		require.Equal(t, 200, a.Code, a.text())
		if protocol != "responses" { // between two Responses sides the body passes unchanged, as over HTTP
			assert.JSONEq(t, d.last().body, fourth.body)
		}
		assert.Equal(t, gjson.Get(d.last().body, "model").Raw, gjson.Get(fourth.body, "model").Raw)
		assert.JSONEq(t, gjson.Get(d.last().body, "tools").Raw, gjson.Get(fourth.body, "tools").Raw)
		assert.Equal(t, resultsOf(protocol, d.last().body), resultsOf(protocol, fourth.body))
		var calls [2][]string
		for i, body := range []string{d.last().body, fourth.body} {
			for _, item := range gjson.Get(body, `input.#(type=="function_call")#`).Array() {
				calls[i] = append(calls[i],
					item.Get("call_id").Str+item.Get("name").Str+item.Get("arguments").Str)
			}
		}
		assert.Equal(t, calls[0], calls[1])
	})
}

// TestSocketTurns: the events are those of HTTP; frames prepare, upstreams fail, and a client
// leaves.
func TestSocketAnswers(t *testing.T) {
	t.Parallel()
	onSockets(t, func(t *testing.T, d *deployment, protocol string) {
		ok := lenient(protocol, texts("hello"))
		d.upstreams["up.test"] = ok
		s := d.connect(t, "/v1/responses", bearer(clientKey), "Idempotency-Key: one")
		s.send(`{"store":false,"input":"q","stream":false}`)
		var names, want []string
		for _, event := range s.events() {
			names = append(names, event.Get("type").Str)
		}
		for _, f := range d.ask("POST", "/v1/responses",
			creation(`{"store":false,"stream":true}`)).events(t) {
			want = append(want, f.Name)
		}
		assert.Equal(t, want, names)

		d.restart()
		for _, input := range []string{"a", "b"} {
			s.respond(`{"store":false,"input":"` + input + `"}`)
			assert.NotContains(t, d.last().Header, "Idempotency-Key",
				"by which an upstream may repeat its first answer")
		}

		d.restart()
		ready := s.respond(`{"store":false,"generate":false,"instructions":"Be brief.","input":"one"}`)
		assert.Equal(t, "completed", ready.Get("status").Str)
		assert.Empty(t, ready.Get("output").Array())
		assert.Empty(t, d.requests())
		more := s.respond(`{"store":false,"generate":false,"input":"two","previous_response_id":"` +
			ready.Get("id").Str + `"}`)
		s.respond(`{"store":false,"input":[],"previous_response_id":"` + more.Get("id").Str + `"}`)
		assert.Regexp(t, "one.*two", d.last().body)
		assert.NotContains(t, d.last().body, "generate")

		first := s.respond(`{"store":false,"input":"q"}`).Get("id").Str
		begun := reply{status: 200, header: map[string]string{"Content-Type": "text/event-stream"},
			chunks: []string{": begun\n\n"}, err: io.ErrUnexpectedEOF}
		d.upstreams["up.test"] = func(*sent) *reply { r := begun; return &r }
		s.send(`{"store":false,"input":"more","previous_response_id":"` + first + `"}`)
		events := s.events()
		assert.Equal(t, "response.failed", events[len(events)-1].Get("type").Str)
		d.upstreams["up.test"] = ok
		s.refused(`{"store":false,"input":"again","previous_response_id":"`+first+`"}`, 400,
			"previous_response_not_found")
		s.respond(`{"store":false,"input":"everything"}`)
		assert.Contains(t, d.last().body, "everything")

		for _, status := range []int{400, 429, 500} {
			d.upstreams["up.test"] = says(status,
				`{"error":{"message":"no, not that one","type":"an_error","code":"a_code"}}`)
			s.send(`{"store":false,"input":"q"}`)
			event := s.next()
			assert.Equal(t, int64(status), event.Get("status").Int())
			assert.Contains(t, event.Get("error.message").Str, "not that one")
		}
		d.upstreams["up.test"] = ok
		s.respond(`{"store":false,"input":"q"}`)

		var request context.Context
		d.upstreams["up.test"] = func(r *sent) *reply {
			request = r.Context()
			r2 := begun
			r2.silent = true
			return &r2
		}
		s.send(`{"store":false,"input":"q"}`)
		synctest.Wait()
		s.CloseNow()
		<-request.Done()
	})
}

// TestSocketFrames refuses frames that are not requests, and a second frame during an answer.
func TestSocketFrames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		s := d.connect(t, "/v1/responses")
		for _, test := range []struct{ frame, code, param string }{
			{"{", "invalid_request_error", ""},
			{"[]", "invalid_type", ""},
			{`{"model":"m","input":"q"}`, "missing_required_parameter", ""},
			{`{"type":"response.delete"}`, "invalid_value", "type"},
			{`{"type":"response.cancel"}`, "response_not_active", "type"},
			{`{"type":"response.steer","input":"q"}`, "steering_not_supported", "type"},
			{`{"type":"response.create","model":"m","input":"q","stream_id":""}`, "invalid_stream_id", "stream_id"},
			{`{"type":"response.create","model":"m","input":"q","stream_id":7}`, "invalid_stream_id", "stream_id"},
			{`{"type":"response.create","model":"m","input":"q","stream_id":"a b"}`, "invalid_stream_id", "stream_id"},
			{`{"type":"response.create","model":"m","input":"q","stream\u005fid":"a"}`, "invalid_stream_id",
				"stream_id"},
			{`{"type":"response.create","model":"m","input":"q","stream_id":"` + strings.Repeat("x", 257) + `"}`,
				"invalid_stream_id", "stream_id"},
			{`{"type":"response.create","model":"m","input":"q","generate":"no"}`, "invalid_type", ""},
			{`{"type":"response.create","input":"q"}`, "missing_required_parameter", "model"},
			{`{"type":"response.create","model":"m"}`, "missing_required_parameter", "input"},
			{`{"type":"response.create","model":"m","input":7}`, "invalid_type", "input"},
			{`{"type":"response.create","model":"m","input":"q","background":true}`, "invalid_value",
				"background"},
		} {
			s.text(test.frame)
			e := s.failed(400, test.code)
			if test.param == "background" {
				assert.Regexp(t, "(?i)background", e.Get("message").Str)
			} else if test.param != "" {
				assert.Equal(t, test.param, e.Get("param").Str, test.frame)
			}
		}
		assert.Empty(t, d.requests())
		d.upstreams["up.test"] = lenient("chat", texts("ok"))
		s.respond(`{"input":"q"}`)
		assert.JSONEq(t, `{"mine":"x","x-edgelingua-lost":"truncation,metadata"}`,
			s.respond(`{"input":"q","truncation":"auto","metadata":{"mine":"x"}}`).Get("metadata").Raw)
		assert.JSONEq(t, `{}`, s.respond(`{"input":"q"}`).Get("metadata").Raw)

		d.restart()
		release := make(chan struct{})
		d.upstreams["up.test"] = func(r *sent) *reply {
			<-release
			return lenient("chat", texts("ok"))(r)
		}
		s.send(`{"input":"first"}`)
		synctest.Wait()
		for range 16 {
			s.send(`{"input":"second"}`)
		}
		for range 9 {
			e := s.refused(`{"input":"third"}`, 409, "response_in_progress")
			assert.Equal(t, "Responses are in progress on this connection, and no more than 16 requests of "+
				"together 16 MB can wait. Wait for a last event, or open another connection.", e.Get("message").Str)
		}
		close(release)
		for range 17 {
			events := s.events()
			assert.Equal(t, "response.completed", events[len(events)-1].Get("type").Str)
		}
		assert.Len(t, d.requests(), 17)

		var request context.Context
		d.upstreams["up.test"] = func(r *sent) *reply {
			request = r.Context()
			<-request.Done()
			return &reply{err: request.Err()}
		}
		s.send(`{"input":"first"}`)
		synctest.Wait()
		for range 16 {
			s.send(`{"input":"second"}`)
		}
		for range 10 {
			s.refused(`{"input":"third"}`, 409, "response_in_progress")
		}
		s.ended(websocket.StatusPolicyViolation)
		synctest.Wait()
		assert.Error(t, request.Err(), "the turn ends with the connection")
	})
}

// TestSocketsApart: connections share nothing.
func TestSocketsApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := deployTo(t, "chat", nil)
		d.upstreams["up.test"] = func(r *sent) *reply {
			return lenient("chat", texts("to "+gjson.Get(r.body, "messages").Raw))(r)
		}
		marks := []string{"mark-a", "mark-b", "mark-c", "mark-d", "mark-e", "mark-f", "mark-g", "mark-h"}
		sockets, ids := make([]*socket, len(marks)), make([]string, len(marks))
		var all sync.WaitGroup
		for i, mark := range marks {
			all.Go(func() {
				sockets[i] = d.connect(t, "/v1/responses")
				for _, n := range []string{"0", "1", "2"} {
					frame := object{"store": false, "input": mark + " " + n}
					if ids[i] != "" {
						frame["previous_response_id"] = ids[i]
					}
					response := sockets[i].respond(encoded(frame))
					text := response.Get("output.0.content.0.text").Str
					for _, other := range marks {
						assert.Equal(t, other == mark, strings.Contains(text, other))
					}
					for _, before := range []string{"0", "1", "2"} {
						assert.Equal(t, before <= n, strings.Contains(text, mark+" "+before))
					}
					ids[i] = response.Get("id").Str
				}
			})
		}
		all.Wait()
		for i, s := range sockets {
			s.refused(`{"store":false,"input":"q","previous_response_id":"`+ids[(i+1)%len(ids)]+`"}`, 400,
				"previous_response_not_found")
		}
	})
}
