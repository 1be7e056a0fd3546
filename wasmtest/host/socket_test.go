package host

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hour = 3_600_000 // in milliseconds

// newSocketModule returns a module that accepts WebSockets. A frame is the URL of an upstream. The
// upstream's body is the stream of the answer.
func newSocketModule() *testModule {
	m := newTestModule()
	m.lifetime, m.contentType = hour, "text/event-stream"
	m.later(func(c *testCode) { c.method(c.host(), "body", c.number(64<<20)) },
		func(c *testCode) {
			c.answersWhere(failedCode, 400)
			url := c.data()
			c.method(c.host(), "fetch", url, c.string("GET"), c.string(""), nullSlot, c.number(0),
				c.number(0), falseSlot)
		},
		func(c *testCode) {
			c.answersWhere(failedCode, 502)
			c.answers(c.respond(c.method(c.host(), "stream", c.string(""), c.number(0),
				c.string("data: "+trapped+"\n\n"), c.string(""), c.number(0)), 200))
		})
	m.replace("stream_close", m.code().i32(0).words(flagLast))
	return m
}

// socketHost serves a module with upstreams. At the end of the test it checks that no goroutine and
// no slot is left.
func socketHost(t *testing.T, m *testModule, upstreams roundTripFunc) (h *Host, url string, l *testLog) {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	h, l = newTestHost(t, m)
	h.config.Transport = upstreams
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		<-h.ShutSockets()
		s.Close()
		assert.Zero(t, h.sockets.places.taken)
		assert.Zero(t, h.sockets.memory.taken, "bytes that are remembered")
		for runtime.NumGoroutine() > goroutines { // if a goroutine never ends, the test hangs
			runtime.Gosched()
		}
	})
	return h, s.URL, l
}

// peer of a WebSocket.
type wsClient struct {
	*websocket.Conn
	t *testing.T
}

func connect(t *testing.T, url string, header http.Header) *wsClient {
	t.Helper()
	c, response, err := websocket.Dial(t.Context(), url+"/v1/responses", &websocket.DialOptions{
		HTTPHeader: header, HTTPClient: &http.Client{Transport: &http.Transport{}},
	})
	require.NoError(t, err)
	assert.Equal(t, "yes", response.Header.Get("X-Test"))
	c.SetReadLimit(-1)
	t.Cleanup(func() { c.CloseNow() })
	return &wsClient{c, t}
}

func (c *wsClient) say(text string) {
	c.t.Helper()
	require.NoError(c.t, c.Write(c.t.Context(), websocket.MessageText, []byte(text)))
}

// hear returns the next frame.
func (c *wsClient) hear() string {
	c.t.Helper()
	kind, text, err := c.Read(c.t.Context())
	require.NoError(c.t, err)
	require.Equal(c.t, websocket.MessageText, kind)
	return string(text)
}

// hearError returns status and code of the next frame, an error.
func (c *wsClient) hearError() (status int, code string) {
	c.t.Helper()
	var e struct {
		Type   string
		Status int
		Error  struct {
			Type, Code, Message string
			Param               any
		}
	}
	text := c.hear()
	require.NoError(c.t, json.Unmarshal([]byte(text), &e), text)
	require.Equal(c.t, "error", e.Type, text)
	require.NotEmpty(c.t, e.Error.Message, text)
	return e.Status, e.Error.Code
}

// hearEnd waits for the end of the connection, and returns the status of the host's close frame, -1
// for none.
func (c *wsClient) hearEnd() websocket.StatusCode {
	c.t.Helper()
	_, text, err := c.Read(c.t.Context())
	require.Error(c.t, err, string(text))
	return websocket.CloseStatus(err)
}

func streamed(body io.Reader) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(body)}
}

const (
	completed = `{"type":"response.completed"}`
	trapped   = `{"type":"error","error":{}}`
)

func says(text string) roundTripFunc {
	return func(*http.Request) (*http.Response, error) { return streamed(strings.NewReader(text)), nil }
}

