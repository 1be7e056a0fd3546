package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/store"
)

// statement returns a statement without arguments, packed as worker/bridge/doc.go says.
func statement(sql string) string { return "q" + string([]byte{byte(len(sql)), 0, 0, 0}) + sql }

// account returns code that calls the bridge's account with the statement RENEW, and insure with
// OLD and then with DEATH. The module's export account returns the statement END.
func (m *testModule) account(every float64) (call func(c *testCode)) {
	end, n := m.text(statement("END"))
	m.export("account", nil, i32Result, m.code().i32(end).outIs().i32(n).words(0))
	return func(c *testCode) {
		packed := func(sql string) slot {
			at, length := m.text(statement(sql))
			return c.method(c.host(), "bytes", c.number(float64(at)), c.number(float64(length)))
		}
		c.method(c.host(), "account", c.string("object"), packed("RENEW"), c.number(every),
			c.string("further"), packed("MERGE"))
		c.method(c.host(), "insure", packed("OLD"))
		c.method(c.host(), "insure", packed("DEATH"))
	}
}

// objects is a store that records the statements in each object.
type objects struct {
	Store
	run  func(sql string) error
	rows []store.Rows // of each batch

	mu  sync.Mutex
	ran []string
}

func (o *objects) Batch(object string, statements []store.Statement) (rows []store.Rows, err error) {
	for _, s := range statements {
		what := object + " " + s.SQL
		if s.Args != nil {
			what += fmt.Sprint(s.Args)
		}
		o.note(what)
		if o.run != nil {
			err = o.run(s.SQL)
		}
	}
	return o.rows, err
}

func (o *objects) Count(object string, statements []store.Statement, _ func(error)) ([]store.Rows, error) {
	return o.Batch(object, statements)
}

func (o *objects) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ran = append(o.ran, what)
}

// seen returns the statements so far.
func (o *objects) seen() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.ran...)
}

// hostWith returns a host of a module and a store. Its log also has a line for each finished
// request.
func hostWith(t *testing.T, m *testModule, o *objects) (*Host, *testLog) {
	l := &testLog{}
	h, err := New(context.Background(), m.bytes(), Config{Log: log.New(l, "", 0), CacheDir: t.TempDir(),
		Store: o, Done: func(*http.Request, Outcome) { o.note("done") }})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close(context.Background())) })
	return h, l
}

// TestAccountOfEachEnd: however a request ends, the program's last statements run once, before its
// report. If its instance dies, the insured statements run instead.
func TestAccountOfEachEnd(t *testing.T) {
	relayed := func(f call) func(*testModule) {
		return func(m *testModule) {
			f.url, f.silence, f.before = "http://upstream.test", 60_000, m.account(0)
			m.relay(f)
		}
	}
	passed := call{onHead: func(c *testCode) { c.answers(c.respond(c.method(c.host(), "pass"), 201)) }}
	plain := call{
		onHead: func(c *testCode) { c.method(c.host(), "read", c.number(500), c.number(0)) },
		onRead: func(c *testCode) { c.answersWhere(0, 200) },
	}
	for name, end := range map[string]struct {
		build func(m *testModule)
		up    *scripted
		leave bool
		ran   []string
	}{
		"stream": {relayed(call{}), &scripted{chunks: 9}, false, []string{"object END",
			"done"}},
		"stream that is cut": {relayed(call{}), &scripted{chunks: 3, then: cutBody}, false,
			[]string{"object END", "done"}},
		"tapped stream": {relayed(call{passes: true}), &scripted{chunks: 9}, false,
			[]string{"object END", "done"}},
		"tapped, cut": {relayed(call{passes: true}), &scripted{chunks: 3, then: cutBody}, false,
			[]string{"object END", "done"}},
		"passage": {relayed(passed), &scripted{chunks: 9}, false, []string{"object END",
			"done"}},
		"plain answer": {relayed(plain), &scripted{chunks: 3}, false, []string{"object END",
			"done"}},
		"no upstream": {relayed(plain),
			&scripted{head: func(context.Context) error { return errors.New("refused") }}, false,
			[]string{"object END", "done"}},
		"client gone": {relayed(call{}), &scripted{chunks: 1, then: untilAborted}, true,
			[]string{"object END", "done"}},
		"client of a tap gone": {relayed(call{passes: true}), &scripted{chunks: 1, then: untilAborted},
			true, []string{"object END", "done"}},
		"client gone in waiting": {relayed(call{headWait: 1, every: 1, keepAlive: "[ping]\n"}),
			&scripted{head: func(ctx context.Context) error { return untilAborted(ctx) }}, true,
			[]string{"object END", "done"}},
		"trap": {func(m *testModule) {
			m.replace("stream_push", m.code().trap())
			relayed(call{})(m)
		}, &scripted{chunks: 9}, false, []string{"object DEATH", "done"}},
		"trap at the end": {func(m *testModule) {
			m.replace("stream_close", m.code().trap())
			relayed(call{})(m)
		}, &scripted{chunks: 9}, false, []string{"object DEATH", "done"}},
		"trap before the answer": {relayed(call{onHead: func(c *testCode) { c.trap() }}),
			&scripted{chunks: 9}, false, []string{"object DEATH", "done"}},
		"trap after the client left": {func(m *testModule) {
			relayed(call{})(m)
			m.replace("account", m.code().trap())
		}, &scripted{chunks: 1, then: untilAborted}, true, []string{"object DEATH", "done"}},
		"nothing to end with": {func(m *testModule) {
			relayed(call{})(m)
			m.replace("account", m.code().i32(0).words(0))
		}, &scripted{chunks: 9}, false, []string{"done"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, o := newTestModule(), &objects{}
			end.build(m)
			m.export("report", nil, i32Result, m.code().i32(0).words(0))
			h, l := hostWith(t, m, o)
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			var w http.ResponseWriter = httptest.NewRecorder()
			if end.leave {
				w = &leavingWriter{*httptest.NewRecorder(), leave}
			}
			x := newExchange(w, httptest.NewRequest("POST", "/", nil).WithContext(ctx), end.up, nil)
			x.store = o
			func() {
				// a body that breaks off makes ServeHTTP panic, which breaks the connection
				defer func() { recover() }()
				h.serve(x)
			}()
			assert.Equal(t, end.ran, o.seen())
			assert.NotContains(t, l.String(), "the account was not kept")
		})
	}
}

