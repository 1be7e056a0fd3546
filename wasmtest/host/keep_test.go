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
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"edgelingua/wasmtest/store"
)

// batches is a Store whose Batch is a function of the test.
type batches struct {
	Store
	run func(object string, statements []store.Statement) error
}

func (b batches) Batch(object string, statements []store.Statement) ([]store.Rows, error) {
	return nil, b.run(object, statements)
}

// keeps makes a module retain the end of its stream: the module returns the statement A, and after
// the statement writes [kept], or the reason why A has not run.
func (m *testModule) keeps(url string, silence float64) {
	m.replace("stream_close", m.code().i32(0).words(flagLast))
	packed, length := m.text("q\x01\x00\x00\x00A")
	m.export("stream_end", nil, i32Result, m.code().i32(packed).outIs().i32(length).words(0))
	kept, length := m.text("[kept]\n")
	m.export("stream_ended", []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, i32Result, m.code().
		localGet(0).op(0x04, 0x40).                                         // if
		i32(inputAt).outIs().localGet(1).words(flagLast).op(0x0F).op(0x0B). // return, end
		i32(kept).outIs().i32(length).words(flagLast))
	m.relay(call{url: url, silence: silence, onHead: func(c *testCode) {
		body := c.method(c.host(), "stream", c.string("[ping]\n"), c.number(1), c.string("[trap]\n"),
			c.string("object"), c.number(0))
		c.answers(c.respond(body, 200))
	}})
}

func serveStore(t *testing.T, m *testModule, s Store) (url string, l *testLog) {
	t.Helper()
	l = &testLog{}
	h, err := New(context.Background(), m.bytes(), Config{Log: log.New(l, "", 0), CacheDir: t.TempDir(),
		Store: s})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, h.Close(context.Background())) })
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL, l
}

// oneLine serves an upstream that sends a line.
func oneLine(t *testing.T) string {
	return serveUpstream(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a\n") })
}

func TestKeep(t *testing.T) {
	for name, test := range map[string]struct {
		failed error
		want   string
	}{
		"runs":  {nil, "[kept]"},
		"fails": {errors.New("no luck\n"), "no luck"},
	} {
		t.Run(name, func(t *testing.T) {
			running, run := make(chan struct{}), make(chan struct{})
			m := newTestModule()
			m.keeps(oneLine(t), 60000)
			url, l := serveStore(t, m, batches{run: func(object string, statements []store.Statement) error {
				assert.Equal(t, "object", object)
				assert.Equal(t, []store.Statement{{SQL: "A"}}, statements)
				close(running)
				<-run
				return test.failed
			}})
			response, err := http.Post(url, "", nil)
			require.NoError(t, err)
			defer response.Body.Close()
			lines := newLineReader(response.Body)
			lines.skip("[ping]")
			assert.Equal(t, "a", lines.next(t))
			<-running
			lines.skip("")
			assert.Equal(t, "[ping]", lines.next(t), "the client waits meanwhile")
			close(run)
			lines.skip("[ping]")
			assert.Equal(t, test.want, lines.next(t))
			lines.end(t)
			assert.Empty(t, l.String())
		})
	}
}

func TestKeepIsBounded(t *testing.T) {
	run := make(chan struct{})
	defer close(run)
	longEnough(t, 200*time.Millisecond, func(silence time.Duration) bool {
		m := newTestModule()
		m.keeps(oneLine(t), milliseconds(silence))
		url, _ := serveStore(t, m, batches{run: func(string, []store.Statement) error { <-run; return nil }})
		_, body := get(t, "POST", url, "")
		body = strings.ReplaceAll(body, "[ping]\n", "")
		if !strings.HasPrefix(body, "a\n") {
			return false
		}
		assert.Equal(t, fmt.Sprintf("a\nit took more than %g seconds", silence.Seconds()), body)
		return true
	})
}

func TestKeepWithoutStore(t *testing.T) {
	m := newTestModule()
	m.keeps(oneLine(t), 60000)
	url, _ := serveStore(t, m, nil)
	_, body := get(t, "POST", url, "")
	assert.Contains(t, body, errUnbound.Error())
}

// TestKeepOfAClientThatLeaves has the client leave while the statements run: the statements are not
// undone, and the program is not called again.
func TestKeepOfAClientThatLeaves(t *testing.T) {
	running, run := make(chan struct{}), make(chan struct{})
	m := newTestModule()
	m.keeps(oneLine(t), 60000)
	m.replace("stream_ended", m.code().trap())
	m.export("report", nil, i32Result, m.code().i32(0).words(0))
	outcomes := make(chan Outcome, 1)
	h, err := New(context.Background(), m.bytes(), Config{CacheDir: t.TempDir(), Log: log.New(io.Discard, "",
		0),
		Done:  func(_ *http.Request, o Outcome) { outcomes <- o },
		Store: batches{run: func(string, []store.Statement) error { close(running); <-run; return nil }}})
	require.NoError(t, err)
	defer h.Close(context.Background())
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { close(gone) })
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	ctx, leave := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	<-running
	leave()
	<-gone
	close(run)
	assert.Equal(t, Outcome{Aborted: true}, <-outcomes)
}

func TestTrapWhereTheEndIsKept(t *testing.T) {
	for _, export := range []string{"stream_end", "stream_ended"} {
		m := newTestModule()
		m.keeps(oneLine(t), 60000)
		m.replace(export, m.code().trap())
		url, l := serveStore(t, m, batches{run: func(string, []store.Statement) error { return nil }})
		_, body := get(t, "POST", url, "")
		assert.Contains(t, body, "a\n")
		assert.Contains(t, body, "[trap]\n")
		assert.NotContains(t, body, "[kept]")
		assert.Contains(t, l.String(), export+" trapped")
	}
}