func TestSocket(t *testing.T) {
	m := newSocketModule()
	var asked []*http.Request
	large := `{"type":"x","delta":"` + strings.Repeat("0123456789", 50_000) + `"}`
	h, _ := newTestHost(t, m)
	h.config.Transport = says(": keep-alive\n\nevent: a\ndata: {\"type\":\"a\"}\n\ndata:1\r\ndata: " +
		"2\r\n\r\ndata: " + large + "\n\nevent: b\ndata: " + completed + "\n\n")
	s := httptest.NewServer(h.Sockets(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r)
		h.ServeHTTP(w, r)
	})))
	defer s.Close()
	c := connect(t, s.URL, http.Header{
		"Authorization": {"Bearer key"}, "X-Request-Id": {"mine"}, "Content-Type": {"text/plain"},
		"Openai-Beta": {"x"}, "X-Edgelingua-Socket": {"1"},
		"Idempotency-Key": {"one"},
	})
	for range 3 {
		c.say("http://upstream.test/")
		assert.Equal(t, `{"type":"a"}`, c.hear())
		c.say(`{"type":"response.processed","response_id":"resp_1"}`) // needs no answer, at any time
		c.say("\n{ \"type\" : \"response.processed\" }")
		assert.Equal(t, "1\n2", c.hear())
		assert.Equal(t, large, c.hear())
		assert.Equal(t, completed, c.hear())
		c.say(`{"type":"response.processed","response_id":"` + strings.Repeat("r", 10_000) + `"}`)
	}
	require.NoError(t, c.Close(websocket.StatusNormalClosure, ""))
	<-h.ShutSockets()
	require.Len(t, asked, 4)
	assert.False(t, OfSocket(asked[0]))
	for _, r := range asked[1:] {
		assert.True(t, OfSocket(r))
		assert.Equal(t, "POST", r.Method)
		assert.Equal(t, "/v1/responses", r.URL.Path)
		assert.Equal(t, asked[0].Host, r.Host)
		assert.Equal(t, asked[0].RemoteAddr, r.RemoteAddr)
		assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
		assert.Equal(t, "Bearer key", r.Header.Get("Authorization"))
		assert.Equal(t, "x", r.Header.Get("Openai-Beta"))
		for name := range r.Header {
			assert.NotContains(t, []string{"Connection", "Upgrade", "X-Request-Id", "Idempotency-Key",
				"Sec-Websocket-Key", "Sec-Websocket-Version"}, name)
		}
	}
}

// TestHandshake sends invalid handshakes of a WebSocket, although the program accepts them.
func TestHandshake(t *testing.T) {
	_, url, _ := socketHost(t, newSocketModule(), nil)
	for name, test := range map[string]struct {
		change func(r *http.Request)
		status int
		says   string
	}{
		"another version": {func(r *http.Request) { r.Header.Set("Sec-WebSocket-Version", "8") }, 400,
			"version"},
		"no key": {func(r *http.Request) { r.Header.Del("Sec-WebSocket-Key") }, 400,
			"Sec-WebSocket-Key"},
		"no key of 16": {func(r *http.Request) { r.Header.Set("Sec-WebSocket-Key", "x") }, 400,
			"Sec-WebSocket-Key"},
		"a body": {func(r *http.Request) { r.Body, r.ContentLength = io.NopCloser(strings.NewReader("x")), 1 }, 400, "body"},
		"other connection": {func(r *http.Request) { r.Header.Set("Connection", "keep-alive") }, 426,
			"Connection"},
	} {
		r, err := http.NewRequest("GET", url+"/v1/responses", nil)
		require.NoError(t, err)
		r.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
			"Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key":     {"AAAAAAAAAAAAAAAAAAAAAA=="}}
		test.change(r)
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
		require.NoError(t, err, name)
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		assert.Equal(t, test.status, response.StatusCode, name)
		assert.Equal(t, "application/json", response.Header.Get("Content-Type"), name)
		var e struct{ Error struct{ Message string } }
		require.NoError(t, json.Unmarshal(body, &e), string(body))
		assert.Contains(t, e.Error.Message, test.says, name)
	}
}