// TestMergeOfAnAccount: a text of the last statement is the argument of the statements for the further
// object.
func TestMergeOfAnAccount(t *testing.T) {
	for name, test := range map[string]struct {
		rows []store.Rows
		ran  []string
	}{
		"a text": {[]store.Rows{{}, {Columns: 1, Values: []any{"text"}}},
			[]string{"object END", "further MERGE[text]", "done"}},
		"a text of another statement": {[]store.Rows{{Columns: 1, Values: []any{"text"}}, {}},
			[]string{"object END", "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, o := newTestModule(), &objects{rows: test.rows}
			m.relay(call{url: "http://upstream.test", silence: 60_000, before: m.account(0)})
			m.export("report", nil, i32Result, m.code().i32(0).words(0))
			h, _ := hostWith(t, m, o)
			x := newExchange(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil), &scripted{chunks: 1},
				nil)
			x.store = o
			h.serve(x)
			assert.Equal(t, test.ran, o.seen())
		})
	}
}

func TestRenewals(t *testing.T) {
	m, o := newTestModule(), &objects{}
	renewed := make(chan struct{}, 100)
	o.run = func(sql string) error {
		if sql == "RENEW" {
			select {
			case renewed <- struct{}{}:
			default:
			}
			return errors.New("secret reason")
		}
		return nil
	}
	upstream := serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "begun\n")
		flush(w)
		for range 3 {
			<-renewed
		}
	})
	m.relay(call{url: upstream, before: m.account(1)})
	h, l := hostWith(t, m, o)
	s := httptest.NewServer(h)
	_, body := get(t, "POST", s.URL, "")
	s.Close()
	assert.Equal(t, "begun\n[end 0]\n", body)
	ran := o.seen()
	require.GreaterOrEqual(t, len(ran), 5)
	for _, what := range ran[:3] {
		assert.Equal(t, "object RENEW", what)
	}
	assert.Contains(t, ran, "object END")
	assert.Contains(t, l.String(), "POST /: the account was not kept: secret reason")
}

// TestAccountThatTakesLong: slow statements delay only the end of the request, and neither a plain
// answer nor the bytes of a stream.
func TestAccountThatTakesLong(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		m, o := newTestModule(), &objects{}
		release := make(chan struct{})
		o.run = func(string) error { <-release; return nil }
		f := call{before: m.account(0), url: serveUpstream(t, func(w http.ResponseWriter,
			_ *http.Request) {
			io.WriteString(w, "abc\n")
		})}
		if !streamed {
			f.onHead = func(c *testCode) { c.method(c.host(), "read", c.number(500), c.number(0)) }
			f.onRead = func(c *testCode) { c.answersWhere(0, 200) }
		}
		m.relay(f)
		h, _ := hostWith(t, m, o)
		s := httptest.NewServer(h)
		response, err := http.Post(s.URL, "", nil)
		require.NoError(t, err)
		lines := newLineReader(response.Body)
		assert.Equal(t, "abc", lines.next(t))
		if !streamed {
			lines.end(t)
		}
		over := make(chan struct{})
		go func() {
			s.Config.Shutdown(context.Background())
			close(over)
		}()
		select {
		case <-over:
			assert.Fail(t, "a server that shuts down does not wait")
		default:
		}
		assert.NotContains(t, o.seen(), "done")
		close(release)
		<-over
		response.Body.Close()
		assert.Equal(t, []string{"object END", "done"}, o.seen())
		s.Close()
	}
}