func TestSocketsOfAnEndpoint(t *testing.T) {
	_, url, _ := socketHost(t, newSocketModule(), says(""))
	first, second := connect(t, url, nil), connect(t, url, nil)
	refused := func() *http.Response {
		_, response, err := websocket.Dial(t.Context(), url,
			unshared())
		require.Error(t, err)
		return response
	}
	assert.Equal(t, 429, refused().StatusCode)
	require.NoError(t, first.Close(websocket.StatusNormalClosure, ""))
	for { // until the place is free
		c, _, err := websocket.Dial(t.Context(), url, nil)
		if err == nil {
			defer c.CloseNow()
			break
		}
	}
	second.CloseNow()
}

// TestAcceptedInVain has a program accept a WebSocket, and then answer otherwise or trap: the place
// is free again.
func TestAcceptedInVain(t *testing.T) {
	for name, end := range map[string]func(c *testCode){
		"answers": func(c *testCode) { c.returns(c.respond(c.string("no"), 500)) },
		"traps":   func(c *testCode) { c.trap() },
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestModule()
			m.handler(func(c *testCode) {
				c.method(c.host(), "accept", c.string("anna"), c.number(1), c.number(hour))
				end(c)
			})
			_, url, _ := socketHost(t, m, nil)
			for range 3 {
				_, response, err := websocket.Dial(t.Context(), url,
					unshared())
				require.Error(t, err)
				assert.Equal(t, 500, response.StatusCode)
			}
		})
	}
}

// TestEndlessLine has an upstream whose body, which passes, is a line without an end.
func TestEndlessLine(t *testing.T) {
	m := newTestModule()
	m.lifetime, m.contentType = hour, "text/event-stream"
	m.pass(anyURL, 0)
	u := &scripted{chunk: strings.Repeat("x", 1<<15), chunks: 1 << 20}
	_, url, _ := socketHost(t, m, u.RoundTrip)
	c := connect(t, url, nil)
	c.say(anyURL)
	assert.Equal(t, websocket.StatusCode(-1), c.hearEnd())
}

func TestErrorsAreFrames(t *testing.T) {
	trapping := newSocketModule()
	trapping.replace("stream_push", trapping.code().trap())
	for name, test := range map[string]struct {
		module *testModule
		answer string
		want   string
	}{
		"with a code": {nil, `{"error":{"type":"a","code":"b","message":"c","param":"d","more":[1]}}`,
			`{"type":"error","status":400,"error":{"type":"a","code":"b","message":"c","param":"d",` +
				`"more":[1]}}`},
		"without a code": {nil, `{"error":{"type":"a","code":null,"message":"c","param":null}}`,
			`{"type":"error","status":400,"error":{"type":"a","code":"a","message":"c","param":null}}`},
		"of another form": {nil, `<html>`,
			`{"type":"error","status":502,"error":{"type":"server_error","code":"server_error",` +
				`"message":"The answer with status 400 is no stream of events.","param":null}}`},
		"a trap before the answer": {nil, "",
			`{"type":"error","status":500,"error":{"type":"server_error","code":"server_error","message":"` +
				internalErrorMessage + `","param":null}}`},
		"a trap in the stream": {trapping, "", trapped},
	} {
		t.Run(name, func(t *testing.T) {
			m := test.module
			if m == nil {
				m = newTestModule()
				m.lifetime, m.contentType = hour, "application/json"
				m.handler(func(c *testCode) {
					if test.answer == "" {
						c.trap()
					} else {
						c.returns(c.respond(c.string(test.answer), 400))
					}
				})
			}
			_, url, _ := socketHost(t, m, says("data: x\n\n"))
			c := connect(t, url, nil)
			for range 2 {
				c.say("http://upstream.test/")
				assert.JSONEq(t, test.want, c.hear())
			}
			c.CloseNow()
		})
	}
}

// TestErrorHeaders: an error's frame has the headers that a client acts on.
func TestErrorHeaders(t *testing.T) {
	body := []byte(`{"error":{"type":"a","code":"b","message":"c","param":null}}`)
	const e = `"error":{"type":"a","code":"b","message":"c","param":null}`
	require.JSONEq(t, `{"type":"error","status":429,`+e+`,"headers":{"retry-after":"7",`+
		`"x-ratelimit-reset-tokens":"6s"}}`, string(errorFrame(429, http.Header{"Retry-After": {"7"},
		"X-Ratelimit-Reset-Tokens": {"6s"}, "Content-Type": {"application/json"}}, body)))
	require.JSONEq(t, `{"type":"error","status":429,`+e+`}`,
		string(errorFrame(429, http.Header{"Content-Type": {"application/json"}}, body)))
}

// held is an upstream that sends an event, and the last event when the test releases it.
type held struct {
	release chan struct{}
	aborted chan struct{} // an element for each request that was aborted before its release
}

func newHeld() *held {
	return &held{make(chan struct{}), make(chan struct{}, 100)}
}

func (u *held) roundTrip(r *http.Request) (*http.Response, error) {
	var released atomic.Bool
	context.AfterFunc(r.Context(), func() {
		if !released.Load() {
			u.aborted <- struct{}{}
		}
	})
	step := 0
	return streamed(readerFunc(func(p []byte) (int, error) {
		switch step++; step {
		case 1:
			return copy(p, "data: first\n\n"), nil
		case 2:
			select {
			case <-u.release:
				released.Store(true)
				return copy(p, "data: "+completed+"\n\n"), nil
			case <-r.Context().Done():
				return 0, r.Context().Err()
			}
		}
		return 0, io.EOF
	})), nil
}

const anyURL = "http://upstream.test/"

func TestFrameDuringAFrame(t *testing.T) {
	u := newHeld()
	_, url, _ := socketHost(t, newSocketModule(), u.roundTrip)
	c := connect(t, url, nil)
	c.say(anyURL)
	assert.Equal(t, "first", c.hear())
	for range maxWaiting {
		c.say(anyURL)
	}
	for range maxEarly - 1 {
		c.say("early")
		status, code := c.hearError()
		assert.Equal(t, 409, status)
		assert.Equal(t, "response_in_progress", code)
	}
	for range maxWaiting {
		u.release <- struct{}{}
		assert.Equal(t, completed, c.hear(), "the request continues")
		assert.Equal(t, "first", c.hear(), "the next one begins")
	}
	u.release <- struct{}{}
	assert.Equal(t, completed, c.hear())
	c.say(anyURL)
	assert.Equal(t, "first", c.hear())
	for range maxWaiting {
		c.say(strings.Repeat("w", maxFrame/maxWaiting))
	}
	for range maxEarly {
		c.say(strings.Repeat("early", 1<<16))
		status, _ := c.hearError()
		assert.Equal(t, 409, status)
	}
	assert.Equal(t, websocket.StatusPolicyViolation, c.hearEnd())
	<-u.aborted
}

// TestFrameBehindTheLastEvent sends the next frame while the host still has something to do for the
// frame before.
func TestFrameBehindTheLastEvent(t *testing.T) {
	m := newSocketModule()
	release := make(chan struct{})
	h, _ := newTestHost(t, m)
	h.config.Transport = says("data: " + completed + "\n\n")
	s := httptest.NewServer(h.Sockets(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		if OfSocket(r) {
			<-release
		}
	})))
	defer s.Close()
	c := connect(t, s.URL, nil)
	c.say(anyURL)
	for range 5 {
		assert.Equal(t, completed, c.hear())
		c.say(anyURL)
		release <- struct{}{}
	}
	assert.Equal(t, completed, c.hear())
	release <- struct{}{}
	c.CloseNow()
}