func TestTrapInTheAccount(t *testing.T) {
	m, o := newTestModule(), &objects{}
	m.relay(call{before: m.account(0), url: serveUpstream(t, func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "abc\n")
	})})
	m.replace("account", m.code().trap())
	m.reports()
	h, l := hostWith(t, m, o)
	s := httptest.NewServer(h)
	_, body := get(t, "POST", s.URL, "")
	s.Close()
	assert.Equal(t, "abc\n[end 0]\n", body)
	assert.Equal(t, []string{"object DEATH", "done"}, o.seen())
	assert.Contains(t, l.String(), "no account: account trapped")
}

// TestInsuranceWithoutAnAccount: the program breaks the contract, so its instance ends.
func TestInsuranceWithoutAnAccount(t *testing.T) {
	m, o := newTestModule(), &objects{}
	m.later(func(c *testCode) {
		c.method(c.host(), "insure", c.method(c.host(), "bytes", c.number(inputAt), c.number(3)))
	})
	h, l := hostWith(t, m, o)
	s := httptest.NewServer(h)
	defer s.Close()
	response, _ := get(t, "POST", s.URL, "")
	assert.Equal(t, 500, response.StatusCode)
	assert.Contains(t, l.String(), "host.insure is called before account")
}

// TestAnswerAfterTheAccount: the client of a dead instance gets the failure once the account is
// closed, so its next request finds the slot free.
func TestAnswerAfterTheAccount(t *testing.T) {
	for name, dies := range map[string]func(m *testModule, f *call){
		"an answer": func(_ *testModule, f *call) { f.onHead = func(c *testCode) { c.trap() } },
		"a stream":  func(m *testModule, _ *call) { m.replace("stream_push", m.code().trap()) },
	} {
		t.Run(name, func(t *testing.T) {
			m, o := newTestModule(), &objects{}
			w := httptest.NewRecorder()
			before := ""
			o.run = func(string) error {
				before += w.Body.String()
				return nil
			}
			f := call{url: "http://upstream.test", silence: 60_000, before: m.account(0)}
			dies(m, &f)
			m.relay(f)
			h, _ := hostWith(t, m, o)
			x := newExchange(w, httptest.NewRequest("POST", "/", nil), &scripted{chunks: 9}, nil)
			x.store = o
			h.serve(x)
			assert.Equal(t, []string{"object DEATH", "done"}, o.seen())
			assert.Empty(t, before)
			assert.NotEmpty(t, w.Body.String())
		})
	}
}

// TestAccountAndAHang: a pending renewal does not keep a program alive that waits for nothing.
func TestAccountAndAHang(t *testing.T) {
	m, o := newTestModule(), &objects{}
	m.later(m.account(60_000))
	h, l := hostWith(t, m, o)
	s := httptest.NewServer(h)
	defer s.Close()
	response, _ := get(t, "POST", s.URL, "")
	assert.Equal(t, 500, response.StatusCode)
	assert.Contains(t, l.String(), js.ErrHang.Error())
	assert.Contains(t, o.seen(), "object DEATH")
}

// TestStreamThatPasses has streams without a trap: an early end breaks the client's connection, and
// no keep-alive is sent.
func TestStreamThatPasses(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a\n")
		flush(w)
		<-r.Context().Done()
	}
	for name, end := range map[string]struct {
		upstream http.HandlerFunc
		silence  time.Duration
		push     func(c *testCode)
		body     string
		whole    bool
	}{
		"its end": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n") }, 0, nil,
			"a\n[end 0]\n", true},
		"a cut": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n"); cutOff(w) },
			0, nil, "a\n[end 1]\n", false},
		"silence": {hang, 2 * time.Second, nil, "a\n[end 2]\n", false},
		"a trap":  {hang, 0, func(c *testCode) { c.trap() }, "", false},
		"the program": {hang, 0, func(c *testCode) { c.i32(inputAt).outIs().localGet(0).words(flagLast) },
			"a\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			longEnough(t, end.silence, func(silence time.Duration) bool {
				m := newTestModule()
				if end.push != nil {
					c := m.code()
					end.push(c)
					m.replace("stream_push", c)
				}
				m.relay(call{url: serveUpstream(t, end.upstream), passes: true,
					silence: milliseconds(silence), every: 1})
				url, _ := serve(t, m)
				response, err := http.Post(url, "", nil)
				require.NoError(t, err)
				defer response.Body.Close()
				body, err := io.ReadAll(response.Body)
				if silence > 0 && !strings.HasPrefix(string(body), "a\n") {
					return false
				}
				assert.Equal(t, end.body, string(body))
				assert.Equal(t, end.whole, err == nil, err)
				return true
			})
		})
	}
}