func TestFramesThatEndAConnection(t *testing.T) {
	limit := strings.Repeat("x", maxFrame)
	for name, test := range map[string]struct {
		kind   websocket.MessageType
		frame  string
		during bool
		status int
		code   string
		end    websocket.StatusCode
	}{
		"binary": {websocket.MessageBinary, "{}", false, 400, "invalid_frame",
			websocket.StatusUnsupportedData},
		"binary during a frame": {websocket.MessageBinary, "{}", true, 400, "invalid_frame",
			websocket.StatusUnsupportedData},
		"too large": {websocket.MessageText, limit + "x", false, 413, "frame_too_large",
			websocket.StatusMessageTooBig},
		"too large during a frame": {websocket.MessageText, limit + "x", true, 413, "frame_too_large",
			websocket.StatusMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			u := newHeld()
			_, url, _ := socketHost(t, newSocketModule(), u.roundTrip)
			c := connect(t, url, nil)
			if test.during {
				c.say(anyURL)
				assert.Equal(t, "first", c.hear())
			}
			go c.Write(t.Context(), test.kind, []byte(test.frame))
			status, code := c.hearError()
			if test.during && status == 409 {
				status, code = c.hearError()
			}
			assert.Equal(t, test.status, status)
			assert.Equal(t, test.code, code)
			assert.Equal(t, test.end, c.hearEnd())
			if test.during {
				<-u.aborted
			}
		})
	}
	m := newTestModule()
	m.lifetime, m.contentType, m.pages = hour, "text/event-stream", maxFrame>>16+2
	m.later(func(c *testCode) { c.method(c.host(), "body", c.number(maxFrame)) }, func(c *testCode) {
		c.localGet(1).i32(maxFrame).op(0x46, 0x04, 0x40) // i32.eq, if
		c.answers(c.respond(c.string("data: "+completed+"\n\n"), 200))
		c.op(0x0B)
	})
	_, url, _ := socketHost(t, m, nil)
	c := connect(t, url, nil)
	c.say(limit)
	assert.Equal(t, completed, c.hear(), "a frame of the limit reaches the program whole")
	c.CloseNow()
}

// TestClientLeavesDuringAFrame closes the connection, or drops it without a word, in the middle of an
// answer.
func TestClientLeavesDuringAFrame(t *testing.T) {
	for name, leave := range map[string]func(c *wsClient){
		"close": func(c *wsClient) { c.Close(websocket.StatusGoingAway, "") },
		"drop":  func(c *wsClient) { c.CloseNow() },
	} {
		t.Run(name, func(t *testing.T) {
			u := newHeld()
			h, url, _ := socketHost(t, newSocketModule(), u.roundTrip)
			outcomes := make(chan Outcome, 2)
			h.config.Done = func(r *http.Request, o Outcome) {
				if OfSocket(r) {
					outcomes <- o
				}
			}
			c := connect(t, url, nil)
			c.say(anyURL)
			assert.Equal(t, "first", c.hear())
			leave(c)
			<-u.aborted
			assert.True(t, (<-outcomes).Aborted)
		})
	}
}

// TestUpstreamIsLost interrupts the upstream's body, in a translated stream and in a stream that
// passes.
func TestUpstreamIsLost(t *testing.T) {
	broken := func(*http.Request) (*http.Response, error) {
		return streamed(io.MultiReader(strings.NewReader("data: first\n\n"), readerFunc(func([]byte) (int,
			error) {
			return 0, errors.New("cut")
		}))), nil
	}
	m := newTestModule()
	m.lifetime, m.contentType = hour, "text/event-stream"
	m.pass(anyURL, 0)
	_, url, _ := socketHost(t, m, broken)
	c := connect(t, url, nil)
	for range 2 {
		c.say(anyURL)
		assert.Equal(t, "first", c.hear())
		status, code := c.hearError()
		assert.Equal(t, 502, status)
		assert.Equal(t, "server_error", code)
	}
	c.CloseNow()
}

func TestHangUp(t *testing.T) {
	m := newTestModule()
	m.lifetime, m.contentType = hour, "application/json"
	m.handler(func(c *testCode) {
		c.method(c.host(), "hangUp")
		c.returns(c.respond(c.string(`{"error":{"type":"authentication_error","message":"no",`+
			`"code":"invalid_api_key"}}`), 401))
	})
	_, url, _ := socketHost(t, m, nil)
	c := connect(t, url, nil)
	c.say(strings.Repeat("x", 1<<20))
	status, code := c.hearError()
	assert.Equal(t, 401, status)
	assert.Equal(t, "invalid_api_key", code)
	assert.Equal(t, websocket.StatusPolicyViolation, c.hearEnd())
}

// newMemoryModule returns a module that recalls the response r1, logs the items, and remembers the
// text in remembers, which begins with '+' or '='. With fails the answer is an error.
func newMemoryModule(remembers string, fails bool) *testModule {
	m := newTestModule()
	m.lifetime, m.contentType = hour, "text/event-stream"
	m.later(func(c *testCode) { c.method(c.host(), "recall", c.string("r1")) }, func(c *testCode) {
		c.method(c.get(globalSlot, "console"), "log", c.data())
		if fails {
			c.answers(c.respond(c.string("{}"), 400))
		} else {
			c.answers(c.respond(c.string("data: "+completed+"\n\n"), 200))
		}
	})
	at, n := m.text(remembers)
	m.export("remember", nil, i32Result, m.code().i32(at).outIs().i32(n).words(0))
	return m
}

func TestMemory(t *testing.T) {
	for name, test := range map[string]struct {
		remembers string
		total     int
		want      []string // the recalled items of three frames
	}{
		"items go behind":        {"r1\x00+{}", 0, []string{"", "{}", "{},{}"}},
		"items stand alone":      {"r1\x00={}", 0, []string{"", "{}", "{}"}},
		"no new items":           {"r1\x00+", 0, []string{"", "", ""}},
		"another response's":     {"r2\x00+{}", 0, []string{"", "", ""}},
		"nothing":                {"", 0, []string{"", "", ""}},
		"more than the host has": {"r1\x00+{}", 1, []string{"", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			h, url, l := socketHost(t, newMemoryModule(test.remembers, false), nil)
			h.sockets.memory.total = test.total
			c, other := connect(t, url, nil), connect(t, url, nil)
			for range test.want {
				c.say("{}")
				assert.Equal(t, completed, c.hear())
			}
			other.say("{}")
			assert.Equal(t, completed, other.hear())
			c.CloseNow()
			other.CloseNow()
			<-h.ShutSockets()
			var got []string
			for line := range strings.Lines(l.String()) {
				got = append(got, strings.TrimSuffix(strings.TrimPrefix(line, "program: "), "\n"))
			}
			assert.Equal(t, append(test.want, ""), got, "the other connection recalls nothing")
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := &socket{upgrade: &upgrade{sockets: newSockets(0, maxRemember), endpoint: "anna"}}
	s.keep("", history{id: "r", items: make([]byte, maxRemember)})
	assert.Equal(t, "r", s.memory[0].id)
	other := &socket{upgrade: &upgrade{sockets: s.sockets, endpoint: "ben"}}
	other.keep("", history{id: "r", items: make([]byte, 1)})
	assert.Empty(t, other.memory, "the host has no more")
	s.keep("", history{id: "r", items: make([]byte, maxRemember+1)})
	assert.Empty(t, s.memory)
	assert.Zero(t, s.sockets.memory.taken)

	// the lanes of a connection share its memory: the longest unused makes room
	third := maxRemember / 3
	for _, lane := range []string{"a", "b", "c", "a", "d"} {
		s.keep(lane, history{id: "r-" + lane, items: make([]byte, third)})
	}
	var lanes []string
	for _, h := range s.memory {
		lanes = append(lanes, h.lane)
	}
	assert.Equal(t, []string{"c", "a", "d"}, lanes)
	m, ok := s.remembered("b", "r-a")
	assert.True(t, ok, "of another lane")
	assert.Equal(t, third, cap(m.items))
	_, ok = s.remembered("a", "r-a")
	assert.True(t, ok, "the other lane has not forgotten")
	_, ok = s.remembered("a", "r-a")
	assert.False(t, ok, "its own has")
	s.release()
	assert.Zero(t, s.sockets.memory.taken)
}

// TestForksAreBounded: requests that continue from other lanes' responses together have no more than a
// connection remembers.
func TestForksAreBounded(t *testing.T) {
	s := &socket{}
	for range 4 {
		s.running = append(s.running, &socketFrame{socket: s})
	}
	assert.True(t, s.running[0].forks(maxRemember/2))
	assert.True(t, s.running[1].forks(maxRemember/2))
	assert.False(t, s.running[2].forks(maxRemember/2))
	assert.True(t, s.running[3].forks(0))
	s.finish(s.running[0])
	assert.True(t, s.running[1].forks(maxRemember/2))
}

// TestFailedFrameForgets has frames fail in three ways after they have recalled the history.
func TestFailedFrameForgets(t *testing.T) {
	died := newMemoryModule("", false)
	died.replace("remember", died.code().trap())
	for name, m := range map[string]*testModule{
		"error": newMemoryModule("", true), "trap": died, "no sign": newMemoryModule("r1\x00", false),
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newTestHost(t, m)
			u := &upgrade{sockets: h.sockets}
			s := newSocket(u, h, httptest.NewRequest("GET", "/v1/responses", nil))
			s.keep("", history{id: "r1", items: []byte("{}")})
			frame := &socketFrame{socket: s}
			r := httptest.NewRequest("POST", "/v1/responses", nil)
			h.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithValue(r.Context(), frameKey{},
				frame)))
			assert.Equal(t, "{}", string(frame.recalled))
			assert.Empty(t, s.memory)
			assert.Zero(t, h.sockets.memory.taken)
		})
	}
}

// TestBridgeOfOtherRequests calls methods that only frames and upgrades may call.
func TestBridgeOfOtherRequests(t *testing.T) {
	for name, call := range map[string]func(c *testCode){
		"accept":  func(c *testCode) { c.method(c.host(), "accept", c.string(""), c.number(1), c.number(1)) },
		"recall":  func(c *testCode) { c.method(c.host(), "recall", c.string("r")) },
		"hangUp":  func(c *testCode) { c.method(c.host(), "hangUp") },
		"reserve": func(c *testCode) { c.method(c.host(), "reserve", c.string("o")) },
	} {
		m := newTestModule()
		m.handler(call)
		url, l := serve(t, m)
		response, _ := get(t, "POST", url, "")
		assert.Equal(t, 500, response.StatusCode)
		assert.Contains(t, l.String(), "host."+name+" is called for a request that")
	}
}

func TestShares(t *testing.T) {
	s := newShares(20)
	for range 16 {
		assert.True(t, s.take("a", 1, 0))
	}
	assert.False(t, s.take("a", 1, 0), "four times what is free")
	assert.True(t, s.take("b", 1, 0))
	assert.False(t, s.take("b", 4, 0), "more than is free")
	assert.False(t, s.take("b", 1, 1), "more than it may have")
	s.give("a", 16)
	s.give("b", 1)
	assert.Empty(t, s.of)
	assert.True(t, newShares(0).take("a", 1<<40, 0))
}

// unshared returns options for a WebSocket with its own connection.
func unshared() *websocket.DialOptions {
	transport := &http.Transport{DisableKeepAlives: true}
	return &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}}
}
